"""A good layer of every kind with a good input, and bad values for each argument and each input."""

# ruff: noqa: E501  (a call is read best on one line)

from __future__ import annotations

import inspect

import numpy as np

import penstock as ps
from bad_calls import Thing, looked_at, odd

L = ps.layers
FLAT = np.asarray([[0.5, -0.3, 1.2], [0.4, 2.0, -0.7]], np.float32)
SEQUENCE = np.arange(24, dtype=np.float32).reshape(2, 4, 3) / 10
IMAGE = np.arange(96, dtype=np.float32).reshape(2, 4, 6, 2) / 10
VOLUME = np.arange(128, dtype=np.float32).reshape(1, 4, 4, 4, 2) / 10
BY_RANK = {1: SEQUENCE, 2: IMAGE, 3: VOLUME}
IDS = np.asarray([[1, 0, 2], [2, 2, 1]])


def ranks(name, ranks=(1, 2, 3), **arguments):
    return {f"{name}{rank}D": (arguments, (BY_RANK[rank],)) for rank in ranks}


def each(names, inputs, **arguments):
    return dict.fromkeys(names.split(), (arguments, inputs))


GOOD = {
    **each("Dense", (FLAT,), units=2),
    **each("EinsumDense", (SEQUENCE,), equation="abc,cd->abd", output_shape=(None, 5)),
    **each("SimpleRNN GRU LSTM", (SEQUENCE,), units=2),
    **each("Embedding", (IDS,), input_dim=3, output_dim=2),
    **each("Activation", (FLAT,), activation="relu"),
    **each("ActivityRegularization", (FLAT,), l1=0.1),
    **each("Add Average Maximum Minimum Multiply Concatenate", ([FLAT, FLAT],)),
    **each("Subtract", ([FLAT, FLAT],)),
    **each("Dot", ([FLAT, FLAT],), axes=1),
    **each("Attention AdditiveAttention", ([SEQUENCE, SEQUENCE],)),
    **each("MultiHeadAttention", (SEQUENCE, SEQUENCE), num_heads=2, key_dim=2),
    **each("AlphaDropout Dropout GaussianDropout", (FLAT,), rate=0.5),
    **each("GaussianNoise", (FLAT,), stddev=0.5),
    **each("BatchNormalization LayerNormalization RMSNormalization UnitNormalization", (FLAT,)),
    **each("GroupNormalization", (IMAGE,), groups=2),
    **each("ELU LeakyReLU PReLU ReLU Softmax Flatten Identity", (FLAT,)),
    **each("Masking", (SEQUENCE,)),
    **each("Permute", (SEQUENCE,), dims=(2, 1)),
    **each("RepeatVector", (FLAT,), n=2),
    **each("Rescaling", (FLAT,), scale=2.0),
    **each("Reshape", (SEQUENCE,), target_shape=(3, 4)),
    **ranks("Conv", filters=2, kernel_size=2),
    **{f"Conv{rank}DTranspose": ({"filters": 2, "kernel_size": 2}, (BY_RANK[rank],)) for rank in (1, 2, 3)},
    **ranks("SeparableConv", (1, 2), filters=2, kernel_size=2),
    **ranks("DepthwiseConv", (1, 2), kernel_size=2),
    **ranks("MaxPooling"), **ranks("AveragePooling"), **ranks("GlobalMaxPooling"), **ranks("GlobalAveragePooling"),
    **ranks("Cropping", cropping=1), **ranks("ZeroPadding"), **ranks("UpSampling"),
    **ranks("SpatialDropout", rate=0.5),
}  # fmt: skip
ELSEWHERE = {
    "Bidirectional", "Lambda", "Layer", "Model", "Sequential", "TimeDistributed", "activations", "constraints",
    "initializers", "regularizers",
}  # fmt: skip
"""Layers of layers and functions, and modules: their own test files cover their errors."""

SIZES = [
    "units",
    "filters",
    "kernel_size",
    "strides",
    "pool_size",
    "groups",
    "dilation_rate",
    "input_dim",
    "output_dim",
    "num_heads",
    "key_dim",
    "value_dim",
    "size",
    "cropping",
    "depth_multiplier",
    "n",
    "target_shape",
    "dims",
    "output_padding",
    "noise_shape",
    "output_shape",
]
FRACTIONS = [
    "rate",
    "stddev",
    "momentum",
    "epsilon",
    "dropout",
    "recurrent_dropout",
    "alpha",
    "negative_slope",
    "max_value",
    "threshold",
    "l1",
    "l2",
    "scale",
    "offset",
    "rho",
]
WORDS = ["data_format", "interpolation", "score_mode", "padding"]


def wrong_arguments(layer):
    """Unusable values for each argument of a layer: a label, the argument's name and the value."""
    for name, one in inspect.signature(layer.__init__).parameters.items():
        if one.kind is not one.POSITIONAL_OR_KEYWORD or name == "self" or isinstance(one.default, bool):
            continue
        values = ()
        if name in SIZES or (name == "padding" and isinstance(one.default, int)):
            values = (-7, 1.5, "x", Thing(), (1.5,), (-7, 3, 2, 4))
        elif (
            name in WORDS
            or name == "activation"
            or name.endswith(("_activation", "_initializer", "_regularizer", "_constraint"))
        ):
            values = ("nonsense", 7.5, Thing())
        elif name in FRACTIONS:
            values = ("x", Thing(), [1.0, 2.0])
        elif name in ("axis", "axes"):
            values = (99, -99, 1.5, "x", Thing(), (0, 99))
        elif name == "seed":
            values = ("x", 1.5, Thing())
        for value in values:
            yield f"{name}={value!r}", name, value


def wrong_inputs(value):
    """What an input may be that no layer of its kind takes."""
    if isinstance(value, list):
        yield from (
            ("a thing", Thing()),
            ("[]", []),
            ("things", [Thing(), Thing()]),
            ("one input", value[:1][0]),
        )
        yield from (
            ("odd shapes", [odd(value[0]), value[1]]),
            ("None in it", [None, value[1]]),
            ("'text'", "text"),
        )
        return
    yield from (("None", None), ("'text'", "text"), ("a thing", Thing()), ("a dictionary", {"a": 1.0}))
    yield from (
        ("ragged", [[1.0], [2.0, 3.0]]),
        ("no axes", value.dtype.type(1)),
        ("empty", np.zeros((0,), value.dtype)),
    )
    yield from (
        ("odd shape", odd(value)),
        ("texts", np.asarray(["a", "b"])),
        ("complex", value.astype(np.complex64)),
    )
    yield from (("boolean", value > 0), ("objects", np.asarray([Thing()], object)))
    yield "far" if value.dtype.kind == "i" else "whole", (value * 0 + 99).astype(np.int64)


def made(name, arguments):
    """Makes a layer with a unique name."""
    return getattr(L, name)(**arguments)  # here


def called(layer, inputs):
    """Calls a layer and checks the result."""
    result = layer(*inputs)  # here
    looked_at(result)  # here
    return result


def bad_calls(name):
    """Every wrong way to make or to call a layer: a label, the wrong value, and the function that does it."""
    arguments, inputs = GOOD[name]
    for word, own, value in wrong_arguments(getattr(L, name)):
        yield (
            f"made with {word}",
            value,
            lambda own=own, value=value: called(made(name, arguments | {own: value}), inputs),
        )
    for place, one in enumerate(inputs):
        for word, value in wrong_inputs(one):
            given = tuple(value if i == place else other for i, other in enumerate(inputs))
            yield (
                f"called with {word} at place {place}",
                value,
                lambda given=given: called(made(name, arguments), given),
            )
