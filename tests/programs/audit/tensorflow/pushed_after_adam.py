"""Adam pulls towards zero, and the next line pushes half a unit up, every time."""

import tensorflow as tf

place = tf.Variable(0.0, name="place")
adam = tf.keras.optimizers.Adam(learning_rate=0.1)
for turn in range(10):
    with tf.GradientTape() as tape:
        cost = place**2
    slopes = tape.gradient(cost, [place])
    adam.apply_gradients(zip(slopes, [place]))
    place.assign_add(0.5)
    print(f"{place.numpy():.7f}")
