"""The handwritten digits of MNIST."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _local

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/mnist.npz"


def load_data(path: str = "mnist.npz") -> Any:
    """Returns (x_train, y_train), (x_test, y_test): images of 28 by 28 bytes, and their digits.

    Read from `path`, below ~/.keras/datasets or the datasets folder of KERAS_HOME. Raises DataNotFoundError,
    a FileNotFoundError, where the file is not there.
    """
    found = _local.find((path,), _ORIGIN)
    x_train, y_train, x_test, y_test = _local.arrays(found, "x_train", "y_train", "x_test", "y_test")
    return (x_train, y_train), (x_test, y_test)


__getattr__, __dir__, __all__ = _namespace("tf.keras.datasets.mnist", globals())
