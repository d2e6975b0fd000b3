import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
draws = np.random.RandomState(0)
x, y = draws.randn(40, 6).astype("float32"), draws.randint(0, 3, 40)


def shown(history):
    return {name: [round(float(one), 4) for one in values] for name, values in history.history.items()}


keras.utils.set_random_seed(812)
model = keras.Sequential([layers.Dense(16, "relu"), layers.Dropout(0.4), layers.Dense(3, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
print(shown(model.fit(x, y, epochs=3, batch_size=8, validation_split=0.2, verbose=0)))
print(shown(model.fit(x, y, epochs=2, batch_size=16, verbose=0, shuffle="batch")))
print(np.round(model.predict(x[:2], verbose=0), 4).tolist())

keras.utils.set_random_seed(1)
inputs = keras.Input((6,))
hidden = layers.GaussianNoise(0.2)(layers.Dense(8, "selu", kernel_initializer="lecun_normal")(inputs))
hidden = layers.AlphaDropout(0.2)(layers.BatchNormalization()(hidden))
model = keras.Model(inputs, layers.Dense(1, kernel_initializer="orthogonal")(hidden))
model.compile(keras.optimizers.SGD(0.05, 0.9), "mse")
rows = tf.data.Dataset.from_tensor_slices((x, y.astype("float32"))).shuffle(13, seed=2).batch(8)
print(shown(model.fit(rows, epochs=3, verbose=0, shuffle=False)))
