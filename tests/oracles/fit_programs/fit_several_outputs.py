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


first = keras.Input((4,), name="first")
second = keras.Input((2,), name="second")
joined = keras.layers.Concatenate()([first, second])
price = keras.layers.Dense(1, name="price")(joined)
kind = keras.layers.Dense(3, "softmax", name="kind")(joined)
model = keras.Model([first, second], [price, kind])
x2 = x[:, :2] * 2


def run(x, target, more=None, **options):
    fill(model)
    model.compile(keras.optimizers.SGD(0.1), **options)
    tell(model.fit(x, target, epochs=2, batch_size=8, shuffle=False, verbose=0, **(more or {})).history)


print(model.output_names)
run([x, x2], [y, labels], loss=["mse", "sparse_categorical_crossentropy"], loss_weights=[1.0, 0.2])
run(
    {"first": x, "second": x2},
    {"price": y, "kind": labels},
    loss={"price": "mse", "kind": "sparse_categorical_crossentropy"},
    loss_weights={"price": 2.0, "kind": 0.5},
    metrics={"price": ["mae"], "kind": "accuracy"},
)
run(
    [x, x2],
    [y, labels],
    more={"sample_weight": np.linspace(0, 1, 20).astype("float32")},
    loss=["mae", "sparse_categorical_crossentropy"],
    metrics=[["mse"], ["accuracy"]],
    weighted_metrics=[None, ["accuracy"]],
)
show(model.evaluate([x, x2], [y, labels], verbose=0))
a, b = model.predict([x[:2], x2[:2]], verbose=0)
show(a)
show(b)
