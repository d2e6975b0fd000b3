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


class Told(keras.callbacks.Callback):
    def set_params(self, params):
        super().set_params(params)
        print("params", sorted(params.items(), key=str))

    def on_train_begin(self, logs=None):
        print("train begin", logs)

    def on_train_end(self, logs=None):
        print("train end", sorted(logs))

    def on_epoch_begin(self, epoch, logs=None):
        print("epoch begin", epoch, logs)

    def on_epoch_end(self, epoch, logs=None):
        print("epoch end", epoch, {k: round(v, 4) for k, v in logs.items()})

    def on_train_batch_begin(self, batch, logs=None):
        print("batch begin", batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        print("batch end", batch, {k: round(v, 4) for k, v in logs.items()})

    def on_test_begin(self, logs=None):
        print("test begin", logs)

    def on_test_end(self, logs=None):
        print("test end", {k: round(v, 4) for k, v in logs.items()})

    def on_test_batch_begin(self, batch, logs=None):
        print("test batch begin", batch)

    def on_test_batch_end(self, batch, logs=None):
        print("test batch end", batch, {k: round(v, 4) for k, v in logs.items()})

    def on_predict_begin(self, logs=None):
        print("predict begin")

    def on_predict_batch_end(self, batch, logs=None):
        print("predict batch end", batch, logs["outputs"].shape)

    def on_predict_end(self, logs=None):
        print("predict end")


model = regressor()
model.compile("sgd", "mse", metrics=["mae"])
model.fit(x, y, epochs=2, batch_size=8, shuffle=False, verbose=0, validation_split=0.3, callbacks=[Told()])
model.evaluate(x, y, verbose=0, callbacks=[Told()])
model.predict(x, batch_size=12, verbose=0, callbacks=[Told()])
losses = []
heard = keras.callbacks.LambdaCallback(
    on_train_batch_end=lambda batch, logs: losses.append(round(logs["loss"], 4))
)
model.fit(x, y, batch_size=5, shuffle=False, verbose=0, callbacks=[heard])
print(losses)
