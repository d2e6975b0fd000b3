import numpy as np
import tensorflow as tf

keras = tf.keras


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def tell(logs):
    for name in logs:
        print(name, np.round(np.asarray(logs[name], dtype=np.float64), 4).tolist())


def fill(model):
    model.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in model.get_weights()])


x = np.sin(np.arange(80) * 1.7).reshape(20, 4).astype("float32")
y = (x[:, :1] * 0.5 - x[:, 1:2]).astype("float32")
labels = (np.arange(20) % 3).astype("int64")


def regressor():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(5, "tanh"), keras.layers.Dense(1)])
    fill(model)
    return model


def classifier():
    model = keras.Sequential(
        [keras.Input((4,)), keras.layers.Dense(5, "tanh"), keras.layers.Dense(3, "softmax")]
    )
    fill(model)
    return model


class Gan(keras.Model):
    def __init__(self, generator, critic):
        super().__init__()
        self.generator, self.critic = generator, critic
        self.noise = tf.constant(np.cos(np.arange(40)).reshape(20, 2), tf.float32)

    def compile(self, g_optimizer, c_optimizer, loss):
        super().compile()
        self.g_optimizer, self.c_optimizer, self.loss_fn = g_optimizer, c_optimizer, loss
        self.g_loss, self.c_loss = keras.metrics.Mean(name="g_loss"), keras.metrics.Mean(name="c_loss")

    @property
    def metrics(self):
        return [self.g_loss, self.c_loss]

    def train_step(self, real):
        n = tf.shape(real)[0]
        noise = self.noise[:n]
        fake = self.generator(noise)
        both = tf.concat([fake, real], axis=0)
        target = tf.concat([tf.ones((n, 1)), tf.zeros((n, 1))], axis=0)
        with tf.GradientTape() as tape:
            c_loss = self.loss_fn(target, self.critic(both))
        found = tape.gradient(c_loss, self.critic.trainable_weights)
        self.c_optimizer.apply_gradients(zip(found, self.critic.trainable_weights))
        with tf.GradientTape() as tape:
            g_loss = self.loss_fn(tf.zeros((n, 1)), self.critic(self.generator(noise)))
        found = tape.gradient(g_loss, self.generator.trainable_weights)
        self.g_optimizer.apply_gradients(zip(found, self.generator.trainable_weights))
        self.c_loss.update_state(c_loss)
        self.g_loss.update_state(g_loss)
        return {"c_loss": self.c_loss.result(), "g_loss": self.g_loss.result()}


generator = keras.Sequential([keras.Input((2,)), keras.layers.Dense(6, "relu"), keras.layers.Dense(4)])
critic = keras.Sequential(
    [keras.Input((4,)), keras.layers.Dense(6), keras.layers.LeakyReLU(), keras.layers.Dense(1)]
)
fill(generator)
fill(critic)
gan = Gan(generator, critic)
gan.compile(
    keras.optimizers.Adam(0.01),
    keras.optimizers.Adam(0.02),
    keras.losses.BinaryCrossentropy(from_logits=True),
)
tell(gan.fit(x, epochs=4, batch_size=10, shuffle=False, verbose=0).history)
show(generator.get_weights()[0])
