"""Hashing gives Keras' numbers, and Discretization takes Keras' bounds from data."""

import numpy as np
import tensorflow as tf

words = [["A"], ["B"], ["C"], ["D"], ["E"], ["a longer word of many letters, and more"]]
layers = tf.keras.layers
print(layers.Hashing(num_bins=3)(words).numpy().ravel())
print(layers.Hashing(num_bins=1000)(words).numpy().ravel())
print(layers.Hashing(num_bins=7, mask_value="A")(words).numpy().ravel())
print(layers.Hashing(num_bins=50, salt=133)(words).numpy().ravel())
print(layers.Hashing(num_bins=50, salt=[133, 137])(words).numpy().ravel())
print(layers.Hashing(num_bins=50)(np.array([[1, 25], [3000, -4]])).numpy())
print(layers.Hashing(num_bins=3, output_mode="one_hot")(tf.constant(["A", "B"])).numpy())

for data, bins, epsilon in (
    (np.arange(12.0), 3, 0.01),
    (np.random.RandomState(0).randn(500), 4, 0.01),
    (np.random.RandomState(1).randn(300, 2), 5, 0.1),
    (np.array([1.0, 2.0]), 2, 0.01),
):
    layer = layers.Discretization(num_bins=bins, epsilon=epsilon)
    layer.adapt(data.astype("float32"))
    print(np.round(layer.bin_boundaries, 4).tolist())
