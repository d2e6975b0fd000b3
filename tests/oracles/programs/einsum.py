import numpy as np
import tensorflow as tf


def show(x):
    print(x.shape, x.dtype, np.round(x.numpy().astype(np.float64) + 0.0, 3).tolist())


a = tf.constant(np.cos(np.arange(6.0)).reshape(2, 3), tf.float32)
b = tf.constant(np.sin(np.arange(12.0)).reshape(3, 4), tf.float32)
c = tf.constant(np.sin(np.arange(30.0)).reshape(5, 2, 3), tf.float32)
square = tf.constant(np.arange(9.0).reshape(3, 3), tf.float32)
show(tf.einsum("ij,jk->ik", a, b))
show(tf.einsum("ij,jk", a, b))
show(tf.linalg.einsum("bij,jk->bki", c, b))
show(tf.einsum("...ij,jk->...ik", c, b))
show(tf.einsum("ii->i", square))
show(tf.einsum("ii", square))
show(tf.einsum("ij->j", a))
show(tf.einsum("ij,jk,bij->bk", a, b, c, optimize="greedy"))
show(tf.einsum("i,j->ij", a[0], b[1]))

v = tf.Variable(a)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.einsum("ij,bij,jk->bk", v, c, b) ** 2)
show(tape.gradient(loss, v))

for subscripts, operands in [
    ("ij,jk", (a, a)),
    ("ij->ik", (a,)),
    ("ij,jk", (a,)),
    ("ij", (tf.constant([1.0]),)),
    ("ij,jk", (a, tf.cast(b, tf.float64))),
]:
    try:
        tf.einsum(subscripts, *operands)
    except Exception as error:
        print(subscripts, isinstance(error, tf.errors.InvalidArgumentError | ValueError))
