import os
import tempfile

import numpy as np
import tensorflow as tf


class Heavy(tf.keras.optimizers.Optimizer):
    def __init__(self, learning_rate=0.1, momentum=0.9, name="heavy", **options):
        super().__init__(learning_rate=learning_rate, name=name, **options)
        self.momentum = momentum

    def build(self, variables):
        if self.built:
            return
        super().build(variables)
        self.means = [self.add_variable_from_reference(one, name="mean") for one in variables]
        self.largest = self.add_variable(shape=(), name="largest")

    def update_step(self, gradient, variable, learning_rate):
        rate = tf.cast(learning_rate, variable.dtype)
        mean = self.means[self._get_variable_index(variable)]
        mean.assign(self.momentum * mean + gradient)
        self.assign(self.largest, tf.maximum(self.largest, tf.reduce_max(tf.abs(gradient))))
        self.assign_sub(variable, rate * mean)

    def get_config(self):
        return {**super().get_config(), "momentum": self.momentum}


def train(optimizer, steps=3):
    w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(3.0, name="b")
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w) * b
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
        print(round(float(loss), 4), w.numpy().round(4), b.numpy().round(4), int(optimizer.iterations))


optimizer = Heavy(0.01)
train(optimizer)
print([one.name for one in optimizer.variables], round(float(optimizer.variables[-1]), 4))
print(optimizer.get_config()["momentum"], Heavy.from_config(optimizer.get_config()).momentum)
for options in ({"weight_decay": 0.1}, {"clipnorm": 1.0}, {"global_clipnorm": 1.0}, {"clipvalue": 0.5}):
    train(Heavy(0.1, **options), 2)
train(Heavy(tf.keras.optimizers.schedules.ExponentialDecay(0.01, 1, 0.5)), 2)
limited = tf.Variable([1.0, -1.0], constraint=tf.nn.relu)
Heavy(0.1).apply_gradients([(tf.constant([1.0, 1.0]), limited)])
print(limited.numpy())

x = np.sin(np.arange(48.0)).reshape(16, 3).astype("float32")
y = x.sum(1, keepdims=True)
tf.keras.utils.set_random_seed(1)
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
model.compile(Heavy(0.05), "mse")
history = model.fit(x, y, epochs=3, batch_size=8, verbose=0, shuffle=False)
print([round(one, 4) for one in history.history["loss"]])
path = os.path.join(tempfile.mkdtemp(), "model.keras")
model.save(path)
again = tf.keras.models.load_model(path, custom_objects={"Heavy": Heavy})
print(int(again.optimizer.iterations), type(again.optimizer).__name__)
for one, two in zip(model.optimizer.variables, again.optimizer.variables):
    print(np.allclose(one.numpy(), two.numpy()))
try:
    tf.keras.optimizers.Optimizer(0.1).apply_gradients([(tf.constant(1.0), tf.Variable(1.0))])
except NotImplementedError:
    print("NotImplementedError")
