"""The pieces of clothing of Fashion-MNIST."""

from __future__ import annotations

import gzip
from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _local

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"
_FILES = (
    "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)  # fmt: skip


def load_data() -> Any:
    """Returns (x_train, y_train), (x_test, y_test): images of 28 by 28 bytes, and their classes.

    Read from the four published files in ~/.keras/datasets/fashion-mnist. Raises DataNotFoundError, a
    FileNotFoundError, for one that is not there.
    """
    paths = [_local.find((f"fashion-mnist/{name}",), _ORIGIN + name) for name in _FILES]
    x_train, y_train, x_test, y_test = map(_array, paths)
    return (x_train, y_train), (x_test, y_test)


def _array(path: str) -> Any:
    def read() -> Any:
        with gzip.open(path) as file:
            return _local.pixels(file.read())

    return _local.reading(path, read)


__getattr__, __dir__, __all__ = _namespace("tf.keras.datasets.fashion_mnist", globals())
