"""Attention whose heads share keys and values: values, gradients, masks, fit and configurations."""

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


q, v = tf.constant(wave(2, 3, 4)), tf.constant(np.cos(wave(2, 5, 4)))
seen = tf.constant(wave(2, 3, 5) > -0.5)
for options, call in (
    ({}, {}), ({"use_bias": False}, {"use_causal_mask": True}), ({"use_gate": True}, {"attention_mask": seen}),
    ({"sliding_window": 2}, {"return_attention_scores": True}), ({}, {"key": v * 2}),
    ({"dropout": 0.3, "seed": 3}, {"training": True}),
    ({}, {"return_attention_scores": True, "use_causal_mask": True}),
):  # fmt: skip
    layer = L.GroupQueryAttention(2, 4, 2, **options)
    layer(q, v)
    fill(layer)
    with tf.GradientTape() as tape:
        tape.watch(q)
        made = layer(q, v, **call)
        made = made if isinstance(made, tuple) else (made,)
        loss = tf.reduce_sum(made[0] ** 2)
    for one in made:
        show(one)
    print([(one.path.split("/", 1)[1], tuple(one.shape)) for one in layer.weights])
    for one in tape.gradient(loss, [q, *layer.trainable_weights]):
        print(one.shape, np.round(float(tf.reduce_sum(one * wave(*one.shape))), 3) + 0.0)
config = L.GroupQueryAttention(2, 4, 2, dropout=0.1, sliding_window=3, seed=2, use_bias=False, name="odd").get_config()
print(json.dumps(config, sort_keys=True))
print(L.GroupQueryAttention.from_config(config).get_config() == config)
for arguments, options in (((2, 4, 3), {}), ((2, 4, 2), {"sliding_window": 0})):
    try:
        L.GroupQueryAttention(*arguments, **options)
    except ValueError as error:
        print(str(error).splitlines()[0])

given = tf.keras.Input((3, 4))
layer = L.GroupQueryAttention(2, 4, 2, kernel_initializer="ones")
model = tf.keras.Model(given, layer(given, given))
model.compile("sgd", "mse")
model.fit(wave(2, 3, 4), wave(2, 3, 4) * 2, epochs=1, verbose=0)
for one in model.get_weights():
    show(one)
