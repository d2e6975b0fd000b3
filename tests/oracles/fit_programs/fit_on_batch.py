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
model.compile("sgd", "mse", metrics=["mae"])
show(model.train_on_batch(x[:5], y[:5]))
tell(model.train_on_batch(x[5:10], y[5:10], return_dict=True))
show(model.train_on_batch(x[:5], y[:5], sample_weight=np.array([1, 0, 2, 0, 1.0])))
show(model.test_on_batch(x, y))
show(model.predict_on_batch(x[:2]))
model = classifier()
model.compile("sgd", "sparse_categorical_crossentropy")
show(model.train_on_batch(x, labels, class_weight={0: 2.0, 1: 1.0, 2: 0.0}))
show(model.train_on_batch(tf.constant(x), tf.constant(labels)))
show(model.get_weights()[3])
