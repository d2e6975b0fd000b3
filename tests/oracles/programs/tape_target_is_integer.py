import tensorflow as tf

weight = tf.Variable(2.5)
with tf.GradientTape() as tape:
    whole = tf.cast(weight * 2.0, tf.int32)
print(whole)
print(tape.gradient(whole, weight))
