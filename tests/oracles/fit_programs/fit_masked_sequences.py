import numpy as np
import tensorflow as tf

keras = tf.keras


def tell(logs):
    for name in logs:
        print(name, np.round(np.asarray(logs[name], dtype=np.float64), 4).tolist())


def fill(model):
    model.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in model.get_weights()])


words = np.array([[1, 2, 3, 0], [4, 1, 0, 0], [2, 2, 4, 1], [3, 0, 0, 0]])
tags = np.array([[0, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 0, 0]])
model = keras.Sequential(
    [
        keras.Input((4,), dtype="int32"),
        keras.layers.Embedding(5, 3, mask_zero=True),
        keras.layers.LSTM(3, return_sequences=True),
        keras.layers.Dense(2, "softmax"),
    ]
)
fill(model)
model.compile(keras.optimizers.SGD(0.5), "sparse_categorical_crossentropy", metrics=["accuracy"])
tell(model.fit(words, tags, epochs=2, batch_size=2, shuffle=False, verbose=0).history)
tell(model.evaluate(words, tags, verbose=0, return_dict=True))
last = keras.Sequential([keras.Input((4,), dtype="int32"), keras.layers.Embedding(5, 3), keras.layers.GRU(2)])
fill(last)
last.compile("sgd", "mse")
tell(last.fit(words, words[:, :2] / 4, epochs=2, shuffle=False, verbose=0).history)
