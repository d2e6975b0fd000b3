"""The digits of MNIST in batches, as the tutorials of TensorFlow 1 read them."""

from __future__ import annotations

import gzip
import os
from typing import Any, NamedTuple

import numpy as np

from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import _local
from penstock.trace.source_site import here

_ORIGIN = "https://storage.googleapis.com/cvdf-datasets/mnist/"
_FILES = (
    "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz",
)  # fmt: skip


class Datasets(NamedTuple):
    """The data for training, for validation and for tests."""

    train: Any
    validation: Any
    test: Any


class DataSet:
    """Images and labels, returned in batches; at the end of an epoch they are shuffled."""

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: Any = "float32",
        reshape: bool = True,
        seed: Any = None,
    ) -> None:
        if fake_data:
            images, labels = np.full((10000, 28, 28, 1), 255, np.uint8), np.zeros(10000, np.uint8)
            labels = _one_hot(labels) if one_hot else labels
        kind = as_dtype(dtype)
        if kind not in ("uint8", "float32"):
            raise ArgumentError(f"Invalid image dtype {kind!r}, expected uint8 or float32", site=here())
        if len(images) != len(labels):
            raise ArgumentError(f"images.shape: {images.shape} labels.shape: {labels.shape}", site=here())
        if reshape:
            images = images.reshape(len(images), -1)
        if kind == "float32":
            images = images.astype(np.float32) * np.float32(1 / 255)
        self._images, self._labels = images, labels
        self._random: Any = np.random if seed is None else np.random.RandomState(seed)
        self._epochs, self._place = 0, 0

    images = property(lambda self: self._images, doc="The images, in their present order.")
    labels = property(lambda self: self._labels, doc="The labels, in the order of the images.")
    num_examples = property(lambda self: len(self._images), doc="How many images there are.")
    epochs_completed = property(lambda self: self._epochs, doc="How often all images have been returned.")

    def next_batch(self, batch_size: int, fake_data: bool = False, shuffle: bool = True) -> tuple[Any, Any]:
        """Returns the next images and their labels; one batch may reach into the next epoch."""
        if fake_data:
            return [np.ones(784, np.float32)] * batch_size, [0] * batch_size
        start = self._place
        if self._epochs == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self.num_examples:
            self._place += batch_size
            return self._images[start : self._place], self._labels[start : self._place]
        self._epochs += 1
        rest = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._place = batch_size - len(rest[0])
        return (
            np.concatenate([rest[0], self._images[: self._place]]),
            np.concatenate([rest[1], self._labels[: self._place]]),
        )

    def _shuffle(self) -> None:
        order = np.arange(self.num_examples)
        self._random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]


def _one_hot(labels: Any, classes: int = 10) -> Any:
    return np.eye(classes)[np.asarray(labels)]


def read_data_sets(
    train_dir: Any,
    fake_data: bool = False,
    one_hot: bool = False,
    dtype: Any = "float32",
    reshape: bool = True,
    validation_size: int = 5000,
    seed: Any = None,
    source_url: str = _ORIGIN,
) -> Datasets:
    """Returns the digits of MNIST to train on, to validate with and to test with.

    Read from the four published files in `train_dir`, or from mnist.npz in the datasets folder of Keras;
    nothing is downloaded. Raises DataNotFoundError, a FileNotFoundError, where there is neither.
    """
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        empty = np.zeros((0, 28, 28, 1), np.uint8)
        made = [DataSet(empty, empty, fake_data=True, one_hot=one_hot, **options) for _ in range(3)]
        return Datasets(*made)
    images, labels, test_images, test_labels = _digits(os.fspath(train_dir), source_url)
    if not 0 <= validation_size <= len(images):
        raise ArgumentError(
            f"Validation size should be between 0 and {len(images)}. Received: {validation_size}.",
            site=here(),
        )
    if one_hot:
        labels, test_labels = _one_hot(labels), _one_hot(test_labels)
    return Datasets(
        DataSet(images[validation_size:], labels[validation_size:], **options),
        DataSet(images[:validation_size], labels[:validation_size], **options),
        DataSet(test_images, test_labels, **options),
    )


def _digits(folder: str, origin: str) -> list[Any]:
    """Returns images and labels to train on and to test with; images have an axis of one channel."""
    paths = [_beside(folder, name) for name in _FILES]
    if all(paths):
        found = [_array(str(path)) for path in paths]
    else:
        try:
            whole = _local.find(("mnist.npz",), f"{origin}{_FILES[0]} (and the others)")
        except _local.DataNotFoundError as error:
            missing = [name for name, path in zip(_FILES, paths, strict=True) if path is None]
            raise _local.DataNotFoundError(
                f"The digits of MNIST are not on this machine: {', '.join(missing)} missing in {folder!r}.",
                origin=error.origin,
                why=error.why,
                remedy=f"Download them from {origin} into {folder!r}, or put mnist.npz into the datasets "
                f"folder "
                "of Keras.",
                site=here(),
            ) from None
        found = _local.arrays(whole, "x_train", "y_train", "x_test", "y_test")
    return [found[0][..., None], found[1], found[2][..., None], found[3]]


def _beside(folder: str, name: str) -> str | None:
    places = [os.path.join(os.path.expanduser(folder), one) for one in (name, name.removesuffix(".gz"))]
    return next((place for place in places if os.path.isfile(place)), None)


def _array(path: str) -> Any:
    def read() -> Any:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            return _local.pixels(file.read())

    return _local.reading(path, read)


__all__ = ["DataSet", "Datasets", "read_data_sets"]
