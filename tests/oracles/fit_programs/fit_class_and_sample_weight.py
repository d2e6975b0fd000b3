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


model = classifier()
model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"], weighted_metrics=["accuracy"])
tell(model.fit(x, labels, class_weight={0: 1.0, 1: 3.0, 2: 0.5}, shuffle=False, verbose=0, epochs=2).history)
weights = np.linspace(0, 2, 20).astype("float32")
tell(model.fit(x, labels, sample_weight=weights, shuffle=False, verbose=0, batch_size=6).history)
show(model.evaluate(x, labels, sample_weight=weights, verbose=0))
tell(model.fit(x, labels, shuffle=False, verbose=0, validation_data=(x[:6], labels[:6], weights[:6])).history)
show(model.get_weights()[1])
