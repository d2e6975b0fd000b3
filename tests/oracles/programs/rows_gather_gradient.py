import tensorflow as tf

table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
with tf.GradientTape() as tape:
    read = tf.gather(table, [2, 0, 2])
    total = tf.reduce_sum(read * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
slope = tape.gradient(total, table)
print(type(slope).__name__, slope.dtype, slope.shape)
print(slope.indices.numpy(), slope.values.numpy().tolist(), slope.dense_shape.numpy())
print(tf.convert_to_tensor(slope).numpy().tolist())
