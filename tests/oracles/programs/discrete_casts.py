import tensorflow as tf

weight = tf.Variable([1.5, -0.25])
with tf.GradientTape(persistent=True) as tape:
    wide = tf.cast(weight, tf.float64) * 2.0
    through_integer = tf.cast(tf.cast(weight, tf.int32), tf.float32)
    through_boolean = tf.cast(weight > 0.0, tf.float32)
    same = tf.cast(weight, tf.float32)
print(wide.numpy(), tape.gradient(wide, weight))
print(through_integer.numpy(), tape.gradient(through_integer, weight))
print(through_boolean.numpy(), tape.gradient(through_boolean, weight))
print(same.numpy(), tape.gradient(same, weight))
