"""NumPy's behaviour of tensors: its methods, its promotion in operators and its indexing, once enabled."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions.indexing import get_item
from penstock.tensorflow import _operators
from penstock.tensorflow._elementwise import cast
from penstock.tensorflow._numpy import elementwise, products, promotion, reductions, shapes
from penstock.tensorflow._numpy.promotion import PLACE, common, given, refused
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.local import value_of
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe


@named(f"{PLACE}.experimental_enable_numpy_behavior")
def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Gives tensors NumPy's methods, its promotion in operators and its indexing, from now on.

    `prefer_float32` takes Python's fractions for float32. The newer modes of conversion, "safe" and "all",
    are refused.

    >>> from penstock import tensorflow as tf
    >>> from penstock.tensorflow._numpy.behaviour import disable
    >>> tf.experimental.numpy.experimental_enable_numpy_behavior()
    >>> (tf.constant([1, 2]) + 0.5).reshape(2, 1).T
    <tf.Tensor: shape=(1, 2), dtype=float64, numpy=array([[1.5, 2.5]])>
    >>> disable()
    """
    if dtype_conversion_mode not in ("legacy", "off"):
        raise refused(
            f"The mode of conversion {dtype_conversion_mode!r} is not supported.",
            'Leave out dtype_conversion_mode: "legacy" promotes as NumPy does.',
        )
    promotion.wish.float32 = bool(prefer_float32)
    _operators.numpy_style.promoted = operands if dtype_conversion_mode == "legacy" else None
    _operators.numpy_style.item, _operators.numpy_style.product = item, products.matmul
    for name, one in _METHODS.items():
        _before.setdefault(name, vars(EagerTensor).get(name))
        setattr(EagerTensor, name, one)


def disable() -> None:
    """Takes NumPy's behaviour away from tensors again, which TensorFlow itself cannot."""
    promotion.wish.float32 = False
    style = _operators.numpy_style
    style.promoted = style.item = style.product = None
    for name, one in _before.items():
        if one is None:
            delattr(EagerTensor, name)
        else:
            setattr(EagerTensor, name, one)
    _before.clear()


_before: dict[str, Any] = {}
"""What tensors had before, by the names of the methods."""


def operands(mine: Any, other: Any) -> tuple[Any, Any]:
    """Returns the operands of an operator in the dtype to which NumPy promotes them."""
    if other is None or isinstance(other, str):
        return mine, other
    try:
        dtype = common(mine, other)
    except TypeError:
        return mine, other
    if dtype == mine._spec.dtype and (type(other) is float or (type(other) is int and -129 < other < 128)):
        return mine, other
    return given(mine, dtype), given(other, dtype)


def item(x: Any, key: Any, frame: Any) -> Any:
    """Returns `x[key]` by NumPy's rules if lists or arrays are in the key, and None where none is.

    A list alone stands for one array; with other lists, arrays or slices in it, for a tuple.
    """
    if isinstance(key, list) and any(one is None or one is Ellipsis or _is_array(one) for one in key):
        key = tuple(key)
    keys = key if isinstance(key, tuple) else (key,)
    if not any(_is_array(one) for one in keys if not isinstance(one, slice)):
        return None
    return get_item(x, tuple(_index(one) for one in keys), frame)


def _is_array(one: Any) -> bool:
    return isinstance(one, list | tuple | slice) or bool(getattr(one, "ndim", 0))


def _index(one: Any) -> Any:
    if isinstance(one, slice):
        ends = (one.start, one.stop, one.step)
        return slice(*(int(end) if isinstance(end, Tensor | Cell) else end for end in ends))
    return np.asarray(one) if isinstance(one, list | tuple) else one


def _reshape(self: EagerTensor, *newshape: Any, **options: Any) -> Any:
    """Returns the elements in another shape, given as one tuple or as numbers."""
    if set(options) - {"order"}:
        raise refused(f"Unsupported arguments: {options.keys()}")
    alone = len(newshape) == 1 and not isinstance(newshape[0], int)
    return shapes.reshape(self, newshape[0] if alone else newshape, **options)


def _tolist(self: EagerTensor) -> Any:
    """Returns the elements as Python's numbers in lists."""
    return np.asarray(value_of(self, "tolist()", _frame(1))).tolist()


_METHODS: dict[str, Any] = {
    "T": property(lambda self: shapes.transpose(self)),
    "ndim": property(lambda self: len(self._spec.shape)),
    "size": property(lambda self: np.prod(self._spec.shape, dtype=int)),
    "data": property(lambda self: self),
    "__pos__": lambda self: self,
    "__round__": elementwise.around,
    "tolist": _tolist,
    "transpose": shapes.transpose,
    "flatten": shapes.flatten,
    "reshape": _reshape,
    "ravel": shapes.ravel,
    "clip": elementwise.clip,
    "astype": cast,
    "max": reductions.amax,
    "mean": reductions.mean,
    "min": reductions.amin,
}
