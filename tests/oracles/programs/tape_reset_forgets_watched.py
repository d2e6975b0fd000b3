import tensorflow as tf

point = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(point)
    tape.reset()
    square = point * point
print(tape.gradient(square, point))
