import tensorflow as tf
import numpy as np

tensor = tf.constant(2.75)
print(float(tensor), int(tensor), bool(tensor), complex(tensor))
print(int(tf.Variable(3)), float(tf.Variable(0.5)), bool(tf.Variable(0.0)))
print(len(tf.constant([1.0, 2.0, 3.0])), [float(item) for item in tf.constant([1.0, 2.0])])
print(type(tensor.numpy()).__name__, type(tf.constant([1.0]).numpy()).__name__)
print(np.array(tf.constant([1.0, 2.0])), np.asarray(tf.Variable([3, 4])), np.sum(tf.constant([1.0, 2.0])))
print(list(range(tf.constant(3))), [10, 20, 30][tf.constant(1)])
print("yes" if tf.constant(1.0) > 0.5 else "no")
