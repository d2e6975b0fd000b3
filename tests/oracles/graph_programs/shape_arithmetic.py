import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
x = tf.placeholder(tf.float32, [None, 2, 3])
rows = tf.shape(x)[0]
flat = tf.reshape(x, [rows, 6])
pairs = tf.reshape(x, tf.stack([rows * 2, 3]))
print(flat.shape[1], pairs.shape[1])
with tf.Session() as session:
    for count in (1, 2):
        data = np.arange(6.0 * count).reshape(count, 2, 3)
        print(session.run(flat, {x: data}).tolist(), session.run(pairs, {x: data}).shape)
