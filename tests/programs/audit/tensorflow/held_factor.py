"""One factor of a sum is held; the slope of the other counts both terms."""

import tensorflow as tf

open_one = tf.Variable(2.0, name="open_one")
held = tf.Variable(3.0, name="held")
with tf.GradientTape() as tape:
    area = open_one * open_one + tf.stop_gradient(held) * open_one
slopes = tape.gradient(area, [open_one, held])
print(f"slope {slopes[0].numpy():.1f}, {slopes[1]}")
