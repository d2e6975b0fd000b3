"""tf.keras.utils: labels, sequences, files, data sets of folders, and what a class is saved under."""

from __future__ import annotations

import importlib as _importlib
import random as _random
from typing import Any

import numpy as _np

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._seeds import start as _start
from penstock.tensorflow.keras._batches import pack_x_y_sample_weight, unpack_x_y_sample_weight
from penstock.tensorflow.keras._indexed import PyDataset
from penstock.tensorflow.keras._progress import Progbar
from penstock.trace.source_site import warn as _warn

Sequence = PyDataset


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
    """Sets the seeds of Python, NumPy and Penstock."""
    _random.seed(seed)
    _np.random.seed(seed)
    _start(int(seed))


def normalize(x: Any, axis: int = -1, order: int = 2) -> Any:
    """Returns an array with its rows divided by their lengths."""
    length = _np.atleast_1d(_np.linalg.norm(x, order, axis))
    length[length == 0] = 1
    return x / _np.expand_dims(length, axis)


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


_LATER = {
    "_fetched": ("get_file",),
    "_folders": (
        "image_dataset_from_directory", "split_dataset", "text_dataset_from_directory",
        "timeseries_dataset_from_array",
    ),
    "_serial": (
        "CustomObjectScope", "custom_object_scope", "deserialize_keras_object", "get_custom_objects",
        "get_registered_name", "get_registered_object", "register_keras_serializable",
        "serialize_keras_object",
    ),
    "_image_files": ("array_to_img", "img_to_array", "load_img", "save_img"),
}  # fmt: skip
"""What few programs need, by the file it is in: imported on first use."""
_HOMES = {name: home for home, names in _LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(_importlib.import_module(f"penstock.tensorflow.keras.{_HOMES[name]}"), name)
    raise _absent("tensorflow.keras.utils", name, __all__)


__all__ = [
    "Progbar", "PyDataset", "Sequence", "normalize", "pack_x_y_sample_weight", "pad_sequences", "plot_model",
    "set_random_seed", "to_categorical", "unpack_x_y_sample_weight", *_HOMES,
]  # fmt: skip
