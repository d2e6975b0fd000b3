"""The values of variables, read without a trace in the program, and the amounts by which they change."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorflow.python.eager import record
from tensorflow.python.framework import errors
from tensorflow.python.ops import gen_resource_variable_ops

from penstock.frameworks.sizes_of_arrays import distance, first_bad, norm


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


__all__ = ["array_of", "distance", "first_bad", "norm", "present", "value_of"]
