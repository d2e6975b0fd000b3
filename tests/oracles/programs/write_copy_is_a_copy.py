import tensorflow as tf
import numpy as np

array = np.array([1.0, 2.0], dtype=np.float32)
first = tf.Variable(array)
second = tf.Variable(first)
snapshot = first.numpy()
tensor = first.read_value()
array[0] = 50.0
first.assign_add([10.0, 10.0])
print(first.numpy(), second.numpy(), snapshot, tensor.numpy())
