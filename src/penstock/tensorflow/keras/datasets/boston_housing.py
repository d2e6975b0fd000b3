"""Prices of houses in Boston, of 1978."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _local

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/boston_housing.npz"


def load_data(path: str = "boston_housing.npz", test_split: float = 0.2, seed: int = 113) -> Any:
    """Returns (x_train, y_train), (x_test, y_test): 13 numbers of a suburb, and a price in thousands.

    Raises DataNotFoundError, a FileNotFoundError, where `path` is not there.
    """
    x, y = _local.arrays(_local.find((path,), _ORIGIN), "x", "y")
    x, y = _local.shuffled(seed, x, y)
    return _local.parted(x, y, test_split)


__getattr__, __dir__, __all__ = _namespace("tf.keras.datasets.boston_housing", globals())
