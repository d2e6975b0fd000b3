import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = layers.Dense(4), layers.Dense(6)
        self.seeds = keras.random.SeedGenerator(1337)

    def call(self, x):
        mean, spread = tf.split(self.encoder(x), 2, axis=1)
        noise = keras.random.normal(tf.shape(mean), seed=self.seeds)
        made = self.decoder(mean + tf.exp(0.5 * spread) * noise)
        return made + 0.1 * tf.random.normal(tf.shape(x)) + 0.1 * tf.random.uniform(tf.shape(x), seed=4)


keras.utils.set_random_seed(5)
x = np.random.randn(24, 6).astype("float32")
model = Autoencoder()
model.compile("adam", "mse")
for _ in range(2):
    history = model.fit(x, x, epochs=2, batch_size=8, validation_split=0.25, verbose=0)
    print({name: [round(float(one), 4) for one in values] for name, values in history.history.items()})
print(np.round(model.predict(x[:1], verbose=0), 4).tolist(), round(float(model.evaluate(x, x, verbose=0)), 4))
print(round(float(model.train_on_batch(x[:8], x[:8])), 4))
