import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
keras = tf.keras


def fill(model):
    model.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in model.get_weights()])


def made():
    model = keras.Sequential([keras.layers.Dense(3, activation="tanh"), keras.layers.Dense(1)])
    return model, keras.optimizers.Adam(0.1), tf.Variable(0)


x = np.sin(np.arange(12.0)).reshape(4, 3).astype("float32")


def train(model, optimizer):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x) ** 2)
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return round(float(loss), 5)


model, optimizer, step = made()
model(x)
fill(model)
checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, step=step)
manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
print(manager.latest_checkpoint, checkpoint.restore(manager.latest_checkpoint) is not None)
for _ in range(3):
    print(train(model, optimizer))
    step.assign_add(1)
    print(os.path.basename(manager.save()))
print([os.path.basename(path) for path in manager.checkpoints], os.path.basename(tf.train.latest_checkpoint(folder)))
after = [train(model, optimizer) for _ in range(3)]
other, other_optimizer, other_step = made()
again = tf.train.Checkpoint(model=other, optimizer=other_optimizer, step=other_step)
status = again.restore(tf.train.latest_checkpoint(folder))
print(other_step.numpy())
print([train(other, other_optimizer) for _ in range(3)] == after, other_optimizer.iterations.numpy())
status.assert_existing_objects_matched()
manager = tf.train.CheckpointManager(again, folder, max_to_keep=2, checkpoint_name="ckpt")
print(len(manager.checkpoints), os.path.basename(manager.save()))


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.weights = [tf.Variable([1.0, 2.0]), {"a": tf.Variable(3.0)}]
        self.inner = tf.keras.layers.Dense(2)


net = Net()
net.inner(x)
path = tf.train.Checkpoint(net).write(os.path.join(folder, "net"))
net.weights[0].assign([0.0, 0.0])
net.weights[1]["a"].assign(0.0)
tf.train.Checkpoint(net).read(path).assert_existing_objects_matched()
print(net.weights[0].numpy().tolist(), net.weights[1]["a"].numpy())
named = tf.train.Checkpoint(a=tf.Variable(1.0), b=[tf.Variable(2.0)])
path = named.save(os.path.join(folder, "named"))
partly = tf.train.Checkpoint(a=tf.Variable(0.0))
status = partly.restore(path)
print(partly.a.numpy())
status.expect_partial()
for check in (status.assert_consumed, tf.train.Checkpoint(c=tf.Variable(0.0)).restore(path).assert_existing_objects_matched):
    try:
        check()
    except AssertionError:
        print("AssertionError")
print(tf.train.load_checkpoint(path) is not None, len(tf.train.list_variables(path)) >= 3)
try:
    named.restore(os.path.join(folder, "absent"))
except Exception as error:
    print("NotFoundError" in type(error).__name__)
try:
    tf.train.Checkpoint(a=tf.Variable([1.0, 2.0])).restore(path)
except ValueError:
    print("ValueError")
