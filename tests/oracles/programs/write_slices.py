import tensorflow as tf

table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
table[1].assign([30.0, 40.0])
table[0, 1].assign(-2.0)
table[:, 0].assign([7.0, 8.0, 9.0])
print(table.numpy().tolist())
table.scatter_nd_update([[0], [2]], [[1.0, 1.0], [2.0, 2.0]])
print(table.numpy().tolist())
rows = tf.IndexedSlices(values=tf.constant([[1.0, 1.0], [1.0, 1.0]]), indices=tf.constant([1, 1]))
table.scatter_add(rows)
print(table.numpy().tolist())
table.scatter_sub(rows)
print(table.numpy().tolist())
