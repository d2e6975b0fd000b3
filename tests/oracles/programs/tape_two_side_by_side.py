import tensorflow as tf

left = tf.Variable(2.0)
right = tf.Variable(5.0)
with tf.GradientTape() as left_tape, tf.GradientTape() as right_tape:
    product = left * right
    square = product * product
print(left_tape.gradient(product, [left, right]))
print(right_tape.gradient(square, [left, right]))
