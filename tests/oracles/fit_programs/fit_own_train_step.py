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


class Mine(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.layers.Dense(5, "tanh")
        self.outer = keras.layers.Dense(1)
        self.tracker = keras.metrics.Mean(name="error")
        self.absolute = keras.metrics.MeanAbsoluteError(name="mae")

    def call(self, x, training=None):
        return self.outer(self.inner(x))

    @property
    def metrics(self):
        return [self.tracker, self.absolute]

    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = tf.reduce_mean(tf.square(y - y_pred))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables))
        self.tracker.update_state(loss)
        self.absolute.update_state(y, y_pred)
        return {"error": self.tracker.result(), "mae": self.absolute.result()}

    def test_step(self, data):
        x, y = data
        y_pred = self(x, training=False)
        self.tracker.update_state(tf.reduce_mean(tf.square(y - y_pred)))
        self.absolute.update_state(y, y_pred)
        return {one.name: one.result() for one in self.metrics}


model = Mine()
model.compile(optimizer=keras.optimizers.Adam(0.1))
model(x)
fill(model)
tell(
    model.fit(x, y, epochs=3, batch_size=8, shuffle=False, verbose=0, validation_data=(x[:5], y[:5])).history
)
tell(model.evaluate(x, y, verbose=0, return_dict=True))
show(model.evaluate(x, y, verbose=0))
