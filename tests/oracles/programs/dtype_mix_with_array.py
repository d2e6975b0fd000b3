import tensorflow as tf
import numpy as np

weight = tf.Variable([1.0, 2.0])
array = np.array([0.5, 0.25])
print(weight * array)
print(array * weight)
print(weight + np.float64(1.0))
