"""The dtype functions of the standard: casting, promotion, limits and kinds."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, DTypeError
from penstock.functions.arguments import check_device, dtype_of, tensor
from penstock.ops.complex_parts import real_dtype
from penstock.ops.promotion import kind_of, native
from penstock.ops.table import cast
from penstock.state.variable import read
from penstock.trace.source_site import here
from penstock.trace.spec import Spec, spec
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:  # noqa: ARG001 - of the array standard
    """Returns `x` converted to another dtype. Between floating-point dtypes gradients pass.

    Numbers that do not fit an integer dtype become the nearest that does, and NaN becomes 0. A tensor never
    changes, so that `copy` makes no difference.

    Args:
        x: a tensor of any shape and dtype, or a value that `asarray` accepts.
        dtype: the dtype to convert to, or its name.
        copy: there for the array API standard; a tensor never changes.
        device: there for the array API standard: None or "cpu".

    Returns:
        A tensor of the shape of `x`.

    Raises:
        DTypeError: if `x` or `dtype` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.astype(ps.asarray([1.7, -1.7]), "int64")
    Tensor([ 1, -1], dtype=int64)
    """
    check_device(device)
    x = tensor(x)
    dtype = dtype_of(dtype)
    if dtype == x.dtype:
        return read(x) if isinstance(x, Cell) else x
    return cast.record((x,), {"dtype": dtype}, _frame(1))


def can_cast(from_: Any, to: Any, /) -> bool:
    """Returns whether promotion may turn one dtype, or a tensor's, into another.

    Args:
        from_: a dtype, or a tensor that has it.
        to: a dtype.

    Returns:
        A bool.

    Raises:
        DTypeError: if `from_` or `to` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.can_cast(ps.int32, ps.int64), ps.can_cast(ps.int64, ps.int32)
    (True, False)
    """
    start, end = _dtype_in(from_), dtype_of(to)
    if "V" in (start.kind, end.kind):
        # NumPy does not know bfloat16: it has the range of float32 and fewer digits.
        return start == end or (start.kind == "V" and end in (np.float32, np.float64))
    return bool(np.can_cast(start, end))


def _dtype_in(x: Any) -> np.dtype[Any]:
    if isinstance(x, Tensor | Cell):
        return x._spec.dtype
    if isinstance(x, np.ndarray | np.generic):
        return x.dtype
    return dtype_of(x)


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Returns the dtype that an operation brings tensors, dtypes and Python numbers to.

    Args:
        arrays_and_dtypes: tensors, dtypes and Python numbers.

    Returns:
        A dtype.

    Raises:
        DTypeError: if `arrays_and_dtypes` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.result_type(ps.float32, ps.zeros((2,), dtype=ps.float64), 3).name
    'float64'
    """
    specs: list[Spec | None] = []
    numbers: list[Any] = []
    for one in arrays_and_dtypes:
        number = isinstance(one, bool | int | float | complex) and not isinstance(one, np.generic)
        specs.append(None if number else spec((), _dtype_in(one)))
        numbers.append(one if number else None)
    if all(one is None for one in specs):
        raise DTypeError(
            "result_type was given neither a tensor nor a dtype.",
            why="A Python number takes the dtype of the tensor it is combined with.",
            site=here(),
        )
    return native("result_type", specs, numbers)


@dataclass(frozen=True)
class FloatingInfo:
    """The limits of a floating-point dtype, as `finfo` returns them; those of a complex one are its parts'.

    `bits` is the size, `eps` the distance from 1 to the next number, `smallest_normal` the smallest positive
    number with all its digits.
    """

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class IntegerInfo:
    """The limits of an integer dtype, as `iinfo` returns them."""

    bits: int
    max: int
    min: int
    dtype: np.dtype[Any]


def finfo(type: Any, /) -> FloatingInfo:
    """Returns the limits of a floating-point dtype, or of a tensor's.

    Args:
        type: a floating-point or complex dtype, or a tensor.

    Returns:
        An object with `bits`, `min`, `max` and others.

    Raises:
        DTypeError: if `type` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.finfo(ps.float32).eps == 2**-23
    True
    """
    dtype = real_dtype(_dtype_in(type))
    if kind_of(dtype) != "f":
        raise DTypeError(f"finfo: {dtype.name} is not floating-point.", remedy="Use iinfo.", site=here())
    if dtype.kind == "V":
        import ml_dtypes

        found: Any = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    else:
        found = np.finfo(dtype)
    eps, largest, smallest = float(found.eps), float(found.max), float(found.min)
    return FloatingInfo(int(found.bits), eps, largest, smallest, float(found.smallest_normal), dtype)


def iinfo(type: Any, /) -> IntegerInfo:
    """Returns the limits of an integer dtype, or of a tensor's.

    Args:
        type: an integer dtype, or a tensor.

    Returns:
        An object with `bits`, `min`, `max` and others.

    Raises:
        DTypeError: if `type` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.iinfo(ps.int8).max
    127
    """
    dtype = _dtype_in(type)
    if dtype.kind not in "iu":
        raise DTypeError(f"iinfo: {dtype.name} is not an integer dtype.", remedy="Use finfo.", site=here())
    found = np.iinfo(dtype)
    return IntegerInfo(int(found.bits), int(found.max), int(found.min), dtype)


KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "fV",
    "complex floating": "c",
    "numeric": "iufVc",
}


def isdtype(dtype: Any, kind: Any) -> bool:
    """Returns whether a dtype is another, or of a kind, or any of several.

    Kinds are "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating"
    and "numeric".

    Args:
        dtype: a dtype.
        kind: a dtype, the name of a kind, or a tuple of them.

    Returns:
        A bool.

    Raises:
        DTypeError: if `dtype` or `kind` has the wrong dtype or type.
        ArgumentError: if `kind` has a value that is not allowed.

    >>> import penstock as ps
    >>> ps.isdtype(ps.float32, "real floating"), ps.isdtype(ps.int8, (ps.bool, "integral"))
    (True, True)
    """
    dtype = dtype_of(dtype)
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(kind, str):
        return bool(dtype == dtype_of(kind))
    if kind not in KINDS:
        raise ArgumentError(
            f"isdtype: {kind!r} is not a kind of dtype.",
            remedy=f"Use one of {', '.join(KINDS)}, or a dtype.",
            site=here(),
        )
    return dtype.kind in KINDS[kind]


__all__ = ["astype", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]
