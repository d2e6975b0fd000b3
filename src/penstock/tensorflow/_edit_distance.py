"""The distance of rows of symbols, as speech recognition measures it."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._sparse_functions import dims, rows_of
from penstock.tensorflow._tensor_shape import brackets
from penstock.trace.source_site import here


@named("tf.edit_distance")
def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: Any = "edit_distance") -> Any:
    """Returns the Levenshtein distance of the rows of two sparse tensors: the fewest changes between them.

    With `normalize` it is divided by the length of the truth; where that is empty, it is inf, or 0 if both
    are (Levenshtein, 1966).

    >>> from penstock import tensorflow as tf
    >>> read = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> told = tf.SparseTensor([[0, 0]], ["b"], [1, 1])
    >>> tf.edit_distance(read, told).numpy().tolist()
    [1.0]
    """
    (left, read), (right, told) = rows_of(hypothesis), rows_of(truth)
    if len(left) != len(right):
        raise InvalidArgumentError(
            f"Mismatched ranks: hypothesis has shape {brackets(dims(hypothesis))}, truth "
            f"{brackets(dims(truth))}.",
            site=here(),
        )
    lengths = tuple(map(max, left, right))
    found = np.zeros(lengths, np.float32)
    for place in np.ndindex(lengths):
        one, other = read.get(place, []), told.get(place, [])
        changes = _changes(one, other)
        with np.errstate(all="ignore"):
            found[place] = np.float32(changes) / len(other) if normalize and changes else changes
    return constant(found)


def _changes(one: list[Any], other: list[Any]) -> int:
    """Returns how many elements have to be added, left out or replaced."""
    row = list(range(len(other) + 1))
    for above, first in enumerate(one):
        diagonal, row[0] = above, above + 1
        for place, second in enumerate(other):
            least = min(row[place] + 1, row[place + 1] + 1, diagonal + (first != second))
            diagonal, row[place + 1] = row[place + 1], least
    return row[-1]


__all__ = ["edit_distance"]
