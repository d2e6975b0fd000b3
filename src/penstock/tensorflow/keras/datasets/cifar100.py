"""The small colour images of CIFAR-100."""

from __future__ import annotations

import os
from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _local
from penstock.tensorflow.keras.datasets.cifar10 import _batch
from penstock.trace.source_site import here as _here

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"


def load_data(label_mode: str = "fine") -> Any:
    """Returns (x_train, y_train), (x_test, y_test): images of 32 by 32 by 3 bytes, and columns of classes.

    The classes are the 100 "fine" ones, or the 20 "coarse" ones. Read from
    ~/.keras/datasets/cifar-100-python. Raises DataNotFoundError, a FileNotFoundError, where they are not
    there.
    """
    if label_mode not in ("fine", "coarse"):
        raise _ArgumentError(
            f'`label_mode` must be one of `"fine"`, `"coarse"`. Received: label_mode={label_mode}.',
            site=_here(),
        )
    folder = _local.find(("cifar-100-python", "cifar-100-python-target/cifar-100-python"), _ORIGIN)
    train, test = (_batch(os.path.join(folder, name), f"{label_mode}_labels") for name in ("train", "test"))
    return train, test


__getattr__, __dir__, __all__ = _namespace("tf.keras.datasets.cifar100", globals())
