"""tf.bitwise: functions of the bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.declared import named, own_name, row
from penstock.functions import array as native
from penstock.tensorflow._convert import integers, same_dtype
from penstock.tensorflow._tensor import EagerTensor, spoken

_ALLOWED = "int8, int16, int32, int64, uint8, uint16, uint32, uint64"


def _two(names: str, function: Callable[..., Any], purpose: str) -> Callable[..., EagerTensor]:
    def called(x: Any, y: Any, name: Any = None) -> EagerTensor:
        first, second = same_dtype([integers(x, "T", _ALLOWED), y], own)
        return spoken(function(first, second))

    own = "".join(part.capitalize() for part in own_name(names).split("_"))
    text = f"Returns {purpose}, elementwise; the operands are integers of one dtype, and broadcast."
    return row(called, names, text)


bitwise_and = _two("tf.bitwise.bitwise_and", native.bitwise_and, "the bits that are set in both")
bitwise_or = _two("tf.bitwise.bitwise_or", native.bitwise_or, "the bits that are set in one of them or both")
bitwise_xor = _two("tf.bitwise.bitwise_xor", native.bitwise_xor, "the bits that are set in one of them alone")
left_shift = _two(
    "tf.bitwise.left_shift", native.bitwise_left_shift, "x with its bits moved to the left by y places"
)
right_shift = _two(
    "tf.bitwise.right_shift", native.bitwise_right_shift, "x with its bits moved to the right by y places"
)


@named("tf.bitwise.invert")
def invert(x: Any, name: Any = None) -> EagerTensor:
    """Returns every bit turned, elementwise.

    >>> from penstock import tensorflow as tf
    >>> print(tf.bitwise.invert(tf.constant([0, 5])))
    tf.Tensor([-1 -6], shape=(2,), dtype=int32)
    """
    return spoken(native.bitwise_invert(integers(x, "T", _ALLOWED)))
