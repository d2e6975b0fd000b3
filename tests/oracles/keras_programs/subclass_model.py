import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = tf.keras.layers.Dense(3, activation="relu")
        self.rest = [tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)]

    def call(self, x):
        x = self.first(x)
        for layer in self.rest:
            x = layer(x)
        return x


net = Net()
net(tf.zeros((1, 2)))
fill(net)
for variable in net.trainable_variables:
    print(variable.path, variable.shape)
show(net(tf.constant([[1.0, 2.0]])))
print(net.name, net.built, len(net.layers), net)
