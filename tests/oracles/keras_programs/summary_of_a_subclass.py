import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.a = tf.keras.layers.Dense(30)
        self.norm = tf.keras.layers.BatchNormalization()

    def call(self, x):
        return self.norm(self.a(x))


net = Net()
net(tf.zeros((2, 40)))
net.summary()
