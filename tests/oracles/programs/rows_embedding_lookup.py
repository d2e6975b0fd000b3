import tensorflow as tf

table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
ids = tf.constant([[0, 1], [1, 1]])
with tf.GradientTape() as tape:
    read = tf.nn.embedding_lookup(table, ids)
    total = tf.reduce_sum(read)
print(read.shape, total.numpy())
slope = tape.gradient(total, table)
print(type(slope).__name__, slope.indices.numpy(), slope.values.numpy().tolist())
print(tf.convert_to_tensor(slope).numpy().tolist())
