"""Pooling to a given size: values, gradients through fit, and configurations."""

import json

import numpy as np
import tensorflow as tf

L = tf.keras.layers


def show(x):
    print(np.round(np.asarray(x, dtype=np.float64), 4).tolist())


def wave(*shape):
    return np.sin(np.arange(np.prod(shape), dtype="float32") * 0.7).reshape(shape)


for word in ("Average", "Max"):
    for rank, sizes in ((1, [2, 3, (5,)]), (2, [2, (3, 2)]), (3, [2, (2, 3, 2)])):
        kind = getattr(L, f"Adaptive{word}Pooling{rank}D")
        x = tf.constant(wave(1, *(5, 4, 3)[:rank], 2))
        for size in sizes:
            with tf.GradientTape() as tape:
                tape.watch(x)
                made = kind(size)(x)
                loss = tf.reduce_sum(made**2)
            print(rank, size, made.shape)
            show(made)
            show(tape.gradient(loss, x))
        if word == "Average":
            show(kind(1)(x))
        other = kind(2, data_format="channels_first", name="odd")
        show(other(tf.constant(wave(1, 2, *(5, 4, 3)[:rank]))))
        print(json.dumps(other.get_config(), sort_keys=True))
        print(other.compute_output_shape((None, 2, *(5, 4, 3)[:rank])))
        again = kind.from_config(other.get_config())
        print(again.get_config() == other.get_config())
        try:
            kind((1, 2, 3, 4))
        except (TypeError, ValueError):
            print("refused")

for word in ("Average", "Max"):
    model = tf.keras.Sequential([
        tf.keras.Input((5, 4, 2)), L.Conv2D(2, 2, kernel_initializer="ones", padding="same"),
        getattr(L, f"Adaptive{word}Pooling2D")((2, 3)), L.Flatten(), L.Dense(1, kernel_initializer="ones"),
    ])
    model.compile("sgd", "mse")
    model.fit(wave(4, 5, 4, 2), wave(4, 1), epochs=1, verbose=0)
    for one in model.get_weights():
        show(one)
