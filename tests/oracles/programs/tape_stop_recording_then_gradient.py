import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape() as tape:
    square = weight * weight
    with tape.stop_recording():
        slope = tape.gradient(square, weight)
        weight.assign_sub(0.5 * slope)
print(slope.numpy(), weight.numpy())
