import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend, layers

keras.utils.set_random_seed(1)


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, spread = inputs
        return mean + tf.exp(0.5 * spread) * backend.random_normal(shape=tf.shape(mean))


inputs = keras.Input((6,))
hidden = layers.Dense(5, activation="relu")(inputs)
mean, spread = layers.Dense(2)(hidden), layers.Dense(2)(hidden)
encoder = keras.Model(inputs, [mean, spread, Sampling()([mean, spread])])
code = keras.Input((2,))
decoder = keras.Model(code, layers.Dense(6)(code))


class Autoencoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.total = keras.metrics.Mean(name="loss")

    @property
    def metrics(self):
        return [self.total]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, spread, z = self.encoder(data)
            rest = tf.reduce_mean((data - self.decoder(z)) ** 2)
            loss = rest - 0.5 * tf.reduce_mean(1 + spread - mean * mean - tf.exp(spread))
        found = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(found, self.trainable_weights))
        self.total.update_state(loss)
        return {"loss": self.total.result()}


rows = np.random.RandomState(0).rand(24, 6).astype("float32")
model = Autoencoder()
model.compile(optimizer=keras.optimizers.Adam(0.01))
print(model.fit(rows, epochs=3, batch_size=8, verbose=0).history)
print(np.random.rand())

first, second = keras.optimizers.Adam(0.1), keras.optimizers.SGD(0.1, momentum=0.9)
a, b = tf.Variable([1.0, 2.0]), tf.Variable([3.0])


@tf.function
def both(x):
    with tf.GradientTape(persistent=True) as tape:
        left = tf.reduce_sum((a + x * backend.random_normal((2,))) ** 2)
        right = tf.reduce_sum((b + x * backend.random_uniform((1,))) ** 2)
    first.apply_gradients([(tape.gradient(left, a), a)])
    noise = backend.random_normal((1,))
    second.apply_gradients([(tape.gradient(right, b) + noise, b)])
    return left + right


@tf.function
def once(x):
    return x + backend.random_normal((2,))


for one in (0.5, 1.0, 1.5):
    print(both(tf.constant(one)).numpy(), a.numpy(), b.numpy())
print(np.random.rand())
print(once(tf.constant(1.0)).numpy(), once(tf.constant(2.0)).numpy(), np.random.rand())
