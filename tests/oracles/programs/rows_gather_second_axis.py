import tensorflow as tf

table = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
with tf.GradientTape() as tape:
    total = tf.reduce_sum(tf.gather(table, [2, 2, 0], axis=1) * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
slope = tape.gradient(total, table)
print(type(slope).__name__, tf.convert_to_tensor(slope).numpy().tolist())
