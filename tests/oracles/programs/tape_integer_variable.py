import tensorflow as tf

whole = tf.Variable(3)
real = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    doubled = whole * 2
    mixed = real * tf.cast(whole, tf.float32)
print(tape.gradient(doubled, whole))
print(tape.gradient(mixed, [real, whole]))
