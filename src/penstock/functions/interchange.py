"""Handing data to and from other libraries through DLPack, without copying where memory can be shared."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import DTypeError
from penstock.state.variable import read
from penstock.trace.convert import convert, is_jax_array, refuse_masked
from penstock.trace.dtypes import refusal
from penstock.trace.tensor import Cell, Tensor, concrete

CPU = (1, 0)
"""DLPack's name for memory of the processor."""


def exports(value: Any) -> bool:
    """Returns whether data comes from another library that NumPy can read through DLPack only."""
    return hasattr(value, "__dlpack__") and not hasattr(value, "__array__")


def from_dlpack(x: Any, *, copy: bool | None = None) -> Tensor:
    """Returns the data of an array of any library as a tensor: see `penstock.from_dlpack`."""
    if isinstance(x, Cell):
        x = read(x)
    if isinstance(x, Tensor):
        return x
    if is_jax_array(x):
        return concrete(x)
    if isinstance(x, np.ndarray):
        refuse_masked(x)
        if not x.dtype.isnative and copy is not False:
            return convert(x)
    try:
        array = np.from_dlpack(x)
    except (BufferError, RuntimeError, TypeError) as error:
        if isinstance(x, np.ndarray):
            raise refusal(f"from_dlpack: {x.dtype} is not a DLPack dtype: {error}.", x.dtype) from None
        # A dtype that NumPy does not know, such as bfloat16, or memory of an accelerator.
        from penstock.tiers.compiler import jax, lack

        lacking = lack()
        if lacking is not None:
            raise DTypeError(
                f"from_dlpack: NumPy cannot take this {type(x).__name__}: {error}.",
                why=f"JAX takes dtypes and memory that NumPy does not know, but {lacking.clause}.",
                remedy=f"{lacking.remedy}\nOr hand it over as float32, in memory of the processor.",
            ) from None
        with jax().enable_x64(True):
            return concrete(jax().dlpack.from_dlpack(x, copy=copy))
    array = array.copy() if copy else array.view()
    array.flags.writeable = False
    return concrete(array)


def to_dlpack(
    value: Any,
    stream: Any,
    max_version: tuple[int, int] | None,
    dl_device: tuple[int, int] | None,
    copy: bool | None,
) -> Any:
    """Returns a runtime value as a DLPack capsule.

    A tensor's memory is read-only. Before version 1.0 the protocol could not say so: it gets a copy, unless
    `copy=False` requests the memory itself, which then must not be changed.
    """
    unmarked = max_version is None or max_version < (1, 0)
    max_version = None if unmarked else max_version
    options = {"stream": stream, "max_version": max_version, "dl_device": dl_device}
    options = {name: one for name, one in options.items() if one is not None}
    if is_jax_array(value):
        return value.__dlpack__(**options, copy=copy)
    array = np.asarray(value)
    if copy or (copy is None and unmarked):
        array = array.copy()
    elif unmarked:
        array = np.asarray(_Lent(array))
    else:
        array = array.view()
        array.flags.writeable = False
    return array.__dlpack__(**options)


class _Lent:
    """The memory of an array, without the mark that it is read-only."""

    def __init__(self, array: Any) -> None:
        self.array = array
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def dlpack_device(value: Any) -> tuple[int, int]:
    """Returns the device of a runtime value, as DLPack's type and number."""
    if is_jax_array(value):
        kind, number = value.__dlpack_device__()
        return int(kind), int(number)
    return CPU
