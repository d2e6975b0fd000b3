"""A GAN with batch normalisation; samples are drawn in inference mode at the end."""

import tensorflow as tf

tf.random.set_seed(3)
layers = tf.keras.layers
maker = tf.keras.Sequential([layers.Dense(8), layers.BatchNormalization(), layers.Dense(2)])
judge = tf.keras.Sequential([layers.Dense(8, activation="relu"), layers.Dense(1)])
making, judging = tf.keras.optimizers.Adam(0.01), tf.keras.optimizers.Adam(0.01)
cross = tf.keras.losses.BinaryCrossentropy(from_logits=True)
for _ in range(5):
    noise, real = tf.random.normal([8, 3]), tf.random.normal([8, 2]) + 2.0
    with tf.GradientTape() as first, tf.GradientTape() as second:
        fake = maker(noise, training=True)
        good, bad = judge(real, training=True), judge(fake, training=True)
        judged = cross(tf.ones_like(good), good) + cross(tf.zeros_like(bad), bad)
        made = cross(tf.ones_like(bad), bad)
    judge_slopes = first.gradient(judged, judge.trainable_variables)
    maker_slopes = second.gradient(made, maker.trainable_variables)
    judging.apply_gradients(zip(judge_slopes, judge.trainable_variables))
    making.apply_gradients(zip(maker_slopes, maker.trainable_variables))
print(maker(tf.random.normal([4, 3]), training=False).numpy().mean())
