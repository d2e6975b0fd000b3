"""Numbers that seeds decide in the functions of map_fn, scan and cond, which are graphs of their own.

Each turn's draw takes its shape from the turn before: TensorFlow draws for them one after another.
"""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(11)


def drawn(before, seed=None, make=tf.random.uniform):
    return tf.reshape(make(tf.shape(before) + tf.cast(before * 0, tf.int32), seed=seed), [1])


asked = [tf.random.uniform([2])]
asked.append(tf.map_fn(lambda one: one + tf.random.uniform([1]), tf.zeros([1, 1])))
for seed in (5, None):
    for reverse in (False, True):
        for make in (tf.random.uniform, tf.random.normal):
            asked.append(
                tf.scan(
                    lambda total, one: total * 0.5 + one + drawn(total, seed, make),
                    tf.zeros([4, 1]),
                    tf.zeros([1]),
                    reverse=reverse,
                )
            )
asked.append(tf.scan(lambda a, b: a * 0.5 + b + drawn(a, 5) * 10 + drawn(a), tf.zeros([3, 1]), tf.zeros([1])))
asked.append(
    tf.cond(tf.placeholder_with_default(True, []), lambda: tf.random.uniform([2]), lambda: tf.random.normal([2]))
)
asked.append(tf.random.uniform([2]))
with tf.Session() as session:
    for _ in range(3):
        for one in session.run(asked):
            print(np.round(one.astype(float), 4).ravel().tolist())
