"""Bootstrap your own latent: a predictor, a slow copy as the target, no negatives."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(1)
rng = np.random.default_rng(1)


def encoder():
    return tf.keras.Sequential(
        [
            tf.keras.layers.Dense(8),
            tf.keras.layers.BatchNormalization(),
            tf.keras.layers.ReLU(),
            tf.keras.layers.Dense(4),
        ]
    )


online, slow, predictor = encoder(), encoder(), tf.keras.layers.Dense(4)
opt = tf.keras.optimizers.Adam(1e-2)


def distance(p, z):
    p, z = tf.math.l2_normalize(p, axis=1), tf.math.l2_normalize(z, axis=1)
    return 2.0 - 2.0 * tf.reduce_mean(tf.reduce_sum(p * z, axis=1))


x = tf.constant(rng.standard_normal((16, 5)).astype(np.float32))
online(x), slow(x)
slow.set_weights(online.get_weights())
for step in range(5):
    a = x + tf.random.normal(x.shape, stddev=0.1)
    b = x + tf.random.normal(x.shape, stddev=0.1)
    with tf.GradientTape() as tape:
        pa, pb = predictor(online(a, training=True)), predictor(online(b, training=True))
        za, zb = tf.stop_gradient(slow(a, training=True)), tf.stop_gradient(slow(b, training=True))
        loss = distance(pa, zb) + distance(pb, za)
    variables = online.trainable_variables + predictor.trainable_variables
    opt.apply_gradients(zip(tape.gradient(loss, variables), variables))
    for s, o in zip(slow.trainable_variables, online.trainable_variables):
        s.assign(0.99 * s + 0.01 * o)
print(float(loss))
