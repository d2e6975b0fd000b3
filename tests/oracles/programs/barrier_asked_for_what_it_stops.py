import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    square = weight * weight
    held = tf.stop_gradient(square)
    value = held * held * weight
print(tape.gradient(value, weight).numpy())
print(tape.gradient(value, square))
print(tape.gradient(value, held))
