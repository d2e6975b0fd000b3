import numpy as np
import tensorflow as tf


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


kinds = tf.keras.layers
x = tf.reshape(tf.sin(tf.range(24, dtype=tf.float32)), (2, 4, 3))
layer = kinds.TimeDistributed(kinds.Dense(2))
layer(x)
fill(layer)
show(layer(x))
print([v.path for v in layer.weights])
images = tf.reshape(tf.sin(tf.range(96, dtype=tf.float32)), (2, 3, 4, 4, 1))
layer = kinds.TimeDistributed(kinds.Conv2D(1, 3))
layer(images)
fill(layer)
show(layer(images))
norm = kinds.TimeDistributed(kinds.BatchNormalization(momentum=0.5))
show(norm(x, training=True))
for v in norm.weights:
    show(v)
show(norm(x))
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(layer(images) ** 2)
for g in tape.gradient(loss, layer.trainable_variables):
    show(g)
