import tensorflow as tf

point = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(point)
    total = tf.reduce_sum(point * point)
print(tape.gradient(total, point).numpy())
