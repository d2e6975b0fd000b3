import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    square = weight * weight
    shifted = square + weight
    value = shifted * square
slopes = tape.gradient(value, [weight, square, shifted, value])
print([slope.numpy() for slope in slopes])
