"""The small colour images of CIFAR-100."""

from __future__ import annotations

import os
from typing import Any

from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import _local
from penstock.tensorflow.keras.datasets.cifar10 import _batch
from penstock.trace.source_site import here

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz"


def load_data(label_mode: str = "fine") -> Any:
    """Returns (x_train, y_train), (x_test, y_test): images of 32 by 32 by 3 bytes, and columns of classes.

    The classes are the 100 "fine" ones, or the 20 "coarse" ones. Read from
    ~/.keras/datasets/cifar-100-python. Raises DataNotFoundError, a FileNotFoundError, where they are not
    there.
    """
    if label_mode not in ("fine", "coarse"):
        raise ArgumentError(
            f'`label_mode` must be one of `"fine"`, `"coarse"`. Received: label_mode={label_mode}.',
            site=here(),
        )
    folder = _local.find(("cifar-100-python", "cifar-100-python-target/cifar-100-python"), _ORIGIN)
    train, test = (_batch(os.path.join(folder, name), f"{label_mode}_labels") for name in ("train", "test"))
    return train, test


__all__ = ["load_data"]
