"""The sizes of arrays and of their changes, in numbers that any dtype can hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def norm(array: Any) -> float:
    """Returns the Euclidean norm of an array."""
    if not array.size:
        return 0.0
    if array.dtype.kind not in "fc":
        array = array.astype(np.float32)
    with np.errstate(all="ignore"):
        if array.dtype == np.float32:
            found = float(np.linalg.norm(array.ravel()))
            if 0.0 < found < math.inf:
                return found
        # Squares of tiny or huge numbers need more range.
        wide = np.complex128 if array.dtype.kind == "c" else np.float64
        return float(np.linalg.norm(array.astype(wide).ravel()))


def distance(after: Any, before: Any) -> float:
    """Returns the Euclidean norm of a change."""
    if after.shape != before.shape:
        return math.nan
    if after.dtype.kind not in "fc":
        return norm(after.astype(np.float64) - before.astype(np.float64))
    with np.errstate(all="ignore"):
        return norm(after - before)


def first_bad(array: Any) -> float | None:
    """Returns the first number of an array that is not finite, if there is one."""
    if array.dtype.kind not in "fcV":
        return None
    wrong = array[~np.isfinite(array)]
    return float(np.real(wrong.ravel()[0])) if wrong.size else None


__all__ = ["distance", "first_bad", "norm"]
