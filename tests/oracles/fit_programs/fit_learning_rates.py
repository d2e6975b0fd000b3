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


model = regressor()
model.compile(keras.optimizers.SGD(0.5), "mse")
plateau = keras.callbacks.ReduceLROnPlateau(
    monitor="loss", factor=0.5, patience=1, min_delta=0.05, verbose=1, min_lr=0.05
)
tell(model.fit(x, y, epochs=8, shuffle=False, verbose=0, callbacks=[plateau]).history)
model = regressor()
model.compile(keras.optimizers.SGD(0.5), "mse")
schedule = keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5, verbose=1)
tell(model.fit(x, y, epochs=3, shuffle=False, verbose=0, callbacks=[schedule]).history)
decay = keras.optimizers.schedules.ExponentialDecay(0.5, 2, 0.5)
model = regressor()
model.compile(keras.optimizers.SGD(decay), "mse")
tell(model.fit(x, y, epochs=3, batch_size=5, shuffle=False, verbose=0).history)
show(model.get_weights()[1])
