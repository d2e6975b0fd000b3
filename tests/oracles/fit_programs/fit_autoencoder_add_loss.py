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


class Penalty(keras.layers.Layer):
    def call(self, inputs):
        self.add_loss(0.1 * tf.reduce_sum(tf.square(inputs)))
        return inputs


inputs = keras.Input((4,))
middle = Penalty()(keras.layers.Dense(2, kernel_regularizer=keras.regularizers.L2(0.01))(inputs))
model = keras.Model(inputs, keras.layers.Dense(4, activity_regularizer=keras.regularizers.L1(0.01))(middle))
fill(model)
model.compile("sgd", "mse", metrics=["mse"])
tell(model.fit(x, x, epochs=3, batch_size=10, shuffle=False, verbose=0).history)
show(model.evaluate(x, x, verbose=0))
print(len(model.losses))
