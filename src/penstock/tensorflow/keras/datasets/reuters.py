"""News of Reuters in 46 topics, as numbers of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _local
from penstock.tensorflow.keras.datasets.imdb import _ORIGIN, _index, _limited, _objects, _short, _started


def load_data(
    path: str = "reuters.npz",
    num_words: int | None = None,
    skip_top: int = 0,
    maxlen: int | None = None,
    test_split: float = 0.2,
    seed: int = 113,
    start_char: int | None = 1,
    oov_char: int | None = 2,
    index_from: int = 3,
) -> Any:
    """Returns (x_train, y_train), (x_test, y_test): news as lists of numbers, and their topics.

    See imdb.load_data for the arguments. Raises DataNotFoundError where `path` is not there.
    """
    found = _local.find((path,), _ORIGIN + "reuters.npz")
    xs, labels = _local.shuffled(seed, *_local.arrays(found, "x", "y"))
    rows, kept = _short(_started(xs, start_char, index_from), labels, maxlen)
    limit = num_words or max(max(one) for one in rows)
    limited = _objects(_limited(rows, skip_top, limit, oov_char))
    count = int(len(rows) * (1 - test_split))
    labels = np.array(kept)
    return (limited[:count], labels[:count]), (limited[count:], labels[count:])


def get_word_index(path: str = "reuters_word_index.json") -> dict[str, int]:
    """Returns the number of each word, without the `index_from` that `load_data` adds."""
    return _index(path, _ORIGIN + "reuters_word_index.json")


_LABELS = (
    "cocoa grain veg-oil earn acq wheat copper housing money-supply coffee sugar trade reserves ship cotton "
    "carcass crude nat-gas cpi money-fx interest gnp meal-feed alum oilseed gold tin strategic-metal "
    "livestock "
    "retail ipi iron-steel rubber heat jobs lei bop zinc orange pet-chem dlr gas silver wpi hog lead"
)


def get_label_names() -> tuple[str, ...]:
    """Returns the names of the topics."""
    return tuple(_LABELS.split())


__getattr__, __dir__, __all__ = _namespace("tf.keras.datasets.reuters", globals())
