import tensorflow as tf

weight = tf.Variable(3.0)
with tf.GradientTape() as tape:
    square = weight * weight
with tape.stop_recording():
    print(weight.numpy())
