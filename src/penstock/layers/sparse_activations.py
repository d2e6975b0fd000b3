"""Activations that are 0 up to -1: pieces of lines and of a parabola."""

from __future__ import annotations

from typing import Any

from penstock.functions.composite import composite
from penstock.lazy import listed
from penstock.ops import pointwise
from penstock.trace.tensor import Tensor


@composite(1, wide=True)
def sparse_plus(x: Any) -> Tensor:
    """Returns 0 up to -1, (x + 1) ** 2 / 4 between -1 and 1, and x above.

    >>> import penstock as ps
    >>> from penstock.layers.sparse_activations import sparse_plus
    >>> sparse_plus(ps.asarray([-2.0, 0.0, 3.0]))
    Tensor([0.  , 0.25, 3.  ], dtype=float32)
    """
    inside = (x + 1.0) * (x + 1.0) / 4.0
    return pointwise.where(x <= -1.0, 0.0, pointwise.where(x < 1.0, inside, x))


@composite(1, wide=True)
def sparse_sigmoid(x: Any) -> Tensor:
    """Returns 0 up to -1, (x + 1) / 2 between -1 and 1, and 1 above.

    >>> import penstock as ps
    >>> from penstock.layers.sparse_activations import sparse_sigmoid
    >>> sparse_sigmoid(ps.asarray([-2.0, 0.0, 3.0]))
    Tensor([0. , 0.5, 1. ], dtype=float32)
    """
    return pointwise.where(x <= -1.0, 0.0, pointwise.where(x >= 1.0, 1.0, (x + 1.0) / 2.0))


__all__ = ["sparse_plus", "sparse_sigmoid"]
__dir__ = listed(__name__)
