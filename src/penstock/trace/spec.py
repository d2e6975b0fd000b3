"""The shape and dtype of a value, interned: two equal specs are one object."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Shape = tuple[int, ...]
_specs: dict[tuple[Shape, np.dtype[Any]], Spec] = {}


class Spec:
    """A shape (tuple of int) and a NumPy dtype. Make one with `spec(shape, dtype)`; compare with `is`."""

    __slots__ = ("dtype", "nbytes", "ndim", "shape", "size")

    def __init__(self, shape: Shape, dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)
        self.size = math.prod(shape)
        self.nbytes = self.size * dtype.itemsize

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return spec, (self.shape, self.dtype)


def spec(shape: Shape, dtype: Any) -> Spec:
    """Returns the one Spec of this shape and dtype."""
    dtype = np.dtype(dtype)
    found = _specs.get((shape, dtype))
    if found is None:
        shape = tuple(int(n) for n in shape)
        found = _specs.setdefault((shape, dtype), Spec(shape, dtype))
    return found


def spec_of(value: Any) -> Spec:
    """Returns the spec of an array-like runtime value (NumPy or JAX)."""
    return spec(tuple(value.shape), value.dtype)


def differentiable(spec: Spec) -> bool:
    """Returns whether values of this dtype can carry a derivative."""
    return spec.dtype.kind in "fcV"
