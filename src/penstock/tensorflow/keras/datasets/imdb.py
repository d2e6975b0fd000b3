"""Film reviews of IMDB, as numbers of words."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _local
from penstock.trace.source_site import here as _here

_ORIGIN = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"


def load_data(
    path: str = "imdb.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
    **options: Any,
) -> Any:
    """Returns (x_train, y_train), (x_test, y_test): reviews as lists of numbers, 1 for a review that likes
    it.

    Numbers from `num_words` on and below `skip_top` become `oov_char`, or are left out where that is None.
    Reviews of `maxlen` words or more are left out. Raises DataNotFoundError where `path` is not there.
    """
    num_words = options.pop("nb_words", None) if num_words is None else num_words
    if options:
        raise TypeError(f"Unrecognized keyword arguments: {options!s}.")
    found = _local.find((path,), _ORIGIN + "imdb.npz")
    x_train, y_train, x_test, y_test = _local.arrays(found, "x_train", "y_train", "x_test", "y_test")
    x_train, y_train = _local.shuffled(seed, x_train, y_train)
    # Keras draws one order after the other from one generator.
    random = np.random.RandomState(seed)
    random.shuffle(np.arange(len(x_train)))
    order = np.arange(len(x_test))
    random.shuffle(order)
    x_test, y_test = x_test[order], y_test[order]
    starts = start_char, index_from
    train = _short(_started(x_train, *starts), y_train, maxlen)
    test = _short(_started(x_test, *starts), y_test, maxlen)
    if not train[0] or not test[0]:
        raise _ArgumentError(
            f"After filtering for sequences shorter than maxlen={maxlen}, no sequence was kept. Increase "
            f"maxlen.",
            site=_here(),
        )
    every = train[0] + test[0]
    limit = num_words or max(max(one) for one in every)
    kept = _objects(_limited(every, skip_top, limit, oov_char))
    return (kept[: len(train[0])], np.array(train[1])), (kept[len(train[0]) :], np.array(test[1]))


def _started(reviews: Any, start_char: int | None, index_from: int) -> list[list[int]]:
    first = [] if start_char is None else [start_char]
    return [[*first, *(word + (index_from or 0) for word in one)] for one in reviews]


def _short(reviews: list[list[int]], labels: Any, maxlen: int | None) -> tuple[list[list[int]], list[Any]]:
    pairs = [pair for pair in zip(reviews, labels, strict=True) if not maxlen or len(pair[0]) < maxlen]
    return [one for one, _ in pairs], [label for _, label in pairs]


def _limited(reviews: list[list[int]], skip_top: int, limit: int, oov_char: int | None) -> list[list[int]]:
    if oov_char is None:
        return [[word for word in one if skip_top <= word < limit] for one in reviews]
    return [[word if skip_top <= word < limit else oov_char for word in one] for one in reviews]


def _objects(rows: list[Any]) -> Any:
    made = np.empty(len(rows), object)
    made[:] = rows
    return made


def get_word_index(path: str = "imdb_word_index.json") -> dict[str, int]:
    """Returns the number of each word, without the `index_from` that `load_data` adds."""
    return _index(path, _ORIGIN + "imdb_word_index.json")


def _index(path: str, origin: str) -> dict[str, int]:
    found = _local.find((path,), origin)

    def read() -> Any:
        with open(found, encoding="utf-8") as file:
            return json.load(file)

    return _local.reading(found, read)  # type: ignore[no-any-return]


__getattr__, __dir__, __all__ = _namespace("tf.keras.datasets.imdb", globals())
