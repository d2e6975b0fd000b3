import numpy as np
import tensorflow as tf

keras, layers = tf.keras, tf.keras.layers


class Plain(layers.Layer):
    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1], 2), name="w")

    def call(self, x):
        return x @ self.w


class Told(Plain):
    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 2)


class Unbuilt(layers.Layer):
    def call(self, x):
        return x * 2.0


class Holds(layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = layers.Dense(2)

    def call(self, x):
        return self.inner(x)


class MyDense(layers.Dense):
    pass


class Small(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = layers.Dense(2)

    def call(self, x):
        return self.inner(x)


class Whole(keras.Model):
    def __init__(self):
        super().__init__()
        self.plain, self.told, self.unbuilt = Plain(), Told(), Unbuilt()
        self.holds, self.mine, self.small = Holds(), MyDense(3), Small()
        self.row = keras.Sequential([layers.Dense(2), Plain()])
        entry = keras.Input((2,))
        self.graph = keras.Model(entry, Plain()(entry))
        self.twice = layers.Dense(2)
        self.double = layers.Lambda(lambda x: x * 2)
        self.drop = layers.Dropout(0.5)
        self.flat = layers.Flatten()
        self.two = layers.Concatenate()
        self.rnn = layers.LSTM(2)

    def call(self, x):
        x = self.twice(self.plain(x))
        x = self.unbuilt(self.told(x))
        x = self.small(self.mine(self.holds(x)))
        x = self.double(self.graph(self.row(self.twice(x))))
        x = self.two([x, x])
        return self.rnn(self.flat(self.drop(x))[:, None])


x = np.ones((6, 3), "float32")
model = Whole()
model.summary()
model(x)
model.summary()
model = Whole()
model.compile("sgd", "mse")
model.fit(x, np.ones((6, 2)), verbose=0)
model.summary(expand_nested=True)
model = Whole()
model.build((None, 3))
model.summary()
row = keras.Sequential([Plain(), Told(), Unbuilt(), Small()])
row.summary()
row(x)
row.summary()
row = keras.Sequential([keras.Input((3,)), Plain(), Unbuilt(), Holds()])
row.summary()
for one in (Plain(), Told(), Unbuilt(), Holds(), MyDense(2)):
    try:
        print(one.compute_output_shape((4, 3)))
    except NotImplementedError as error:
        print(str(error).split(". ")[0])


class Pictures(keras.Model):
    def __init__(self):
        super().__init__()
        self.row = [
            layers.Conv2D(2, 3), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
            layers.SpatialDropout2D(0.5), layers.Activation("tanh"), layers.ZeroPadding2D(1), layers.LeakyReLU(),
            layers.AveragePooling2D(2), layers.UpSampling2D(), layers.GlobalAveragePooling2D(), layers.ELU(),
            layers.Reshape((2, 1)), layers.GaussianNoise(0.1), layers.Permute((2, 1)), layers.Softmax(),
            layers.Masking(), layers.LayerNormalization(), layers.GlobalMaxPooling1D(), layers.RepeatVector(2),
            layers.PReLU(), layers.UnitNormalization(), layers.Identity(), layers.ActivityRegularization(0.1),
            layers.GaussianDropout(0.1), layers.AlphaDropout(0.1), layers.Flatten(), layers.Dense(1),
        ]  # fmt: skip

    def call(self, x):
        for one in self.row:
            x = one(x)
        return x


pictures = Pictures()
print([one.name for one in pictures.row if one.built])
pictures.compile("sgd", "mse")
pictures.fit(np.ones((2, 8, 8, 1), "float32"), np.ones((2, 1), "float32"), verbose=0)
pictures.summary()


class Built(layers.Dropout):
    def build(self, input_shape):
        self.w = self.add_weight(shape=(input_shape[-1],), name="w")

    def call(self, x):
        return x * self.w


own = Built(0.5)
print(own.built)
own(x)
print(own.built, len(own.weights), layers.Dropout(0.5).built)
