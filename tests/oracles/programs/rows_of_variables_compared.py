import numpy as np
import tensorflow as tf

m = tf.Variable(np.sin(np.arange(12.0)).reshape(3, 4).astype(np.float32))


def show():
    print(np.round(m.numpy(), 4).tolist())


two = tf.IndexedSlices(tf.constant([[0.3] * 4, [0.25] * 4]), tf.constant([2, 0]))
same = tf.IndexedSlices(tf.constant([[0.3] * 4, [2.0] * 4]), tf.constant([1, 1]))
m.scatter_max(two)
show()
m.scatter_min(two)
show()
m.scatter_mul(same)
show()
m.scatter_div(same)
show()
m.scatter_div(two)
show()
m.scatter_nd_max([[0, 1], [1, 2]], [5.0, -5.0])
show()
m.scatter_nd_min([[1]], [[0.0, 0.1, 0.2, 0.3]])
show()
counts = tf.Variable([6, 8])
print(counts.scatter_mul(tf.IndexedSlices(tf.constant([3]), tf.constant([0]))).numpy().tolist())
