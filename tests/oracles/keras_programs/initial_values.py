import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


for name in ("zeros", "ones", "glorot_uniform", "he_normal", "random_normal", "orthogonal"):
    value = tf.keras.initializers.get(name)((200, 300))
    print(name, value.shape, value.dtype, bool(abs(float(tf.reduce_mean(value)) - (name == "ones")) < 0.01))
print(tf.keras.initializers.Constant(3.0)((2,)).numpy().tolist())
layer = tf.keras.layers.Dense(1, kernel_initializer=tf.keras.initializers.RandomUniform(-2.0, -1.0))
layer(tf.zeros((1, 50)))
print(bool(layer.kernel.numpy().max() <= -1.0))
given = tf.constant_initializer([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
print(given((2, 3)).numpy().tolist(), given([3, 2], tf.int32).numpy().tolist(), tf.constant_initializer(2)([2]).numpy())
layer = tf.keras.layers.Dense(2, kernel_initializer=given)
print(layer(tf.ones((1, 3))).numpy(), tf.keras.initializers.serialize(given)["config"])
