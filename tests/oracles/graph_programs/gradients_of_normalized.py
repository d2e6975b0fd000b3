"""A bias before a fused normalization changes nothing: its gradient is 0, in the second order too."""
import numpy as np

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
random = np.random.RandomState(0)
images = tf.constant(random.rand(3, 4, 4, 2).astype(np.float32))
weights = tf.constant(random.rand(3, 4, 4, 2).astype(np.float32))
bias = tf.get_variable("bias", initializer=tf.constant([0.1, 0.2]))
scale = tf.get_variable("scale", initializer=tf.constant([1.0, 2.0]))


def loss(bias, scale):
    made, _, _ = tf.nn.fused_batch_norm(tf.square(images * scale) + bias, scale, bias, epsilon=1e-3)
    made = made - tf.reshape(bias, [1, 1, 1, 2])
    return tf.reduce_sum(tf.sin(made * 3.0) * weights)


first = tf.gradients(loss(bias, scale), [bias, scale])
adapted = [one - 0.01 * slope for one, slope in zip([bias, scale], first)]
second = tf.gradients(loss(*adapted), [bias, scale])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for value in session.run([*first, *second]):
        print((value.round(2) + 0.0).tolist())
