import tensorflow as tf

weight = tf.Variable(4.0)
for turn in range(2):
    with tf.GradientTape() as tape:
        square = weight * weight
    slope = tape.gradient(square, weight)
    print(slope)
    weight = weight - 0.25 * slope
