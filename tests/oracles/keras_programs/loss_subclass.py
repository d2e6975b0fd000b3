import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


class Tilted(tf.keras.losses.Loss):
    def __init__(self, tau):
        super().__init__(name="tilted")
        self.tau = tau

    def call(self, y_true, y_pred):
        error = y_true - y_pred
        return tf.reduce_mean(tf.maximum(self.tau * error, (self.tau - 1) * error), axis=-1)


loss = Tilted(0.9)
show(loss(tf.constant([[1.0], [2.0]]), tf.constant([[0.0], [4.0]])))
print(loss.name)
