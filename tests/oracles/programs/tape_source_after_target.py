import tensorflow as tf

weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    square = weight * weight
    cube = square * weight
print(tape.gradient(square, cube))
