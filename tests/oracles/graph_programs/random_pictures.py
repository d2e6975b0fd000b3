"""Changes pictures at random, with seeds of the graph and of the operation, anew at each run."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(5)
grey = tf.reshape(tf.range(100.0), [10, 10, 1]) / 100.0
coloured = tf.tile(grey, [1, 1, 3]) * tf.constant([1.0, 0.5, 0.2])
made = [
    tf.random_crop(grey, [1, 2, 1]),
    tf.random_crop(grey, [1, 2, 1], seed=3),
    tf.image.random_flip_left_right(grey)[0, :2, 0],
    tf.image.random_flip_up_down(grey, seed=2)[0, :2, 0],
    tf.image.random_flip_left_right(tf.stack([grey] * 5))[:, 0, 0, 0],
    tf.image.random_brightness(grey, 0.5)[0, :2, 0],
    tf.image.random_contrast(grey, 0.2, 1.8)[0, :2, 0],
    tf.image.random_hue(coloured, 0.3)[3, 2],
    tf.image.random_saturation(coloured, 0.3, 0.9)[3, 2],
    tf.random_normal([2]),
]
with tf.Session() as session:
    for _ in range(2):
        for one in session.run(made):
            print(np.round(one.ravel().astype("float64"), 4).tolist())
