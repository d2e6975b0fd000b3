"""Layers are let go from the top, one at a time; every phase has an optimizer of its own."""

import numpy as np
import tensorflow as tf

tf.random.set_seed(0)
x = tf.random.normal([16, 4])
y = tf.reduce_sum(x, axis=1, keepdims=True)
layers = [tf.keras.layers.Dense(6, activation="relu", name=f"block{i}") for i in range(3)]
head = tf.keras.layers.Dense(1, name="head")
model = tf.keras.Sequential(layers + [head])
model(x)
for layer in layers:
    layer.trainable = False
for phase in range(4):
    if phase:
        layers[-phase].trainable = True
    optimizer = tf.keras.optimizers.Adam(1e-2 / (phase + 1))
    for step in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print(phase, len(model.trainable_variables), float(loss))
