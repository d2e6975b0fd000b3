import tensorflow as tf

table = tf.Variable([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    total = tf.reduce_sum(tf.gather(table, [0, 2])) + 10.0 * tf.reduce_sum(tf.gather(table, [2]))
slope = tape.gradient(total, table)
print(type(slope).__name__, tf.convert_to_tensor(slope).numpy())
