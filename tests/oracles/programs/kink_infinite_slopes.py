import tensorflow as tf

weight = tf.Variable([0.0, 4.0])
with tf.GradientTape(persistent=True) as tape:
    root = tf.sqrt(weight)
    guarded = tf.where(weight > 0.0, tf.sqrt(weight), tf.zeros_like(weight))
    safe = tf.where(weight > 0.0, tf.sqrt(tf.where(weight > 0.0, weight, 1.0)), 0.0)
    length = tf.norm(weight * [1.0, 0.0])
    inverse = 1.0 / weight
print(tape.gradient(root, weight).numpy())
print(tape.gradient(guarded, weight).numpy())
print(tape.gradient(safe, weight).numpy())
print(length.numpy(), tape.gradient(length, weight).numpy())
print(inverse.numpy(), tape.gradient(inverse, weight).numpy())
