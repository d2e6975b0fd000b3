import numpy as np
import tensorflow as tf

keras = tf.keras
K = keras.backend


class Noisy(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, x, training=None):
        print("called", training)
        return self.inner(x) + K.random_normal((2, 2))


class OwnStep(Noisy):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        return {"loss": loss}


x, y = np.ones((4, 3), "float32"), np.ones((4, 2), "float32")


def made(kind, **options):
    np.random.seed(0)
    print("--", kind.__name__, options)
    model = kind()
    model.compile("sgd", "mse", **options)
    return model


for kind in (Noisy, OwnStep):
    for options in ({}, {"run_eagerly": True}):
        model = made(kind, **options)
        history = model.fit(x, y, batch_size=2, epochs=2, verbose=0, shuffle=False)
        print(np.round(history.history["loss"], 4).tolist(), np.random.randint(1000))

model = made(Noisy)
print(np.round(model.predict(x, batch_size=2, verbose=0), 4).tolist(), np.random.randint(1000))
model = made(Noisy)
print(round(model.evaluate(x, y, batch_size=2, verbose=0), 4), np.random.randint(1000))
model = made(Noisy)
print(round(float(model.train_on_batch(x[:2], y[:2])), 4), np.random.randint(1000))
