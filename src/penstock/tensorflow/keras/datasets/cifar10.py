"""The small colour images of CIFAR-10."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _local

_ORIGIN = "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz"


def load_data() -> Any:
    """Returns (x_train, y_train), (x_test, y_test): images of 32 by 32 by 3 bytes, and columns of classes.

    Read from the published batches, in ~/.keras/datasets/cifar-10-batches-py. Raises DataNotFoundError, a
    FileNotFoundError, where they are not there.
    """
    folder = _local.find(("cifar-10-batches-py", "cifar-10-batches-py-target/cifar-10-batches-py"), _ORIGIN)
    parts = [_batch(os.path.join(folder, f"data_batch_{number}")) for number in range(1, 6)]
    train = tuple(np.concatenate(column) for column in zip(*parts, strict=True))
    return train, _batch(os.path.join(folder, "test_batch"))


def _batch(path: str, labels: str = "labels") -> tuple[Any, Any]:
    """Returns the images of a batch, with their channels last, and its labels in a column."""
    kept = _local.pickled(path)

    def read() -> tuple[Any, Any]:
        images = np.asarray(kept[b"data"], np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return images, np.asarray(kept[labels.encode()], np.uint8).reshape(-1, 1)

    return _local.reading(path, read)  # type: ignore[no-any-return]


__getattr__, __dir__, __all__ = _namespace("tf.keras.datasets.cifar10", globals())
