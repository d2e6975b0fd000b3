"""The dtypes of tf.experimental.numpy: NumPy's promotion, and arguments as tensors of the promoted dtype."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from penstock.declared import named, row
from penstock.tensorflow._assign_result import UnreadVariable
from penstock.tensorflow._convert import constant, tensor_of
from penstock.tensorflow._dtype import DType, as_dtype
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._strings import StringTensor, is_text
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace import structure
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

PLACE = "tf.experimental.numpy"
HANDLES = (Tensor, Cell, UnreadVariable)


class _Wish:
    """Whether Python's fractions are float32: see `experimental_enable_numpy_behavior`."""

    float32 = False


wish = _Wish()


def name_of(names: str) -> str:
    """Returns full names of this module: `"abs absolute"` has two."""
    return " ".join(f"{PLACE}.{one}" for one in names.split())


def listed(names: str, function: Any, purpose: str) -> Any:
    """Declares a function of a table under its names in tf.experimental.numpy."""
    return row(function, name_of(names), f"Returns {purpose}: see NumPy's function of this name.")


def part(value: Any) -> Any:
    """Returns what decides the dtype of one value in NumPy's promotion: a number, a dtype or an array."""
    if isinstance(value, UnreadVariable):
        value = value._variable
    if isinstance(value, Tensor | Cell):
        return value._spec.dtype
    if isinstance(value, StringTensor):
        return np.dtype(np.str_)
    if isinstance(value, DType):
        return value.dtype
    if wish.float32 and isinstance(value, float | complex):
        return np.float32(value) if isinstance(value, float) else np.complex64(value)
    return value


def common(*values: Any) -> np.dtype[Any]:
    """Returns the dtype to which NumPy promotes values and dtypes, and those in lists."""
    parts = [part(one) for one in structure.flat(list(values))]
    numbers_seen = {type(one): one for one in parts if isinstance(one, bool | int | float | complex)}
    others = [one for one in parts if not isinstance(one, bool | int | float | complex)]
    whole = [abs(one) for one in parts if type(one) is int]
    if whole:
        numbers_seen[int] = max(whole)
    together = [*others, *numbers_seen.values()]
    return np.result_type(*together) if together else np.dtype(np.float64)


@named(f"{PLACE}.result_type")
def result_type(*arrays_and_dtypes: Any) -> DType:
    """Returns the dtype to which NumPy promotes arrays, numbers and dtypes.

    >>> from penstock import tensorflow as tf
    >>> tf.experimental.numpy.result_type(tf.constant(1), 1.5)
    tf.float64
    """
    return as_dtype(common(*arrays_and_dtypes))


@named(f"{PLACE}.promote_types")
def promote_types(type1: Any, type2: Any) -> Any:
    """Returns the NumPy dtype to which two dtypes are promoted."""
    return np.promote_types(common(type1), common(type2))


def given(value: Any, dtype: Any = None) -> Any:
    """Returns an argument as a tensor of the dtype that NumPy gives it, or of the requested one."""
    if isinstance(value, HANDLES):
        tensor = tensor_of(value)
        return tensor if dtype is None or tensor._spec.dtype == common(dtype) else cast(tensor, common(dtype))
    if is_text(value):
        return constant(value)
    wanted = common(value if dtype is None else dtype)
    if isinstance(value, list | tuple) and structure.holds(value, HANDLES):
        from penstock.tensorflow._arrays import stack

        return stack([given(one, wanted) for one in value])
    if isinstance(value, list | tuple | numbers.Number | np.ndarray | np.generic):
        try:
            array = np.asarray(value)
        except ValueError:
            raise ArgumentError(
                "Can't convert non-rectangular Python sequence to Tensor.", site=here()
            ) from None
        return tensor_of(array.astype(wanted))
    return cast(tensor_of(value), wanted)


def agreed(*values: Any) -> list[EagerTensor]:
    """Returns arguments as tensors of the one dtype to which NumPy promotes them."""
    dtype = common(*values)
    return [given(one, dtype) for one in values]


def fraction(value: Any) -> Any:
    """Returns an argument as a tensor of numbers with a fraction: whole numbers and truths become float64."""
    x = given(value)
    return x if x._spec.dtype.kind in "fcV" else cast(x, np.float64)


def rank_of(x: EagerTensor) -> int:
    """Returns the number of axes."""
    return len(x._spec.shape)


def integer(dtype: np.dtype[Any]) -> bool:
    """Returns whether a dtype is one of whole numbers."""
    return dtype.kind in "iu"


def refused(text: str, remedy: str = "") -> ArgumentError:
    """Returns the error for an argument that TensorFlow does not take either."""
    return ArgumentError(text, remedy=remedy, site=here())
