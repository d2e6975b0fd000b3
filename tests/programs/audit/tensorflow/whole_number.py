"""A counter made of a whole number is asked to learn."""

import tensorflow as tf

tally = tf.Variable(0)
for turn in range(5):
    with tf.GradientTape() as tape:
        cost = tally * 2
    slopes = tape.gradient(cost, [tally])
    descent = tf.keras.optimizers.SGD(learning_rate=0.01)
    descent.apply_gradients(zip(slopes, [tally]))
    if turn % 2 == 0:
        tally.assign(0)
    print(f"turn {turn}: {tally.numpy()}")
