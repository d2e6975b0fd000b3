import numpy as np
import tensorflow as tf

x = np.cos(np.arange(24.0)).reshape(8, 3).astype("float32")
y = x.sum(1)


def own(y_true, y_pred):
    return tf.reduce_mean(tf.square(y_pred - y_true))


def per_example(y_true, y_pred):
    return tf.abs(y_pred - y_true)[:, 0]


class Own(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        return tf.reduce_mean(tf.abs(tf.expand_dims(y_true, 1) - y_pred), -1)


def distance(y_true, y_pred):
    return tf.abs(tf.expand_dims(y_true, 1) - y_pred)


tf.keras.utils.set_random_seed(1)
for loss, metrics in ((own, []), (per_example, ["mae"]), (Own(), [distance]), (tf.keras.losses.Huber(), ["mse"])):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", loss, metrics=metrics)
    print(np.round(model.fit(x, y, batch_size=4, epochs=2, shuffle=False, verbose=0).history["loss"], 5).tolist())
    print(np.round(model.evaluate(x, y, batch_size=3, verbose=0), 5).tolist())
wide = tf.keras.Sequential([tf.keras.Input((4, 3)), tf.keras.layers.Dense(1)])
wide.compile("sgd", lambda t, p: tf.reduce_mean(tf.square(p - t), -1))
print(np.round(wide.fit(x[:, None] * np.ones((1, 4, 1), "float32"), np.ones((8, 4)), verbose=0).history["loss"], 5).tolist())
model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(1)])
model.compile("sgd", [own])
print(round(model.train_on_batch(x, y), 5))
inputs = tf.keras.Input((3,))
outputs = {"a": tf.keras.layers.Dense(1, name="a")(inputs), "b": tf.keras.layers.Dense(2, name="b")(inputs)}
both = tf.keras.Model(inputs, outputs)
both.compile("sgd", {"a": own, "b": "mse"})
print(np.round(both.train_on_batch(x, {"a": y, "b": x[:, :2]}), 5).tolist())
