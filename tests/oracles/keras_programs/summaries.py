import warnings

import tensorflow as tf

layers, keras = tf.keras.layers, tf.keras

entry = layers.Input((8,))
a, b = layers.Dense(4)(entry), layers.Dense(4)(entry)
joined = layers.Concatenate()([a, b])
total = layers.Add()([joined * 2.0 + 1.0, joined])
shared = layers.Dense(3)
model = keras.Model(entry, [layers.Dense(1)(total[:, 1:]), shared(a), shared(b)])
model.summary()
model.summary(show_trainable=True)
twice = layers.Dense(8)
keras.Model(entry, twice(twice(entry))).summary()
row = keras.Model(entry, keras.ops.relu(twice(entry)) / 2)
row.summary()
print([layer.name for layer in row.layers], layers.Add().name, layers.Multiply().name)
free = keras.Sequential([layers.Dense(2), layers.Dense(3)])
free(tf.zeros((5, 4)))
free.summary(expand_nested=True, line_length=60)
told = keras.Sequential([layers.Input((None, None, 3)), layers.Conv2D(2, 1)])
told(tf.zeros((1, 2, 3, 3)))
told.summary()


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.rest = layers.Dense(3), keras.Sequential([layers.Dense(2), layers.ReLU()])

    def call(self, x):
        return self.rest(self.first(x))


own = Own()
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    own.build((None, 4))
print([str(one.message) for one in told], own.built, len(own.weights))
own.summary()
own(tf.zeros((5, 4)))
own.summary(expand_nested=True)


class Late(keras.Model):
    def build(self, shape):
        self.inner = layers.Dense(3)
        super().build(shape)

    def call(self, x):
        return self.inner(x)


late = Late()
late.build((None, 4))
late.summary()
