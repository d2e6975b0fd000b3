"""A gradient clipped by value and applied; then the next line takes a tenth off."""

import tensorflow as tf

height = tf.Variable(1.0, name="height")
descent = tf.keras.optimizers.SGD(learning_rate=0.01)
for turn in range(10):
    with tf.GradientTape() as tape:
        cost = height**2
    slopes = tape.gradient(cost, [height])
    slopes = [tf.clip_by_value(slope, -0.5, 0.5) for slope in slopes]
    descent.apply_gradients(zip(slopes, [height]))
    height.assign_sub(0.1)
    print(f"{height.numpy():.7f}")
