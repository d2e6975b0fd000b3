import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


class VAE(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = tf.keras.Sequential([tf.keras.layers.Dense(5, activation="tanh"), tf.keras.layers.Dense(4)])
        self.decoder = tf.keras.Sequential([tf.keras.layers.Dense(5, activation="tanh"), tf.keras.layers.Dense(3)])

    def call(self, x, noise):
        mean, log_variance = tf.split(self.encoder(x), 2, axis=1)
        z = mean + tf.exp(0.5 * log_variance) * noise
        divergence = -0.5 * tf.reduce_sum(1 + log_variance - mean**2 - tf.exp(log_variance), axis=1)
        self.add_loss(tf.reduce_mean(divergence))
        return self.decoder(z)


model = VAE()
x = tf.reshape(tf.sin(tf.range(12, dtype=tf.float32)), (4, 3))
noise = tf.reshape(tf.cos(tf.range(8, dtype=tf.float32)), (4, 2))
model(x, noise)
fill(model)
optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
for step in range(5):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, noise) - x) ** 2) + sum(model.losses)
    gradients = tape.gradient(loss, model.trainable_weights)
    optimizer.apply_gradients(zip(gradients, model.trainable_weights))
    show(loss)
print([v.path for v in model.trainable_weights][::2])
