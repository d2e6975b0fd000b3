import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    square = weight * weight
    print(tape.gradient(square, weight))
    cube = square * weight
    print(tape.gradient(cube, weight))
print(tape.gradient(cube, weight))
