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


def distance(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_true - y_pred) * 2.0, axis=-1)


def worst(y_true, y_pred):
    return tf.reduce_max(tf.abs(tf.cast(y_true, tf.float32) - y_pred))


class Scaled(keras.losses.Loss):
    def __init__(self, factor, **options):
        super().__init__(**options)
        self.factor = factor

    def call(self, y_true, y_pred):
        return self.factor * tf.abs(y_true - y_pred)


whole = np.round(y * 3).astype("int32")
for loss in (distance, Scaled(3.0), Scaled(3.0, name="mine")):
    model = regressor()
    model.compile(keras.optimizers.SGD(0.05), loss, metrics=[worst])
    tell(model.fit(x, whole, epochs=2, batch_size=10, shuffle=False, verbose=0).history)
