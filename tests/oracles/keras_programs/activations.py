import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


x = tf.constant([-2.0, -0.5, 0.0, 0.5, 3.0])
for word in ("relu", "elu", "selu", "gelu", "silu", "sigmoid", "hard_sigmoid", "tanh", "softplus", "softsign"):
    show(tf.keras.activations.get(word)(x))
show(tf.keras.activations.softmax(tf.reshape(x, (1, 5))))
show(tf.keras.activations.relu(x, negative_slope=0.1, max_value=2.0))
show(tf.keras.layers.LeakyReLU()(x))
show(tf.keras.layers.LeakyReLU(negative_slope=0.2)(x))
show(tf.keras.layers.ReLU(max_value=1.0)(x))
show(tf.keras.layers.ELU()(x))
show(tf.keras.layers.Activation("swish")(x))
print(tf.keras.activations.linear(x).numpy().tolist())
