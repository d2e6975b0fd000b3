"""Sequences of labels: those that a search has kept, read off its tree, and the distance between two."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle._convert import data, operand
from penstock.paddle._declaring import in_functional
from penstock.paddle._errors import InvalidValueError
from penstock.trace.source_site import here


@in_functional
def gather_tree(ids: Any, parents: Any) -> Any:
    """Returns the whole sequences of a beam search from its labels and parents, both [time, batch, beam].

    Values are looked at.

    >>> from penstock import paddle
    >>> ids = paddle.to_tensor([[[2, 2]], [[3, 9]]])
    >>> paddle.nn.functional.gather_tree(ids, paddle.to_tensor([[[0, 0]], [[1, 0]]])).tolist()
    [[[2, 2]], [[3, 9]]]
    """
    labels, before = np.asarray(operand(ids)), np.asarray(operand(parents))
    if labels.ndim != 3 or before.shape != labels.shape:
        raise InvalidValueError(
            "gather_tree takes ids and parents of one shape [time, batch, beam], but got "
            f"{list(labels.shape)} and {list(before.shape)}.",
            site=here(),
        )
    found = np.empty_like(labels)
    rows = np.arange(labels.shape[1])[:, None]
    beams = np.broadcast_to(np.arange(labels.shape[2]), labels.shape[1:])
    for step in reversed(range(len(labels))):
        found[step] = labels[step][rows, beams]
        beams = before[step][rows, beams]
    return data(found)


@in_functional
def edit_distance(
    input: Any, label: Any, normalized: bool = True, ignored_tokens: Any = None, input_length: Any = None,
    label_length: Any = None,
) -> Any:  # fmt: skip
    """Returns how many pairs there are, and how many insertions, deletions and replacements each takes.

    With `normalized` that is divided by the length of the label. Values are looked at. Raises ValueError for
    `ignored_tokens`, as Paddle does.
    """
    if ignored_tokens is not None:
        raise InvalidValueError(f"Expected ignored_tokens is None (got {ignored_tokens})", site=here())
    found = []
    for one, other in zip(_rows(input, input_length), _rows(label, label_length), strict=True):
        distance = float(_distance(one, other))
        if normalized:
            if not other:
                raise InvalidValueError(
                    "The reference label is empty, and distances cannot be divided by its length.",
                    site=here(),
                )
            distance /= len(other)
        found.append([distance])
    return data(np.asarray([len(found)], np.int64)), data(np.asarray(found, np.float32))


def _rows(sequences: Any, lengths: Any) -> list[list[int]]:
    array = np.asarray(operand(sequences))
    array = array.reshape(len(array), -1)
    counts = [array.shape[1]] * len(array) if lengths is None else np.asarray(operand(lengths)).reshape(-1)
    return [row[:n].tolist() for row, n in zip(array, counts, strict=True)]


def _distance(one: list[int], other: list[int]) -> int:
    last = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b)))
        last = row
    return last[-1]
