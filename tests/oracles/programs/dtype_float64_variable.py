import tensorflow as tf

weight = tf.Variable(2.0, dtype=tf.float64)
with tf.GradientTape() as tape:
    cube = weight**3 * 0.1 + 1
slope = tape.gradient(cube, weight)
print(cube)
print(slope)
weight.assign_sub(0.1 * slope)
print(weight)
