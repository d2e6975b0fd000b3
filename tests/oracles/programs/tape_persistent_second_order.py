import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    cube = weight**3
    first = tape.gradient(cube, weight)
print(first.numpy())
print(tape.gradient(first, weight).numpy())
