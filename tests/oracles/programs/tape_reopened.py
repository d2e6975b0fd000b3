import tensorflow as tf

weight = tf.Variable(3.0)
tape = tf.GradientTape(persistent=True)
with tape:
    square = weight * weight
with tape:
    cube = weight * weight * weight
print(tape.gradient(cube, weight))
print(tape.gradient(square, weight))
