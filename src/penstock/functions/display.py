"""How a notebook shows a tensor or a variable: its values as a table, and their range."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.functions.operators import looked_at
from penstock.state.variable import Variable
from penstock.trace.html import table

SHOWN = 8
"""The most rows and columns of values in a table."""


def as_html(x: Any) -> str:
    """Returns a tensor or a variable as a table for a notebook; it is looked at, as by `repr`.

    A vector is one row, and of more than two axes the first matrix is shown.

    >>> import penstock as ps
    >>> "float32[2]" in ps.asarray([1.0, 2.0])._repr_html_()
    True
    """
    values = np.asarray(looked_at(x, "repr()", sys._getframe(1)))
    title = f"{type(x).__name__} {x._spec}"
    if isinstance(x, Variable):
        trained = "trainable" if x.trainable else "not trainable"
        title = f"Variable {x.path!r} {x._spec}, {trained}"
    matrix = values.reshape((1, -1)) if values.ndim < 2 else values
    while matrix.ndim > 2 and matrix.size:
        matrix = matrix[0]
    below = []
    if values.ndim > 2:
        below.append(f"Shown is the first of {values.size // max(1, matrix.size):,} matrices.")
    if values.size > 1:
        below.append(_range(values))
    if not matrix.size or matrix.ndim > 2:
        return table(title, [], [], below)
    columns = [*range(min(SHOWN, matrix.shape[1]))]
    wide, high = matrix.shape[1] > SHOWN, matrix.shape[0] > SHOWN
    head = ["", *map(str, columns)] + ["…"] * wide
    rows = [
        [f"{number}", *(_text(one) for one in matrix[number, : len(columns)])] + ["…"] * wide
        for number in range(min(SHOWN, matrix.shape[0]))
    ]
    return table(title, head, rows + [["…"] * len(head)] * high, below)


def _text(value: Any) -> Any:
    """Returns a value in the form for a cell: a number for three digits, or a text."""
    if isinstance(value, np.bool_):
        return str(bool(value))
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.complexfloating):
        return f"{complex(value):.3g}"
    return float(value)


def _range(values: Any) -> str:
    """Says the range of values."""
    if values.dtype == bool:
        return f"{np.count_nonzero(values):,} of {values.size:,} are True."
    if values.dtype.kind == "c":
        return f"Sizes from {np.abs(values).min():.3g} to {np.abs(values).max():.3g}."
    numbers = values.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    lost = numbers.size - finite.size
    told = f"From {finite.min():.3g} to {finite.max():.3g}, mean {finite.mean():.3g}." if finite.size else ""
    return f"{told} {lost:,} of {numbers.size:,} are NaN or infinite.".strip() if lost else told


__all__ = ["as_html"]
