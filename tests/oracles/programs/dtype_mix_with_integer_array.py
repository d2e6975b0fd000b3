import tensorflow as tf
import numpy as np

weight = tf.Variable([1.0, 2.0])
print(weight * np.array([1, 2]))
