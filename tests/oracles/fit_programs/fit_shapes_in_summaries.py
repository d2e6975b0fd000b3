import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.second = layers.Dense(2), layers.Dense(1)

    def call(self, x):
        return self.second(self.first(x))


def made(model=None):
    model = Net() if model is None else model
    model.compile("sgd", "mse")
    return model


def row():
    return made(keras.Sequential([layers.Dense(2), layers.Dense(1)]))


def data(**options):
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(4, **options)


def after(model, function):
    function(model)
    model.summary(line_length=60)


x, y = np.ones((8, 3), "float32"), np.ones((8, 1), "float32")
quiet = {"verbose": 0}
for size in (3, 4, 8, 16):
    after(made(), lambda model: model.fit(x, y, batch_size=size, **quiet))
    after(row(), lambda model: model.fit(x, y, batch_size=size, **quiet))
    after(made(), lambda model: model.predict(x, batch_size=size, **quiet))
for options in ({}, {"drop_remainder": True}):
    after(made(), lambda model: model.fit(data(**options), shuffle=False, **quiet))
    after(made(), lambda model: model.evaluate(data(**options), **quiet))
after(made(), lambda model: model.evaluate(x, y, batch_size=4, **quiet))
after(made(), lambda model: model.predict(x[:3], **quiet))
after(made(), lambda model: model.train_on_batch(x, y))
after(made(), lambda model: (model(x), model.fit(x, y, batch_size=3, **quiet)))
after(made(), lambda model: model.fit(x, y, batch_size=4, validation_split=0.5, **quiet))
