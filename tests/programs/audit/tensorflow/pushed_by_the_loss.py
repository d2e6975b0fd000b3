"""The push is a term of the loss, so that Adam knows of it."""

import tensorflow as tf

place = tf.Variable(0.0, name="place")
adam = tf.keras.optimizers.Adam(learning_rate=0.1)
for turn in range(10):
    with tf.GradientTape() as tape:
        pull = place**2
        push = -3.0 * place
        cost = pull + push
    slopes = tape.gradient(cost, [place])
    adam.apply_gradients(zip(slopes, [place]))
print(f"{place.numpy():.7f}")
