import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers


class Look(layers.Layer):
    def call(self, x):
        self.seen = x.dtype
        return x / 2.0 if x.dtype.is_floating else x


class Scale(layers.Layer):
    @tf.function
    def call(self, x):
        return x / 255.0


def row(*first):
    look = Look()
    return keras.Sequential([*first, look]), look


def graph(**options):
    entry, look = keras.Input((3,), **options), Look()
    return keras.Model(entry, look(entry)), look


for dtype in ("uint8", "int64", "float64", "float32"):
    x = np.arange(6, dtype=dtype).reshape(2, 3)
    for model, look in (row(), row(keras.Input((3,))), graph(), graph(dtype="int32"), graph(dtype="float16")):
        found = model(x)
        print(dtype, look.seen, found.dtype, found.numpy().tolist())
        model(tf.constant(x))
        print(look.seen)
    entry = keras.Input((3,))
    print(keras.Model(entry, entry * 2.5)(x).numpy().tolist())

pictures = np.arange(24, dtype="uint8").reshape(6, 4)
entry = keras.Input((4,))
model = keras.Model(entry, layers.Dense(1, kernel_initializer="ones")(Scale()(entry)))
model.compile("sgd", "mse")
model.fit(pictures, np.ones((6, 1)), batch_size=4, shuffle=False, verbose=0)
print(model.predict(pictures, verbose=0).round(4).tolist())

rows = keras.Sequential([layers.Embedding(5, 2, embeddings_initializer="ones"), layers.Flatten()])
print(rows(np.array([[1, 2], [3, 4]])).numpy().tolist())
entry = keras.Input((2,))
print(keras.Model(entry, layers.Embedding(5, 2, embeddings_initializer="ones")(entry))(np.array([[1, 4]])).shape)
keras.mixed_precision.set_global_policy("mixed_float16")
for model, look in (row(), row(keras.Input((3,))), graph()):
    model(np.arange(3, dtype="uint8")[None])
    print(look.seen)
keras.mixed_precision.set_global_policy("float32")
