import tensorflow as tf

left = tf.Variable(2.0)
right = tf.Variable(5.0)
with tf.GradientTape(persistent=True) as tape:
    product = left * right
print(tape.gradient(product, left))
print(tape.gradient(product, [left, right]))
print(tape.gradient(product, (left, right)))
print(tape.gradient(product, {"right": right, "left": left}))
print(tape.gradient(product, [left, {"inner": (right, left)}]))
print(tape.gradient(product, []))
print(tape.gradient(product, [left, left]))
