"""Dtypes under Paddle's names, and the default dtype."""

from __future__ import annotations

import builtins
from typing import Any

import ml_dtypes
import numpy as np

from penstock.declared import named
from penstock.paddle._declaring import in_paddle
from penstock.trace.source_site import here

_CODES = {
    "bool": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "uint32": 6, "int32": 7, "uint64": 8,
    "int64": 9, "float32": 10, "float64": 11, "complex64": 12, "complex128": 13, "float16": 15,
    "bfloat16": 16,
}  # fmt: skip


@in_paddle
class dtype:
    """A dtype as Paddle shows it. `numpy` is its NumPy dtype.

    >>> from penstock import paddle
    >>> print(paddle.float32, paddle.to_tensor([1]).dtype == paddle.int64)
    paddle.float32 True
    """

    __slots__ = ("name", "numpy")

    def __init__(self, numpy: np.dtype[Any]) -> None:
        self.numpy = numpy
        self.name: str = numpy.name.upper()

    def __str__(self) -> str:
        return f"paddle.{self.numpy.name}"

    def __repr__(self) -> str:
        return f"<DataType.{self.name}: {_CODES[self.numpy.name]}>"

    @property
    def value(self) -> int:
        """Paddle's number of the dtype."""
        return _CODES[self.numpy.name]

    def __int__(self) -> int:
        return self.value

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return self.numpy.itemsize

    @property
    def is_floating_point(self) -> builtins.bool:
        """Whether elements are real numbers with a fraction."""
        return self.numpy.kind in "fV"


bool = dtype(np.dtype(np.bool_))
uint8, int8, int16 = dtype(np.dtype(np.uint8)), dtype(np.dtype(np.int8)), dtype(np.dtype(np.int16))
int32, int64 = dtype(np.dtype(np.int32)), dtype(np.dtype(np.int64))
float16, float32 = dtype(np.dtype(np.float16)), dtype(np.dtype(np.float32))
float64, bfloat16 = dtype(np.dtype(np.float64)), dtype(np.dtype(ml_dtypes.bfloat16))
complex64, complex128 = dtype(np.dtype(np.complex64)), dtype(np.dtype(np.complex128))

_BY_NAME = {
    one.numpy.name: one
    for one in (
        bool, uint8, int8, int16, int32, int64, float16, float32, float64, bfloat16, complex64, complex128,
    )
}  # fmt: skip
for _name, _one in _BY_NAME.items():
    named(f"paddle.{_name}")(_one)
    setattr(dtype, _one.name, _one)
for _name in ("uint16", "uint32", "uint64"):
    setattr(dtype, _name.upper(), dtype(np.dtype(_name)))


class _Default:
    """The dtype of Python floats where none is named."""

    value = np.dtype(np.float32)


def shown(wanted: np.dtype[Any]) -> dtype:
    """Returns a NumPy dtype as Paddle's."""
    return _BY_NAME.get(wanted.name) or dtype(wanted)


def numpy_dtype(wanted: Any) -> np.dtype[Any]:
    """Returns what a user names as a dtype (a name, Paddle's, NumPy's or Python's) as NumPy's.

    Names that are not Paddle's are NumPy's: "float" has 64 bits. Raises TypeError for anything else.
    """
    if isinstance(wanted, dtype):
        return wanted.numpy
    if isinstance(wanted, str):
        wanted = wanted.removeprefix("paddle.")
        if wanted == "uint16":  # Paddle keeps bfloat16 in NumPy's arrays of uint16.
            return bfloat16.numpy
        if wanted in _BY_NAME:
            return _BY_NAME[wanted].numpy
    if wanted is not None:
        try:
            found = _BY_NAME.get(np.dtype(wanted).name)
        except TypeError:
            found = None
        if found is not None:
            return found.numpy
    from penstock.paddle._errors import InvalidTypeError

    raise InvalidTypeError(
        f"{wanted!r} is not a dtype.", remedy=f"Use one of {', '.join(_BY_NAME)}.", site=here()
    )


def default_dtype() -> np.dtype[Any]:
    """Returns the NumPy dtype of Python floats."""
    return _Default.value


@in_paddle
def set_default_dtype(d: Any) -> None:
    """Sets the dtype that Python floats become: float16, float32 or float64."""
    _Default.value = numpy_dtype(d)


@in_paddle
def get_default_dtype() -> str:
    """Returns the name of the dtype that Python floats become."""
    return _Default.value.name
