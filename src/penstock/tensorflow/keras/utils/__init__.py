"""tf.keras.utils: labels, sequences, files, data sets of folders, and what a class is saved under."""

from __future__ import annotations

import random as _random
from typing import Any

import numpy as _np

from penstock.declared import named as _named
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._seeds import start as _start
from penstock.tensorflow.keras._seed_generator import forget as _forget
from penstock.trace.source_site import here as _here
from penstock.trace.source_site import warn as _warn


def to_categorical(x: Any, num_classes: int | None = None) -> Any:
    """Returns class numbers as rows with a one at the number, as a NumPy array.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.utils.to_categorical([0, 2]).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    numbers = _np.asarray(x).astype("int64")
    shape = numbers.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    flat = numbers.reshape(-1)
    count = int(flat.max()) + 1 if not num_classes else int(num_classes)
    rows = _np.zeros((flat.size, count))
    rows[_np.arange(flat.size), flat] = 1
    return rows.reshape((*shape, count))


def set_random_seed(seed: int) -> None:
    """Sets the seeds of Python, NumPy and TensorFlow: layers made in one order start with equal weights.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.utils.set_random_seed(7)
    >>> round(float(tf.keras.layers.Dense(1)(tf.ones((1, 3)))[0, 0]), 4)
    1.2277
    """
    if not isinstance(seed, int):
        raise _ArgumentError(
            f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})",
            site=_here(),
        )
    _forget()
    _random.seed(seed)
    _np.random.seed(seed)
    _start(int(seed))


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Returns an array with its rows divided by their lengths."""
    length = _np.atleast_1d(_np.linalg.norm(x, order, axis))
    length[length == 0] = 1
    return x / _np.expand_dims(length, axis)


@_named("tf.keras.utils.pad_sequences", "tf.keras.preprocessing.sequence.pad_sequences")
def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: float = 0.0,
) -> Any:
    """Returns sequences of several lengths as one array, cut or filled to one length.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.utils.pad_sequences([[1], [2, 3]]).tolist()
    [[0, 1], [2, 3]]
    """
    lengths = [len(one) for one in sequences]
    longest = max(lengths, default=0) if maxlen is None else maxlen
    first = next((_np.asarray(one).shape[1:] for one in sequences if len(one)), ())
    made = _np.full((len(lengths), longest, *first), value, dtype)
    for row, sequence in zip(made, sequences, strict=True):
        kept = sequence[-longest:] if truncating == "pre" else sequence[:longest]
        if len(kept) and longest:
            part = _np.asarray(kept, dtype)
            if padding == "post":
                row[: len(part)] = part
            else:
                row[-len(part) :] = part
    return made


def plot_model(model: Any, to_file: Any = "model.png", *arguments: Any, **options: Any) -> None:
    """Draws nothing, and says so: `model.summary()` prints the layers."""
    _warn(
        f"plot_model: pictures of models are not drawn by penstock.tensorflow, and {to_file!r} is not "
        f"written "
        f"({len(arguments) + len(options)} options not read). {getattr(model, 'name', model)}.summary() "
        f"prints the "
        "layers."
    )


__getattr__, __dir__, _public = _namespace(
    "tf.keras.utils",
    globals(),
    "keras._automatic_names keras._batches keras._indexed keras._progress keras._settings",
    listed={__name__: "bounding_boxes legacy"},
    rest="keras._config_object keras._feature_space keras._fetched keras._folders keras._sound_files "
    "keras._image_files keras._serial keras._symbols_and_dtypes",
)
