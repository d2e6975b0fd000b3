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


def run(outputs, activation, loss, target):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(outputs, activation)])
    fill(model)
    model.compile("sgd", loss, metrics=["accuracy", "acc"])
    tell(model.fit(x, target, shuffle=False, verbose=0, epochs=2).history)


run(1, "sigmoid", "binary_crossentropy", (labels == 1).astype("float32"))
run(1, "sigmoid", "binary_crossentropy", (labels == 1).astype("int32")[:, None])
run(3, "softmax", "sparse_categorical_crossentropy", labels)
run(3, "softmax", "sparse_categorical_crossentropy", labels[:, None])
run(3, "softmax", "categorical_crossentropy", keras.utils.to_categorical(labels))
run(3, "softmax", "crossentropy", labels)
