import tensorflow as tf

print(tf.Variable(lambda: tf.fill([2], 1.5), name="lazy"))
print(tf.Variable(initial_value=2.0, trainable=False, name="fixed", dtype=tf.float64))
