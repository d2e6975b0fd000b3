import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    square = weight * weight
    tape.reset()
    triple = 3.0 * weight
    joined = square + triple
print(tape.gradient(square, weight))
print(tape.gradient(triple, weight))
print(tape.gradient(joined, weight))
