import numpy as np
import tensorflow as tf


def show(x):
    print(x.shape, x.dtype, np.round(x.numpy() + 0.0, 6).tolist())


a = tf.constant(np.cos(np.arange(18.0)).reshape(2, 3, 3))
show(tf.linalg.expm(a))
show(tf.linalg.expm(tf.complex(a[0], a[1])))
show(tf.linalg.expm(tf.stack([a[0] * 1e-6, a[0] - tf.transpose(a[0]), (a[0] - tf.transpose(a[0])) * 20.0])))
show(tf.linalg.expm(tf.zeros([0, 2, 2])))
with tf.GradientTape() as tape:
    tape.watch(a)
    loss = tf.reduce_sum(tf.linalg.expm(a) ** 2)
show(tape.gradient(loss, a))
for wrong in (tf.ones([2, 3]), tf.ones([3])):
    try:
        tf.linalg.expm(wrong)
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__)
