import numpy as np
import tensorflow as tf


def show(x):
    print(x.shape, x.dtype, np.round(x.numpy() + 0.0, 6).tolist())


a = tf.constant(np.cos(np.arange(18.0)).reshape(2, 3, 3) + 2 * np.eye(3))
b = tf.constant(np.sin(np.arange(12.0)).reshape(2, 3, 2))
for lower in (True, False):
    for adjoint in (False, True):
        show(tf.linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint))
show(tf.linalg.triangular_solve(a[0], b))
with tf.GradientTape() as tape:
    tape.watch([a, b])
    loss = tf.reduce_sum(tf.linalg.triangular_solve(a, b, lower=False) ** 2)
for gradient in tape.gradient(loss, [a, b]):
    show(gradient)
