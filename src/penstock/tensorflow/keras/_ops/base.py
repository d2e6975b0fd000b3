"""The common part of keras.ops: operands in one dtype, and calls on symbolic tensors."""

from __future__ import annotations

import functools as _functools
from collections.abc import Callable as _Callable
from typing import Any

import numpy as _np

from penstock.tensorflow import (
    _convert,
    _elementwise,
)
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow.keras import _functional, _in_graphs
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _Tensor

_made: dict[str, Any] = {}
_numpy: Any = _np


def _public(function: _Callable[..., Any], name: str | None = None) -> Any:
    """Returns a function that notes calls on symbolic tensors, and keeps it as one of this module."""
    own = name or function.__name__.rstrip("_")

    @_functools.wraps(function)
    def called(*arguments: Any, **options: Any) -> Any:
        if _mode.inside and _in_graphs.wanted((arguments, options)):
            return _in_graphs.of_function(function, own, arguments, options)
        if _functional.symbolic((arguments, options)):
            return _functional.note(function, arguments, options, own)
        return function(*arguments, **options)

    called.__name__ = called.__qualname__ = own
    called._operation = own  # type: ignore[attr-defined]
    _made[own] = called
    return called


def _given(x: Any, dtype: Any = None) -> Any:
    """Returns the argument as a tensor: a variable by its value."""
    x = _convert.operand(x)
    return x if dtype is None else _elementwise.cast(x, dtype)


def _real(x: Any) -> Any:
    """Returns a tensor of numbers with a fraction: integers and truths become float32."""
    x = _given(x)
    return _elementwise.cast(x, "float32") if x._spec.dtype.kind in "biu" else x


def _pair(x: Any, y: Any) -> tuple[Any, Any]:
    """Returns two operands in one dtype: a fraction's before an integer's, the wider of two of one kind.

    Python's own numbers take the dtype of the other operand if it can hold them.
    """
    known = [isinstance(one, _Tensor | _Cell | _np.ndarray | _np.generic) for one in (x, y)]
    if known == [False, True]:
        y = _given(y)
        x = _weak(x, y)
    elif known == [True, False]:
        x = _given(x)
        y = _weak(y, x)
    x, y = _given(x), _given(y)
    a, b = x._spec.dtype, y._spec.dtype
    if a == b:
        return x, y
    wanted = common_dtype(a, b)
    first, second = (one if one._spec.dtype == wanted else _elementwise.cast(one, wanted) for one in (x, y))
    return first, second


def common_dtype(a: Any, b: Any) -> Any:
    """Returns the dtype of two operands: a fraction's before an integer's, the wider of two of one kind."""
    floats = [one for one in (a, b) if one.kind in "fVc"]
    if len(floats) == 1:
        return floats[0]
    if "b" in (a.kind, b.kind):
        return b if a.kind == "b" else a
    return _np.promote_types(a, b)


def _weak(value: Any, beside: Any) -> Any:
    """Returns Python's own value in the dtype of the other operand, if that can hold it."""
    array, dtype = _np.asarray(value), beside._spec.dtype
    fits = "iufVc" if array.dtype.kind in "iu" else "fVc" if array.dtype.kind == "f" else ""
    return _given(array.astype(dtype)) if not array.ndim and dtype.kind in fits else _given(value)


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis
