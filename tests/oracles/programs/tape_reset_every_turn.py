import tensorflow as tf

weight = tf.Variable(8.0)
with tf.GradientTape() as tape:
    for turn in range(3):
        tape.reset()
        square = weight * weight
        with tape.stop_recording():
            print(square.numpy())
slope = tape.gradient(square, weight)
print(slope.numpy())
