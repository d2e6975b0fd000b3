"""Spectral normalization and embeddings that are read both ways: values, gradients, fit, configurations."""

import json

import numpy as np
import tensorflow as tf

L = tf.keras.layers


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def wave(*shape):
    return np.sin(np.arange(np.prod(shape), dtype="float32") * 0.7).reshape(shape)


def fill(layer):
    layer.set_weights([np.cos(np.arange(w.size) + 1.0).reshape(w.shape) / 2 for w in layer.get_weights()])


for inner, x in (
    (L.Dense(2), wave(2, 3)), (L.Conv2D(2, 2), wave(1, 3, 3, 2)), (L.Dense(2, kernel_initializer="zeros"), wave(2, 3)),
):  # fmt: skip
    layer = L.SpectralNormalization(inner, power_iterations=2)
    x = tf.constant(x)
    layer(x)
    print([(tuple(one.shape), one.path.split("/")[-1]) for one in layer.weights], len(layer.trainable_weights))
    if inner.kernel.numpy().any():
        fill(layer)
    else:
        layer.vector_u.assign([[0.5, 0.25]])
    show(layer(x))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x, training=True) ** 2)
    for one in tape.gradient(loss, layer.trainable_weights):
        show(one)
    for one in layer.get_weights():
        show(one)
config = L.SpectralNormalization(L.Dense(2, name="inner"), 3, name="odd").get_config()
print(json.dumps(config, sort_keys=True))
print(L.SpectralNormalization.from_config(config).get_config()["power_iterations"])
try:
    L.SpectralNormalization(L.Dense(2), power_iterations=0)
except ValueError as error:
    print(str(error).splitlines()[0])
try:
    L.SpectralNormalization(L.ReLU())(tf.ones((2, 3)))
except ValueError as error:
    print("refused")

ids = np.array([[1, 0, 3], [2, 2, 0]])
for options in ({}, {"tie_weights": False}, {"logit_soft_cap": 0.5, "reverse_dtype": "float64"}):
    layer = L.ReversibleEmbedding(4, 2, **options)
    layer(ids)
    fill(layer)
    with tf.GradientTape() as tape:
        rows = layer(ids)
        back = layer(rows, reverse=True)
        loss = tf.reduce_sum(tf.cast(back, "float32") ** 2)
    print(rows.shape, back.shape, back.dtype.name, [one.path.split("/")[-1] for one in layer.weights])
    show(back)
    for one in tape.gradient(loss, layer.trainable_weights):
        show(tf.convert_to_tensor(one))
config = L.ReversibleEmbedding(4, 2, tie_weights=False, mask_zero=True, logit_soft_cap=3.0, name="odd").get_config()
print(json.dumps(config, sort_keys=True))
print(L.ReversibleEmbedding.from_config(config).get_config() == config)
print(L.ReversibleEmbedding(4, 2, mask_zero=True)(ids)._keras_mask.numpy().tolist())

table = L.ReversibleEmbedding(4, 2, embeddings_initializer="ones")
given = tf.keras.Input((3,), dtype="int32")
inner = L.SpectralNormalization(L.Dense(2, kernel_initializer=tf.keras.initializers.Constant([[1.0, 2.0], [3.0, 1.0]])), 30)
model = tf.keras.Model(given, table(inner(table(given)), reverse=True))
model.compile("sgd", "mse")
model.fit(ids, wave(2, 3, 4), epochs=1, verbose=0)
for one in (table.embeddings, inner.layer.kernel):
    show(one)
