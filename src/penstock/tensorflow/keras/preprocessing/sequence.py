"""tf.keras.preprocessing.sequence: sequences of several lengths, windows of series, pairs of words."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras._indexed import PyDataset as _PyDataset
from penstock.trace.source_site import here as _here


class TimeseriesGenerator(_PyDataset):
    """Batches of windows of a series, each with the target that comes after it.

    >>> from penstock import tensorflow as tf
    >>> rows = tf.keras.preprocessing.sequence.TimeseriesGenerator(list(range(6)), list(range(6)), 2)
    >>> x, y = rows[0]
    >>> x.tolist(), y.tolist()
    ([[0, 1], [1, 2], [2, 3], [3, 4]], [2, 3, 4, 5])
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        if len(data) != len(targets):
            raise _ArgumentError(
                f"Data and targets have to be of same length. Data length is {len(data)} while target "
                f"length is "
                f"{len(targets)}",
                site=_here(),
            )
        self.data, self.targets, self.length = data, targets, length
        self.sampling_rate, self.stride, self.reverse = sampling_rate, stride, reverse
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.batch_size = shuffle, batch_size
        if self.start_index > self.end_index:
            raise _ArgumentError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as "
                f"no part "
                "of the sequence would be left to be used as current step.",
                site=_here(),
            )

    def __len__(self) -> int:
        reach = self.batch_size * self.stride
        return (self.end_index - self.start_index + reach) // reach

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        if self.shuffle:
            ends = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            first = self.start_index + self.batch_size * self.stride * index
            ends = np.arange(
                first, min(first + self.batch_size * self.stride, self.end_index + 1), self.stride
            )
        windows = np.array([self.data[end - self.length : end : self.sampling_rate] for end in ends])
        targets = np.array([self.targets[end] for end in ends])
        return (windows[:, ::-1] if self.reverse else windows), targets


def make_sampling_table(size: int, sampling_factor: float = 1e-5) -> Any:
    """Returns how likely the word of each rank is taken, so that frequent words do not prevail.

    Word frequencies are taken to follow Zipf's law, as in word2vec.
    """
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank)
    scaled = sampling_factor * inverse
    return np.minimum(1.0, scaled / np.sqrt(scaled))


def skipgrams(
    sequence: Any,
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: Any = None,
) -> tuple[list[Any], list[Any]]:
    """Returns pairs of words, and 1 for each pair of one window and 0 for each random pair."""
    couples, labels = [], []
    near, far = ([0, 1], [1, 0]) if categorical else (1, 0)
    for place, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        for other in range(max(0, place - window_size), min(len(sequence), place + window_size + 1)):
            if other != place and sequence[other]:
                couples.append([word, sequence[other]])
                labels.append(near)
    if negative_samples > 0:
        count = int(len(labels) * negative_samples)
        words = [couple[0] for couple in couples]
        random.shuffle(words)
        couples += [[words[i % len(words)], random.randint(1, vocabulary_size - 1)] for i in range(count)]
        labels += [far] * count
    if shuffle:
        seed = random.randint(0, 10_000_000) if seed is None else seed
        for rows in (couples, labels):
            random.seed(seed)
            random.shuffle(rows)
    return couples, labels


__getattr__, __dir__, __all__ = _namespace("tf.keras.preprocessing.sequence", globals(), "keras.utils")
