import tensorflow as tf

table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
weight = tf.Variable([0.5, 2.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(table)
    total = tf.reduce_sum(tf.gather(table, [1, 1]) * weight)
print(total.numpy(), tape.gradient(total, weight).numpy())
print(tf.convert_to_tensor(tape.gradient(total, table)).numpy().tolist())
