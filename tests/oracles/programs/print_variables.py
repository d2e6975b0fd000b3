import tensorflow as tf
import numpy as np

print(tf.Variable(1.0))
print(tf.Variable(1.0, name="scale"))
print(tf.Variable([1.0, 2.5, -3.0], name="vector"))
print(tf.Variable([[1.0, 2.0], [3.0, 4.0]], trainable=False))
print(tf.Variable(3))
print(tf.Variable([1, 2], dtype=tf.int64))
print(tf.Variable(True))
print(tf.Variable(np.array([0.1, 0.2])))
print(tf.Variable(tf.zeros([2, 0])))
print(tf.Variable(1e-8), tf.Variable(1e20), tf.Variable(float("nan")), tf.Variable(1 / 3))
print(tf.Variable(0.1, dtype=tf.float16))
print(tf.Variable(tf.zeros([3, 4])))
