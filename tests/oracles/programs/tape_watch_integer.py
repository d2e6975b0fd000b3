import tensorflow as tf

whole = tf.constant(2)
with tf.GradientTape() as tape:
    tape.watch(whole)
    doubled = whole * 2
print(tape.gradient(doubled, whole))
