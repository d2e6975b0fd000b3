"""A linear layer whose bias is frozen; the list asks each variable."""

import numpy as np
import tensorflow as tf

draw = np.random.default_rng(9)
bias = tf.Variable(np.zeros(1, "float32"), trainable=False, name="linear/bias")
kernel = tf.Variable(draw.standard_normal((10, 1)).astype("float32"), trainable=True, name="linear/kernel")
points = tf.constant(draw.standard_normal((50, 10)).astype("float32"))
wanted = tf.reduce_sum(points, axis=1, keepdims=True)
variables = [variable for variable in (kernel, bias) if variable.trainable]
descent = tf.keras.optimizers.SGD(learning_rate=0.1)


def linear(x):
    return tf.matmul(x, kernel) + bias


for turn in range(100):
    with tf.GradientTape() as tape:
        cost = tf.reduce_mean(tf.square(linear(points) - wanted))
    descent.apply_gradients(zip(tape.gradient(cost, variables), variables))
print(f"cost {cost.numpy():.4f}, bias {bias.numpy()[0]:.1f}, kernel {kernel.numpy().mean():.2f}")
