"""The same slope, without asking for that of the factor which is held."""

import tensorflow as tf

open_one = tf.Variable(2.0, name="open_one")
held = tf.Variable(3.0, name="held")
with tf.GradientTape() as tape:
    area = open_one * open_one + tf.stop_gradient(held) * open_one
print(f"slope {tape.gradient(area, open_one).numpy():.1f}")
