import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


class Inner(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(1.0, name="w")


class Outer(tf.Module):
    def __init__(self):
        super().__init__(name="outer")
        self.parts = [Inner(), Inner()]
        self.b = tf.Variable(2.0, name="b")
        self.still = tf.Variable(3.0, trainable=False, name="still")


outer = Outer()
print([v.name for v in outer.variables], [v.name for v in outer.trainable_variables])
print(outer.name, len(outer.submodules))
