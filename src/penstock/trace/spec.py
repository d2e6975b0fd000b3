"""The shape and dtype of a value, interned: two equal specs are one object."""

from __future__ import annotations

import math
import threading
import weakref
from typing import Any

import numpy as np

from penstock.trace.dtypes import holds, refusal
from penstock.trace.lengths import is_symbolic

Shape = tuple[int, ...]
_specs: dict[tuple[Shape, np.dtype[Any]], weakref.ref[Spec]] = {}
_making = threading.RLock()
"""Held while a spec is made, so that no two are equal, and while entries of freed specs are removed."""


class Spec:
    """A shape (tuple of int) and a NumPy dtype. Make one with `spec(shape, dtype)`; compare with `is`."""

    __slots__ = ("__weakref__", "dtype", "nbytes", "ndim", "shape", "size")

    def __init__(self, shape: Shape, dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)
        self.size = math.prod(shape)
        self.nbytes = self.size * dtype.itemsize

    def __repr__(self) -> str:
        return f"{self.dtype.name}[{', '.join(map(str, self.shape))}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return spec, (self.shape, self.dtype)


class OpenSpec(Spec):
    """A spec with unknown lengths: see `penstock.trace.lengths`."""

    __slots__ = ()

    def __init__(self, shape: Shape, dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype, self.ndim = shape, dtype, len(shape)

    @property
    def size(self) -> int:  # type: ignore[override]
        """The number of elements, as an expression."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:  # type: ignore[override]
        """The number of bytes, as an expression."""
        return self.size * self.dtype.itemsize


def spec(shape: Shape, dtype: Any) -> Spec:
    """Returns the one Spec of this shape and dtype; raises DTypeError for a dtype that no tensor has."""
    dtype = np.dtype(dtype)
    known = _specs.get((shape, dtype))
    found = None if known is None else known()
    return _made(tuple(map(_length, shape)), dtype) if found is None else found


def _length(n: Any) -> Any:
    return n if is_symbolic(n) else int(n)


def _made(shape: Shape, dtype: np.dtype[Any]) -> Spec:
    global _crowded
    with _making:
        known = _specs.get((shape, dtype))
        found = None if known is None else known()
        if found is None:
            if not holds(dtype):
                raise refusal(f"A tensor cannot have dtype {dtype}.", dtype)
            if len(_specs) >= _crowded:
                for key in [key for key, one in list(_specs.items()) if one() is None]:
                    del _specs[key]
                _crowded = 2 * len(_specs) + FEW
            found = (OpenSpec if is_symbolic(shape) else Spec)(shape, dtype)
            _specs[shape, dtype] = weakref.ref(found)
    return found


FEW = 1_000
_crowded = FEW
"""The number of entries at which those of freed specs are removed next."""


def spec_of(value: Any) -> Spec:
    """Returns the spec of an array-like runtime value (NumPy or JAX)."""
    return spec(tuple(value.shape), value.dtype)


def differentiable(spec: Spec) -> bool:
    """Returns whether values of this dtype can carry a derivative."""
    return spec.dtype.kind in "fcV"
