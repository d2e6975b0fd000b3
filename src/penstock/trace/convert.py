"""Turning what users write (numbers, lists, NumPy and JAX arrays) into tensors that hold a value."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.errors import DTypeError
from penstock.trace.site import here
from penstock.trace.tensor import Tensor, concrete

_KINDS = "biufcV"


def is_jax_array(value: Any) -> bool:
    """Returns whether a value lives in JAX, without importing it."""
    # Another thread may be importing it at this moment: then nobody has an array of it yet.
    kind = getattr(sys.modules.get("jax"), "Array", None)
    return kind is not None and isinstance(value, kind)


def convert(
    value: Any, dtype: Any = None, kind: type[Tensor] = Tensor, default_integer: Any = np.int64
) -> Tensor:
    """Returns array-like data as a tensor of class `kind`, copied so that later changes to it do not show.

    Python floats, alone or in lists, become float32, complex numbers complex64, integers `default_integer`;
    NumPy and JAX values keep their dtype. Raises DTypeError for data that is not numeric.
    """
    if is_jax_array(value) and (dtype is None or value.dtype == dtype):
        return concrete(value, kind)
    if isinstance(value, np.ndarray | np.generic):
        array = np.array(value, dtype)
    else:
        try:
            array = np.asarray(value)
        except ValueError:
            array = np.asarray(None)
        if array.dtype == object or array.dtype.kind not in _KINDS:
            raise DTypeError(
                f"{type(value).__name__} {_short(value)} is not numeric data.",
                site=here(),
                why="A tensor holds numbers or booleans in a rectangular arrangement.",
                remedy="Give numbers, nested lists of equal lengths, or an array.",
            )
        if dtype is None and not hasattr(value, "dtype"):
            dtype = _weak_dtype(array, value, default_integer)
        array = np.array(array, dtype)
    if array.dtype.kind not in _KINDS:
        raise DTypeError(
            f"{_short(value)} has dtype {array.dtype}, which no tensor has.",
            site=here(),
            remedy="Give numbers or booleans: make numbers of words, dates and records first.",
        )
    array.flags.writeable = False
    return concrete(array, kind)


def _weak_dtype(array: np.ndarray[Any, Any], value: Any, default_integer: Any) -> Any:
    if array.dtype == np.float64 and not _holds_numpy(value):
        return np.float32
    if array.dtype == np.complex128 and not _holds_numpy(value):
        return np.complex64
    if array.dtype == np.int64 and not _holds_numpy(value):
        return default_integer
    return array.dtype


def _holds_numpy(value: Any) -> bool:
    while isinstance(value, list | tuple) and value:
        value = value[0]
    return isinstance(value, np.ndarray | np.generic)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
