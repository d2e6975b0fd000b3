"""Prices of houses in California, of 1990."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _local
from penstock.trace.source_site import here as _here

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/california_housing.npz"


def load_data(
    version: str = "large", path: str = "california_housing.npz", test_split: float = 0.2, seed: int = 113
) -> Any:
    """Returns (x_train, y_train), (x_test, y_test): 8 numbers of a district, and the median price.

    "small" keeps 600 districts. Raises DataNotFoundError, a FileNotFoundError, where `path` is not there.
    """
    if version not in ("small", "large"):
        raise _ArgumentError(
            f"Argument `version` must be one of 'small', 'large'. Received: version={version}", site=_here()
        )
    x, y = _local.arrays(_local.find((path,), _ORIGIN), "x", "y")
    count = 600 if version == "small" else len(x)
    x, y = _local.shuffled(seed, x[:count], y[:count])
    return _local.parted(x, y, test_split)


__getattr__, __dir__, __all__ = _namespace("tf.keras.datasets.california_housing", globals())
