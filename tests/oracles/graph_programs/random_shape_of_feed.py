import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 4])
noisy = x + tf.random_uniform(tf.shape(x), 0.0, 0.5)
with tf.Session() as session:
    for rows in (2, 3):
        value = session.run(noisy, {x: np.zeros((rows, 4))})
        print(value.shape, value.min() >= 0.0, value.max() <= 0.5)
