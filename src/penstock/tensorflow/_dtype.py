"""Dtypes that print as TensorFlow's do and equal NumPy's dtypes and their names."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._string_type import STRING

_C_NAMES = {"float16": "half", "float32": "float", "float64": "double"}


@named("tf.DType", "tf.dtypes.DType")
class DType:
    """A dtype as TensorFlow shows it. `dtype` is its NumPy dtype.

    >>> from penstock import tensorflow as tf
    >>> print(tf.float32, tf.float32 == "float32", tf.int64.is_integer)
    <dtype: 'float32'> True True
    """

    __slots__ = ("dtype", "name")

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.name: str = dtype.name

    @property
    def as_numpy_dtype(self) -> type[np.generic]:
        """The NumPy type of one element."""
        return self.dtype.type

    @property
    def kind(self) -> str:
        """NumPy's letter for the kind of number."""
        return self.dtype.kind

    @property
    def itemsize(self) -> int:
        """How many bytes an element takes."""
        return self.dtype.itemsize

    @property
    def size(self) -> int:
        """How many bytes an element takes."""
        return self.dtype.itemsize

    @property
    def is_floating(self) -> bool:
        """Whether elements are real numbers with a fraction."""
        return self.dtype.kind in "fV"

    @property
    def is_integer(self) -> bool:
        """Whether elements are whole numbers."""
        return self.dtype.kind in "iu"

    @property
    def is_complex(self) -> bool:
        """Whether elements are complex numbers."""
        return self.dtype.kind == "c"

    @property
    def is_bool(self) -> bool:
        """Whether elements are booleans."""
        return self.dtype.kind == "b"

    @property
    def is_unsigned(self) -> bool:
        """Whether elements are whole numbers that cannot be negative."""
        return self.dtype.kind == "u"

    @property
    def is_numeric(self) -> bool:
        """Whether elements are numbers rather than booleans."""
        return self.dtype.kind != "b"

    @property
    def base_dtype(self) -> DType:
        """This dtype: there are no reference dtypes."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part."""
        return as_dtype(np.zeros((), self.dtype).real.dtype) if self.is_complex else self

    @property
    def min(self) -> Any:
        """The smallest finite value."""
        return self._limit("min")

    @property
    def max(self) -> Any:
        """The largest finite value."""
        return self._limit("max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of values of this dtype when they represent intensities."""
        return (self.min, self.max) if self.is_integer else (0, 1)

    def _limit(self, which: str) -> Any:
        if self.is_integer:
            return getattr(np.iinfo(self.dtype), which)
        if self.dtype.kind == "f":
            return getattr(np.finfo(self.dtype), which)
        raise TypeError(f"Cannot find {which}imum value of {self} with type {self}.")

    def is_compatible_with(self, other: Any) -> bool:
        """Returns whether `other` names this dtype."""
        return bool(self == other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return bool(self.dtype == other.dtype)
        if other is None:
            return False
        try:
            return bool(self.dtype == np.dtype(other))  # type: ignore[call-overload]
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


_known: dict[np.dtype[Any], DType] = {}


BY_NUMBER = {
    1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", 7: "string", 8: "complex64",
    9: "int64", 10: "bool", 14: "bfloat16", 17: "uint16", 18: "complex128", 19: "float16", 22: "uint32",
    23: "uint64",
}  # fmt: skip
"""Dtypes by the numbers that TensorFlow has for them, in files and in messages."""


@named("tf.as_dtype", "tf.dtypes.as_dtype")
def as_dtype(value: Any) -> DType:
    """Returns the dtype of a DType, a NumPy dtype or type, a name, or Python's float or bool.

    A whole number is TensorFlow's number of a dtype. Raises TypeError for anything else. Python's int is
    not one, as in TensorFlow: it has no width.
    """
    if isinstance(value, DType):
        return value
    if getattr(value, "name", value) == "string":
        return STRING  # type: ignore[return-value]
    if value is float:
        value = np.float32
    try:
        if value is None or value is int:
            raise TypeError
        # Words that have another meaning, or none, in NumPy.
        if isinstance(value, str):
            value = {"half": "float16", "float": "float32", "double": "float64"}.get(value, value)
        dtype = np.dtype(value)
    except TypeError:
        if value == "bfloat16":
            return bfloat16()
        if type(value) is int and value in BY_NUMBER:
            return as_dtype(BY_NUMBER[value])
        raise TypeError(
            f"Cannot convert the argument `type_value`: {value!r} to a TensorFlow DType."
        ) from None
    if dtype.kind not in "biufcV":
        raise TypeError(
            f"Tensors of dtype {dtype} are not supported by penstock.tensorflow yet: numbers and booleans "
            "are."
        )
    found = _known.get(dtype)
    return found if found is not None else _known.setdefault(dtype, DType(dtype))


def numpy_dtype(value: Any) -> np.dtype[Any]:
    """Returns the NumPy dtype that `as_dtype` finds."""
    return as_dtype(value).dtype


def c_name(dtype: Any) -> str:
    """Returns a dtype's name as TensorFlow's kernels write it: float for float32, double for float64."""
    name = dtype if isinstance(dtype, str) else np.dtype(dtype).name
    return _C_NAMES.get(name, name)


def bfloat16() -> DType:
    import ml_dtypes

    return as_dtype(np.dtype(ml_dtypes.bfloat16))
