"""A critic with a penalty on its slope between real and generated data."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
generator = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(2)])
critic = tf.keras.Sequential([tf.keras.layers.Dense(8, activation="tanh"), tf.keras.layers.Dense(1)])
g_opt, c_opt = [tf.keras.optimizers.Adam(1e-3, beta_1=0.5) for _ in range(2)]


@tf.function
def critic_step(real, z):
    with tf.GradientTape() as tape:
        fake = generator(z, training=True)
        t = tf.random.uniform([tf.shape(real)[0], 1])
        between = t * real + (1.0 - t) * fake
        with tf.GradientTape() as inner:
            inner.watch(between)
            score = critic(between)
        slope = inner.gradient(score, between)
        norm = tf.sqrt(tf.reduce_sum(tf.square(slope), axis=1) + 1e-8)
        penalty = tf.reduce_mean((norm - 1.0) ** 2)
        loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty
    grads = tape.gradient(loss, critic.trainable_variables)
    c_opt.apply_gradients(zip(grads, critic.trainable_variables))
    return loss


@tf.function
def generator_step(z):
    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(critic(generator(z, training=True)))
    grads = tape.gradient(loss, generator.trainable_variables)
    g_opt.apply_gradients(zip(grads, generator.trainable_variables))
    return loss


for step in range(4):
    for _ in range(2):
        real = tf.constant(rng.normal(2.0, 1.0, (8, 2)).astype(np.float32))
        c = critic_step(real, tf.random.normal([8, 3]))
    g = generator_step(tf.random.normal([8, 3]))
print(float(c), float(g))
