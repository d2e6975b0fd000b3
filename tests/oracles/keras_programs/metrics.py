import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


mean = tf.keras.metrics.Mean()
for number in (1.0, 2.0, 6.0):
    mean.update_state(number)
print(float(mean.result()), mean.name)
mean([10.0, 11.0])
print(float(mean.result()))
mean.reset_state()
print(float(mean.result()))
accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
accuracy.update_state([1, 0, 2], [[0.1, 0.9, 0.0], [0.2, 0.5, 0.3], [0.0, 0.1, 0.9]])
show(accuracy.result())
binary = tf.keras.metrics.BinaryAccuracy()
binary.update_state([[1.0], [0.0]], [[0.6], [0.7]])
show(binary.result())
one_hot = tf.keras.metrics.CategoricalAccuracy()
one_hot.update_state([[0.0, 1.0], [1.0, 0.0]], [[0.3, 0.7], [0.4, 0.6]])
show(one_hot.result())
plain = tf.keras.metrics.Accuracy()
plain.update_state([1, 2, 3], [1, 2, 4])
show(plain.result())
error = tf.keras.metrics.MeanSquaredError()
error.update_state([1.0, 2.0], [1.0, 4.0])
show(error.result())
print(len(mean.variables), mean.variables[0].path)
