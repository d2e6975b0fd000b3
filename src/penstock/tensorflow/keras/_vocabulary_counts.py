"""How often words are in data, and in how many samples: what a vocabulary is taken from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.trace.tensor import Tensor


def batches(data: Any, steps: int | None = None) -> Iterator[Any]:
    """Yields data batch by batch: `steps` batches of a data set, if it is given; an array as one batch."""
    from penstock.tensorflow._dataset import Dataset

    whole = isinstance(data, list | tuple | np.ndarray | Tensor | StringTensor | str) or (
        hasattr(data, "_is_sparse") or hasattr(data, "nested_row_splits")
    )
    if isinstance(data, Dataset) or (hasattr(data, "__iter__") and not whole):
        yield from islice(data, steps)
    elif hasattr(data, "_is_sparse") or hasattr(data, "nested_row_splits"):
        yield data
    else:
        yield array_of(data)


def samples(data: Any, steps: int | None = None) -> Iterator[Any]:
    """Yields data batch by batch, as `batches` does; the elements of an array of one axis are samples."""
    whole = isinstance(data, list | tuple | np.ndarray | Tensor | StringTensor)
    for one in batches(data, steps):
        yield one[:, None] if whole and one.ndim == 1 else one


def array_of(data: Any) -> Any:
    """Returns an array, tensor or list of words or numbers as an array."""
    return np.asarray(strings(data)) if is_text(data) else np.asarray(
        data.numpy() if hasattr(data, "numpy") else data)  # fmt: skip


def _samples(data: Any) -> Iterable[Any]:
    """Returns the words of each sample."""
    if hasattr(data, "_is_sparse"):
        found: dict[int, list[Any]] = {}
        for row, one in zip(data.indices.numpy()[:, 0].tolist(), array_of(data.values).tolist(), strict=True):
            found.setdefault(row, []).append(one)
        return found.values()
    if hasattr(data, "nested_row_splits"):
        return [_flat(one) for one in data.to_list()]
    array = array_of(data)
    return array.reshape(len(array), -1).tolist() if array.ndim > 1 else [array.ravel().tolist()]


def _flat(row: Any) -> list[Any]:
    return [word for one in row for word in _flat(one)] if isinstance(row, list) else [row]


class Counts:
    """How often each word has been seen, and in how many samples."""

    def __init__(self) -> None:
        self.tokens: Counter[Any] = Counter()
        self.documents: Counter[Any] = Counter()
        self.total = 0

    def add(self, data: Any, token: Callable[[Any], Any]) -> None:
        """Counts the words of the samples of a batch."""
        for sample in _samples(data):
            words = [token(one) for one in sample]
            self.tokens.update(words)
            self.documents.update(set(words))
            self.total += 1

    def ordered(self, ignored: set[Any]) -> list[Any]:
        """Returns the words, the most frequent first, and equal ones from the last in order."""
        kept = [one for one in self.tokens if one not in ignored]
        return sorted(kept, key=lambda one: (self.tokens[one], one), reverse=True)

    def weights(self, tokens: list[Any]) -> Any:
        """Returns the logarithm of 1 plus the number of samples over 1 plus those with the word."""
        with_it = np.array([self.documents[one] for one in tokens], np.float64)
        return np.log(1 + self.total / (1 + with_it)).astype(np.float32)
