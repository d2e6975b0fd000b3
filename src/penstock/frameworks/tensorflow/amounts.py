"""The values of variables, read without a trace in the program, and the amounts by which they change."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from tensorflow.python.eager import record
from tensorflow.python.framework import errors
from tensorflow.python.ops import gen_resource_variable_ops


def value_of(variable: Any) -> Any:
    """Returns the present value of a variable, as a tensor; no tape sees that it is read.

    It shares the memory of the variable, which a later write leaves to it.
    """
    with record.stop_recording():
        return gen_resource_variable_ops.read_variable_op(variable.handle, variable.dtype)


def present(variable: Any) -> Any:
    """Returns the value of a variable; None if it has no number yet."""
    dtype = variable.dtype
    if not (dtype.is_floating or dtype.is_complex or dtype.is_integer or dtype.is_bool):
        return None
    try:
        return value_of(variable)
    except errors.FailedPreconditionError:
        return None


def array_of(tensor: Any) -> Any:
    """Returns the numbers in a tensor of the running program, without a copy if the processor has them."""
    return np.asarray(tensor._numpy_internal())


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


__all__ = ["array_of", "distance", "first_bad", "norm", "present", "value_of"]
