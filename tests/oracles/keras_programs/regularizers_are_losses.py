import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


l2 = tf.keras.regularizers.L2(0.1)
layer = tf.keras.layers.Dense(2, kernel_regularizer=l2, bias_regularizer=tf.keras.regularizers.l1(0.01))
x = tf.constant([[1.0, 2.0]])
layer(x)
fill(layer)
print(len(layer.losses))
with tf.GradientTape() as tape:
    total = tf.reduce_sum(layer(x)) + tf.add_n(layer.losses)
for gradient in tape.gradient(total, layer.trainable_variables):
    show(gradient)
show(layer.losses)
