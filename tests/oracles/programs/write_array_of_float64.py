import tensorflow as tf
import numpy as np

weight = tf.Variable([1.0, 2.0])
weight.assign(np.array([3.0, 4.0]))
print(weight)
weight.assign_add(np.array([0.1, 0.1]))
print(weight)
