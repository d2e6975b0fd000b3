"""Trains, saves, and in what may be another process restores by the names alone, predicts and trains on."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
path = os.path.join(tempfile.gettempdir(), "restored_and_trained_on", "model")
x = tf.placeholder(tf.float32, [None, 3], name="x")
y = tf.placeholder(tf.float32, [None, 1], name="y")
training = tf.placeholder_with_default(False, [], name="training")


def shown(values, digits=4):
    return np.round(np.float64(values), digits).tolist()


def start(*shape):
    return tf.constant_initializer((np.cos(np.arange(np.prod(shape)) + 1.0) / 2).reshape(shape))


with tf.variable_scope("hidden"):
    weight = tf.get_variable("weight", [3, 4], initializer=start(3, 4))
    bias = tf.get_variable("bias", [4], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.matmul(x, weight) + bias, name="activation")
mean = tf.get_variable("mean", [4], initializer=tf.zeros_initializer(), trainable=False)
now = tf.cond(training, lambda: tf.reduce_mean(hidden, 0), lambda: tf.identity(mean))
tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_sub(mean, 0.1 * (mean - now)))
hidden = hidden - now
hidden = tf.nn.dropout(hidden, rate=tf.cond(training, lambda: 1e-30, lambda: 0.0))
with tf.variable_scope("out"):
    out = tf.matmul(hidden, tf.get_variable("weight", [4, 1], initializer=start(4, 1)))
out = tf.identity(out, name="prediction")
loss = tf.losses.mean_squared_error(y, out)
tf.identity(loss, name="loss")
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.05, step, 4, 0.5)
optimizer = tf.train.AdamOptimizer(rate)
pairs = optimizer.compute_gradients(loss)
pairs = [(tf.clip_by_norm(gradient, 2.0), variable) for gradient, variable in pairs]
with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
    train = optimizer.apply_gradients(pairs, global_step=step, name="train")
power = tf.while_loop(lambda n, total: n < 3, lambda n, total: (n + 1, total * 1.5), [0, tf.reduce_sum(out)])[
    1
]
tf.identity(power, name="power")
tf.add_to_collection("fed", x)
tf.add_to_collection("fed", y)
tf.add_to_collection("words", "hello")
tf.add_to_collection("numbers", 7)
given = np.sin(np.arange(12.0)).reshape(4, 3)
wanted = np.cos(np.arange(4.0)).reshape(4, 1)
saver = tf.train.Saver(max_to_keep=2)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        value, _ = session.run([loss, train], {x: given, y: wanted, training: True})
        print(round(float(value), 5))
    print(shown(session.run(out, {x: given})))
    print(os.path.basename(saver.save(session, path, global_step=step)))

# -- another process --

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.reset_default_graph()
folder = os.path.join(tempfile.gettempdir(), "restored_and_trained_on")
newest = tf.train.latest_checkpoint(folder)
given = np.sin(np.arange(12.0)).reshape(4, 3)
wanted = np.cos(np.arange(4.0)).reshape(4, 1)


def shown(values, digits=4):
    return np.round(np.float64(values), digits).tolist()


with tf.Session() as session:
    saver = tf.train.import_meta_graph(newest + ".meta")
    saver.restore(session, newest)
    graph = tf.get_default_graph()
    print(shown(session.run("prediction:0", {"x:0": given})))
    x, y = tf.get_collection("fed")
    training = graph.get_tensor_by_name("training:0")
    print(x.name, x.shape, y.shape, training.dtype.name, graph.get_operation_by_name("train").name)
    print(tf.get_collection("words"), tf.get_collection("numbers"))
    print(session.run(tf.train.get_global_step()), shown(session.run("loss:0", {x: given, y: wanted}), 5))
    for _ in range(3):
        value, _ = session.run(["loss:0", "train"], {x: given, y: wanted, training: True})
        print(round(float(value), 5))
    print(
        session.run(["power:0", "global_step:0"], {x: given})[1], shown(session.run("power:0", {x: given}), 3)
    )
    print([one.name for one in tf.trainable_variables()])
    print(sorted(one.name for one in tf.global_variables()))
    print(shown(session.run("hidden/weight:0")))
    doubled = tf.multiply(graph.get_tensor_by_name("prediction:0"), 2.0, name="prediction")
    print(doubled.name, shown(session.run(doubled, {x: given})))
    slope = tf.gradients(doubled, x)[0]
    print(shown(session.run(slope, {x: given})))
    print(
        os.path.basename(
            saver.save(session, newest.rsplit("-", 1)[0], global_step=tf.train.get_global_step())
        )
    )
    print(sorted(one for one in os.listdir(folder) if one.endswith(".meta")))
    session.run(tf.global_variables_initializer())
    print(session.run("global_step:0"))
