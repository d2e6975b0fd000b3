"""Data sets of batches that are requested by their number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock.declared import named


@named("tf.keras.utils.PyDataset", "tf.keras.utils.Sequence")
class PyDataset:
    """Batches by number: a subclass writes `__getitem__(number)` and `__len__()`, or `num_batches`.

    Batches are made on request, in this process: `workers`, `use_multiprocessing` and
    `max_queue_size` are stored and change nothing.

    >>> from penstock import tensorflow as tf
    >>> class Ones(tf.keras.utils.PyDataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, number):
    ...         return tf.ones((2, 1)), tf.ones((2, 1))
    >>> Ones().num_batches
    3
    """

    def __init__(self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10) -> None:
        self.workers, self.use_multiprocessing = workers, use_multiprocessing
        self.max_queue_size = max_queue_size

    def __getitem__(self, index: int) -> Any:
        """Returns a batch: (inputs,), (inputs, targets) or (inputs, targets, sample_weights)."""
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        count = self.num_batches
        number = 0
        while count is None or number < count:
            yield self[number]
            number += 1

    @property
    def num_batches(self) -> int | None:
        """How many batches there are; None for no end."""
        if hasattr(self, "__len__"):
            return len(self)
        raise NotImplementedError(
            "You need to implement the `num_batches` property:\n\n"
            "@property\ndef num_batches(self):\n  return ..."
        )

    def on_epoch_begin(self) -> None:
        """Comes before each epoch."""

    def on_epoch_end(self) -> None:
        """Comes after each epoch."""
