import numpy as np
import tensorflow as tf


def counts(model):
    def shown(text, line_break=None):
        print("\n".join(line for line in text.split("\n") if "params" in line))

    model.summary(print_fn=shown)


def made():
    return tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4), tf.keras.layers.Dense(1)])


x, y = np.ones((4, 3)), np.ones((4, 1))
counts(made())
for optimizer in ("adam", tf.keras.optimizers.SGD(0.1, momentum=0.9), tf.keras.optimizers.Adam(use_ema=True)):
    model = made()
    model.compile(optimizer=optimizer, loss="mse")
    counts(model)
    model.train_on_batch(x, y)
    counts(model)

layers = [tf.keras.layers.BatchNormalization(), tf.keras.layers.Dense(1)]
layers[1].trainable = False
frozen = tf.keras.Sequential([tf.keras.Input((3,)), *layers])
frozen.compile("adagrad", "mse")
frozen.train_on_batch(x, y)
counts(frozen)
