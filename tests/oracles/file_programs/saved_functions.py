"""Saves objects with functions, and calls, trains and refuses what is loaded."""

import sys
import tempfile
import warnings

import numpy as np
import tensorflow as tf

warnings.simplefilter("ignore")


class Dense(tf.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        start = np.linspace(-0.5, 0.5, inputs * outputs).reshape(inputs, outputs)
        self.kernel = tf.Variable(start, dtype=tf.float32, name="kernel")
        self.bias = tf.Variable(tf.zeros([outputs]), name="bias")

    def __call__(self, x):
        return tf.matmul(x, self.kernel) + self.bias


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(2, 3), Dense(3, 1)]
        self.scale, self.count = tf.Variable(2.0), tf.Variable(0, trainable=False)
        self.table, self.shift = {"a": tf.Variable([1.0, 2.0])}, tf.constant([3.0, 4.0])

    @tf.function
    def __call__(self, x, training=False):
        for layer in self.layers:
            x = tf.nn.tanh(layer(x))
        return x * self.scale

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def step(self, x):
        before = self.count + 0
        self.count.assign_add(1)
        tf.print("step", self.count, output_stream=sys.stdout)
        return {"y": x * self.table["a"] + self.shift, "before": before, "after": self.count}

    @tf.function
    def train(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((tf.reduce_sum(x * self.table["a"], -1) - y) ** 2)
        self.table["a"].assign_sub(0.01 * tape.gradient(loss, self.table["a"]))
        return loss

    @tf.function
    def power(self, x, n, shift=None):
        return x**n if shift is None else x**n + shift["by"]

    @tf.function
    def either(self, x):
        return tf.cond(x > 0.0, lambda: x * self.scale, lambda: -x)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def words(self, texts):
        return tf.strings.length(texts), [tf.strings.upper(texts)]


net, folder = Net(), tempfile.mkdtemp()
x = tf.constant([[1.0, 2.0], [0.5, -1.0]])
net(x)
net(x, training=True)
net.train(x, tf.constant([1.0, 2.0]))
net.power(tf.constant(2.0), 3)
net.power(tf.constant(2.0), 2, shift={"by": tf.constant([1.0, 2.0])})
net.power.get_concrete_function(tf.TensorSpec([None], tf.float32), 2)
net.either(tf.constant(1.0))
net.doubled = tf.function(lambda x: net.scale * 2.0 * x)
net.doubled(tf.constant(1.0))
tf.saved_model.save(net, folder, signatures={"step": net.step})
net.scale.assign(100.0)

loaded = tf.saved_model.load(folder)
print(list(loaded.signatures), loaded.scale.trainable, loaded.count.trainable, loaded.layers[0].kernel.name)
for one in (loaded(x), loaded(x, training=True), loaded(x.numpy(), False)):
    print(one.numpy().round(5).tolist())
for found in (loaded.step(tf.constant([1.0, 1.0])), loaded.signatures["step"](x=tf.constant([0.0, 1.0]))):
    print({name: found[name].numpy().tolist() for name in sorted(found)})
outputs = loaded.signatures["step"].structured_outputs
print({name: outputs[name] for name in sorted(outputs)}, loaded.signatures["step"].structured_input_signature)
for _ in range(2):
    print(float(loaded.train(x, tf.constant([1.0, 2.0]))), loaded.table["a"].numpy().round(5).tolist())
print(float(loaded.power(tf.constant(2.0), 3)), loaded.power(tf.constant([2.0, 3.0, 4.0]), n=2).numpy().tolist())
print(loaded.power(tf.constant(2.0), 2, {"by": tf.constant([1.0, 2.0])}).numpy().tolist())
print([float(loaded.either(tf.constant(one))) for one in (-2.0, 3.0)], float(loaded.doubled(tf.constant(1.5))))
print(loaded.words(tf.constant(["ab", "c"])))
variables = [loaded.layers[0].kernel, loaded.layers[1].bias, loaded.scale]
optimizer = tf.keras.optimizers.SGD(0.1)
for _ in range(2):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((loaded(x) - 0.3) ** 2)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    print(round(float(loss), 5))
for call in (lambda: loaded.power(tf.constant(2.0), 7), lambda: loaded(tf.ones([3, 5])), lambda: loaded.lacking):
    try:
        call()
    except (ValueError, AttributeError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
