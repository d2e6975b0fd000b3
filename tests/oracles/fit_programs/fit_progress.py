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


import contextlib
import io
import re


def printed(function):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        function()
    text = out.getvalue()
    # Drawings between the first and the last depend on the time.
    text = re.sub(r"[\d.]+(ms|us|s)(/step)?", "#", text)
    for line in text.split("\n"):
        print(
            repr(
                line.split("\r")[0].replace("\b", "") + "|" + line.split("\r")[-1].replace("\b", "").rstrip()
            )
        )


model = regressor()
model.compile("sgd", "mse", metrics=["mae"])
printed(lambda: model.fit(x, y, batch_size=5, epochs=2, shuffle=False, validation_split=0.2))
printed(lambda: model.fit(x, y, batch_size=5, epochs=1, shuffle=False, verbose=2))
printed(lambda: model.fit(x, y, batch_size=5, epochs=2, shuffle=False, verbose=2))
printed(lambda: model.evaluate(x, y))
printed(lambda: model.evaluate(x, y, verbose=2))
printed(lambda: model.predict(x))
printed(lambda: model.fit(x, y, verbose=0))
