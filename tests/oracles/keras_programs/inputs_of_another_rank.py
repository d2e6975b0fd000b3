import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers
ones = {"kernel_initializer": "ones"}
row = keras.Sequential([keras.Input((1,)), layers.Dense(2, **ones)])
print(row(tf.constant([1.0, 2.0])).shape, row(tf.ones((3, 1, 1))).shape)
row.compile("sgd", "mse")
row.fit(np.arange(4.0), np.ones((4, 2)), verbose=0)
print(row.predict(np.arange(3.0), verbose=0).shape)
late = keras.Sequential([layers.Dense(2, **ones)])
late.compile("sgd", "mse")
late.fit(np.ones((4, 1)), np.ones((4, 2)), verbose=0)
late.summary()
print(late.predict(np.arange(3.0), verbose=0).shape)
entry = keras.Input((3,))
model = keras.Model(entry, layers.Dense(2, **ones)(entry))
print(model(tf.ones((5, 3, 1))).shape)
images = keras.Sequential([layers.Input((4, 4, 1)), layers.Conv2D(2, 3)])
print(images(tf.ones((2, 4, 4))).shape)
for wrong in (lambda: model(tf.ones((5,))), lambda: images(tf.ones((4, 4))), lambda: model(tf.ones((2, 3, 2)))):
    try:
        wrong()
    except ValueError as error:
        print(type(error).__name__ != "TypeError")


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.rest = layers.Dense(3), keras.Sequential([layers.Dense(2), layers.ReLU()])

    def call(self, x):
        return self.rest(self.first(x))


own = Own()
own.compile("sgd", "mse")
own.fit(np.ones((4, 5)), np.ones((4, 2)), verbose=0)
own.summary(expand_nested=True)
other = Own()
other.compile("sgd", "mse")
other.predict(np.ones((4, 5)), verbose=0)
other.summary()
third = Own()
third.compile("sgd", "mse")
third.evaluate(np.ones((4, 5)), np.ones((4, 2)), verbose=0)
third.summary()
