"""Turning what users write (numbers, lists, NumPy and JAX arrays) into tensors that hold a value."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.errors import DTypeError
from penstock.trace.dtypes import PLAIN, holds, native, of_objects, refusal
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor, concrete

_ARRAYS = (np.ndarray, np.generic)


def is_jax_array(value: Any) -> bool:
    """Returns whether a value lives in JAX, without importing it."""
    # Another thread may be importing it at this moment: then no array of it exists yet.
    kind = getattr(sys.modules.get("jax"), "Array", None)
    return kind is not None and isinstance(value, kind)


def refuse_unknown(value: Any) -> None:
    """Raises DTypeError for an array of JAX without numbers: a key, or a value that is not known yet."""
    if not isinstance(value.dtype, np.dtype):
        raise DTypeError(
            f"An array of JAX has dtype {value.dtype}: it holds random keys, not numbers.",
            remedy="Give ps.random a key of ps.random.key(). Its numbers are jax.random.key_data(x).",
            site=here(),
        )
    tracer = sys.modules["jax"].core.Tracer
    if isinstance(value, tracer):
        raise DTypeError(
            f"A value of JAX of shape {value.shape} is not known yet: it belongs to a function that JAX "
            "traces, as jax.jit, jax.grad and jax.vmap do.",
            why="Penstock records and compiles steps by itself, and computes with numbers that exist.",
            remedy="Call it outside of that function, or write ps.grad, ps.vmap and ps.step for jax's.",
            site=here(),
        )


OFFERS = ("__array__", "__dlpack__", "__array_interface__", "__cuda_array_interface__")
"""The attributes that mark an array of another library; they must be on its class."""


def offers(value: Any) -> bool:
    """Returns whether a value is an array of any library, NumPy's among them: see trace/protocols.py.

    >>> offers(np.ones(2)), offers([1.0, 2.0]), offers(3.0)
    (True, False, False)
    """
    kind = type(value)
    return any(hasattr(kind, one) for one in OFFERS)


def is_array(value: Any) -> bool:
    """Returns whether a value can become a tensor on its own: an array of any library."""
    return isinstance(value, _ARRAYS) or is_jax_array(value) or offers(value)


def convert(
    value: Any, dtype: Any = None, kind: type[Tensor] = Tensor, default_integer: Any = np.int64
) -> Tensor:
    """Returns array-like data as a tensor of class `kind`, copied so that later changes to it do not show.

    Python floats, alone or in lists, become float32, complex numbers complex64, integers `default_integer`;
    NumPy and JAX values keep their dtype, in the byte order of the processor. Raises DTypeError for data that
    is not numeric, or masked.
    """
    if is_jax_array(value):
        refuse_unknown(value)
        if dtype is None or value.dtype == dtype:
            return concrete(value, kind)
    if type(value) is np.ndarray and dtype is None and value.dtype in PLAIN:
        # The usual batch: it needs no other test.
        array = np.array(value)
    elif isinstance(value, _ARRAYS):
        array = copied(value, dtype)
    else:
        refuse_masked(value)
        if offers(value):
            from penstock.trace.protocols import taken

            array = taken(value)
            if is_jax_array(array):
                return convert(array, dtype, kind, default_integer)
        else:
            try:
                array = np.asanyarray(value)
            except ValueError:
                raise _not_numeric(value) from None
        if not hasattr(value, "dtype"):
            if array.dtype.kind == "O":
                array = of_objects(value, array)
            if array.dtype.kind not in "biufcV":
                raise _not_numeric(value)
            if dtype is None:
                dtype = _weak_dtype(array, value, default_integer)
        array = copied(array, dtype)
    array.flags.writeable = False
    return concrete(array, kind)


def as_tensor(value: Any, kind: type[Tensor] = Tensor) -> Tensor:
    """Returns array-like data as a tensor: float64 Python data becomes float32, NumPy dtypes are kept."""
    if hasattr(type(value), "dense_rows"):
        # A gradient of rows is recorded like any tensor: its history stays.
        return value.dense()  # type: ignore[no-any-return]
    return convert(value, None, kind)


def handed_out(array: np.ndarray[Any, Any], dtype: Any, copy: bool | None) -> np.ndarray[Any, Any]:
    """Returns the array of a tensor as NumPy asks for it: a view that cannot be written, or a copy."""
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    if copy:
        return array.copy()
    view = array.view()
    view.flags.writeable = False
    return view


def copied(data: Any, dtype: Any = None) -> np.ndarray[Any, Any]:
    """Returns a copy of NumPy's data in a dtype that a tensor has, in the byte order of the processor.

    Raises DTypeError for data that is masked, and for dates, words, records and extended precision, unless
    `dtype` says which numbers they are to be.
    """
    if type(data) is not np.ndarray:
        refuse_masked(data)
    if dtype is not None and data.dtype.names:
        raise refusal(f"{_short(data)} is made of records, which a tensor cannot hold.", data.dtype)
    try:
        array = np.array(data, dtype)
    except (TypeError, ValueError) as error:
        raise DTypeError(
            f"{_short(data)} has dtype {data.dtype}, and not all of it converts to {dtype}: {error}.",
            remedy="Convert it to numbers first.",
            site=here(),
        ) from None
    if holds(array.dtype):
        return array
    try:
        return array.astype(native(array.dtype))
    except DTypeError:
        fact = f"{_short(data)} has dtype {array.dtype}, which a tensor cannot have."
        raise refusal(fact, array.dtype, array) from None


def _not_numeric(value: Any) -> DTypeError:
    return DTypeError(
        f"{type(value).__name__} {shown(value)} is not numeric data.",
        site=here(),
        why="A tensor holds numbers or booleans in a rectangular array.",
        remedy="Give numbers, nested lists of equal lengths, or an array.",
    )


def refuse_masked(value: Any) -> None:
    """Raises DTypeError where elements of an array, or of arrays in a list, are masked."""
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    if masked is not None:
        _refuse_masked(value, masked)


def _refuse_masked(value: Any, masked: Any) -> None:
    if isinstance(value, masked):
        count = int(np.count_nonzero(np.ma.getmaskarray(value)))
        if count:
            raise DTypeError(
                f"{count} of {value.size} elements of a {type(value).__name__} are masked.",
                why="A tensor has no mask: the masked values would count as data.",
                remedy="Give array.filled(0.0), and numpy.ma.getmaskarray(array) where the mask is needed, "
                "or array.compressed() for the unmasked values alone.",
                site=here(),
            )
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], int | float | complex):
        for one in value:
            _refuse_masked(one, masked)


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


def shown(value: Any) -> str:
    """Returns a value for a message on one line: arrays, also those in a list, by dtype and shape.

    >>> import numpy as np
    >>> shown([np.zeros((2, 3), np.float32), 1.0])
    '[float32[2, 3], 1.0]'
    """
    if isinstance(value, list | tuple) and any(getattr(one, "shape", ()) for one in value):
        first = [shown(one) for one in value[:4]]
        return f"[{', '.join(first)}{', ...' * (len(value) > len(first))}]"
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape and hasattr(value, "dtype"):
        return f"{value.dtype}{list(shape)}"
    return _short(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
