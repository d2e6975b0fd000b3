"""A variational autoencoder whose weight of the divergence grows, and a line of it for validation."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
rng = np.random.default_rng(0)
data = (rng.random((48, 6)) < 0.3).astype(np.float32)


class VAE(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.enc = tf.keras.layers.Dense(8, activation="relu")
        self.heads = tf.keras.layers.Dense(4)
        self.dec = tf.keras.Sequential(
            [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dense(6)]
        )

    def call(self, x, training=False):
        x = self.enc(x)
        mean, logvar = tf.split(self.heads(x), 2, axis=-1)
        z = mean
        if training:
            z = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
        return self.dec(z), mean, logvar


vae = VAE()
beta = tf.Variable(0.0, trainable=False, name="beta")
opt = tf.keras.optimizers.Adam(5e-3)
bce = tf.nn.sigmoid_cross_entropy_with_logits


def losses(x, training):
    out, mean, logvar = vae(x, training=training)
    rec = tf.reduce_mean(tf.reduce_sum(bce(labels=x, logits=out), axis=1))
    kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1.0 + logvar - mean**2 - tf.exp(logvar), axis=1))
    return rec + beta * kl


for epoch in range(3):
    beta.assign(min(1.0, epoch / 2))
    for x in tf.data.Dataset.from_tensor_slices(data[:32]).shuffle(32, seed=0).batch(8):
        with tf.GradientTape() as tape:
            loss = losses(x, True)
        opt.apply_gradients(zip(tape.gradient(loss, vae.trainable_variables), vae.trainable_variables))
    print(epoch, float(loss), float(losses(data[32:], False)))
