import tensorflow as tf

left = tf.Variable(2.0)
right = tf.Variable(5.0)
with tf.GradientTape(persistent=True) as tape:
    product = left * right
    square = left * left
print(tape.gradient([product, square], [left, right]))
print(tape.gradient({"product": product, "square": square}, left))
print(tape.gradient((product, product), left))
print(tape.gradient([product, tf.constant(1.0)], left))
