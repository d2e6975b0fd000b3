import tensorflow as tf

layers, keras = tf.keras.layers, tf.keras


def at(what):
    entry = layers.Input((3,))
    print(what, keras.Model(entry, layers.Dense(1)(entry)).name, entry.name)


at("first")
row = keras.Sequential()
row.add(layers.Input((3,)))
at("an input alone")
row.add(layers.Dense(1))
at("one layer")
row.add(layers.Dense(1))
at("two layers")
keras.Sequential([layers.Input((3,)), layers.Dense(2), layers.Dense(1)])
at("a list")
row = keras.Sequential([layers.Dense(2), layers.Dense(1)])
at("not built")
row.build((None, 3))
at("built")
row = keras.Sequential([layers.Dense(2), layers.Dense(1)])
row(tf.zeros((2, 3)))
at("called")
row.add(layers.Dense(3))
at("with one more")
row(tf.zeros((2, 3)))
at("called again")
row = keras.Sequential([layers.Input((3,)), layers.Dense(2), layers.Dense(1)])
row.pop()
at("with one less")


class Own(layers.Layer):
    def build(self, shape):
        self.a, self.b = self.add_weight(shape=(1,)), self.add_weight(shape=(1,))

    def call(self, x):
        return x * self.a + self.b


own = Own()
own(tf.zeros((1, 1)))
print([weight.path for weight in own.weights], layers.Add().name, (entry := layers.Input((1,))) is not None)
print((entry + 1.0) is not None, layers.Add().name)
