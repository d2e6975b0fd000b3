"""Operators of tensors and leaves: checked by Paddle's rules when first met, one look-up from then on."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.errors import PenstockError, RangeError
from penstock.functions import operators
from penstock.functions.indexing import get_item
from penstock.ops import bits, index, linear, pointwise, shape
from penstock.ops.promotion import kind_of
from penstock.ops.table import Primitive
from penstock.paddle._convert import HANDLES, as_array, converted, data, operand, record, translated
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._tensor import Leaf, Tensor
from penstock.state.variable import updating
from penstock.trace.fast_path import Method, find
from penstock.trace.local import local
from penstock.trace.source_site import here, user_frame

_frame = sys._getframe
_EQUALITY = (pointwise.equal, pointwise.not_equal)
_LOGICAL = (pointwise.logical_and, pointwise.logical_or, pointwise.logical_xor)
_NATIVE: dict[str, operators.Slow] = {
    "divide": operators.record_divide,
    "power": operators.record_power,
}


def agreeing(word: str, other: Any) -> Any:
    """Returns the other operand of an operator as Paddle takes it: a tensor, a number, or an array."""
    if isinstance(other, HANDLES) or type(other) in (int, float, complex):
        return other
    if type(other) is bool:
        return int(other)
    if isinstance(other, np.generic) and other.dtype.kind in "biuf":
        return other.item()
    if isinstance(other, np.ndarray):
        return data(as_array(other))
    raise InvalidTypeError(
        f"{word}(): argument (position 1) must be int, float, bool or Tensor, but got {type(other).__name__}",
        origin="" if other is not None else "the operand is None: perhaps a gradient that does not exist",
        remedy="Convert it to a tensor: paddle.to_tensor(value).",
        site=here(),
    )


def binary(primitive: Primitive, mine: Any, other: Any, reflected: bool, word: str, frame: Any) -> Any:
    """Records an operation of two operands by Paddle's rules; `mine` is a tensor or a leaf."""
    if primitive in _EQUALITY and (other is None or isinstance(other, str | list | tuple)):
        return primitive is pointwise.not_equal
    other = agreeing(word, other)
    kind = kind_of(mine._spec.dtype)
    if kind == "b" and primitive not in _LOGICAL and primitive not in _EQUALITY:
        if isinstance(other, HANDLES) and kind_of(other._spec.dtype) == "b":
            wanted: Any = np.int64 if primitive is not pointwise.divide else np.float32
            if primitive in (pointwise.multiply, pointwise.add):
                logical = pointwise.logical_and if primitive is pointwise.multiply else pointwise.logical_or
                return record(logical, (mine, other), {}, frame)
            mine, other = (converted(one, np.dtype(wanted), frame) for one in (mine, other))
        elif not isinstance(other, HANDLES):
            mine = converted(mine, np.dtype(np.int64 if type(other) is int else np.float32), frame)
    if primitive in _LOGICAL and not word.startswith("__"):
        mine, other = (_truth(one, frame) for one in (mine, other))
    elif primitive in _LOGICAL and kind != "b":
        primitive = _BITS[primitive]
    left, right = (other, mine) if reflected else (mine, other)
    try:
        return _NATIVE.get(primitive.name, operators.record_binary)(primitive, left, right, frame)
    except PenstockError as error:
        raise translated(error) from None


def _truth(value: Any, frame: Any) -> Any:
    """Returns where a value is not 0, as the logical functions take it."""
    if not isinstance(value, HANDLES):
        return data(np.asarray(bool(value)))
    return value if value._spec.dtype == np.bool_ else record(pointwise.not_equal, (value, 0), {}, frame)


_BITS = {
    pointwise.logical_and: bits.bitwise_and,
    pointwise.logical_or: bits.bitwise_or,
    pointwise.logical_xor: bits.bitwise_xor,
}


def _binary_method(primitive: Primitive, reflected: bool, word: str) -> Any:
    def first_time(self: Any, other: Any) -> Any:
        return binary(primitive, self, other, reflected, word, user_frame(1))

    return Method(primitive.code, Tensor, first_time, reflected)


def _unary_method(primitive: Primitive) -> Any:
    def first_time(self: Any) -> Any:
        if primitive is pointwise.negative and self._spec.dtype == np.bool_:
            return self
        if primitive is pointwise.logical_not and self._spec.dtype != np.bool_:
            return record(bits.bitwise_invert, (self,), {}, user_frame(1))
        return record(primitive, (self,), {}, user_frame(1))

    return Method(primitive.code, Tensor, first_time)


def matmul(a: Any, b: Any, frame: Any) -> Any:
    """Returns the matrix product; a vector counts as a row on the left and as a column on the right."""
    found = find(linear.matmul.code, a, b)
    if found is not None:
        return found
    a, b = operand(a), operand(b)
    left, right = a._spec.shape, b._spec.shape
    if not left or not right:
        raise InvalidValueError(
            f"The Input(X) dims size must be greater than 0, but received {list(left)} and {list(right)}.",
            site=here(),
        )
    inner = right[-2] if len(right) > 1 else right[0]
    if left[-1] != inner:
        raise InvalidValueError(
            f"In operator matmul, the [{len(left) - 1}] dimension of Input(X) must be equal to the "
            f"[{max(len(right) - 2, 0)}] dimension of Input(Y). But receiving the [{len(left) - 1}]dimension "
            f"of Input(X) is [{left[-1]}], and the [{max(len(right) - 2, 0)}] dimension of Input(Y) is "
            f"[{inner}].",
            origin=f"X has shape {list(left)}, Y has shape {list(right)}",
            remedy="Transpose or reshape one of them.",
            site=here(),
        )
    try:
        return operators.matmul(a, b, frame)
    except PenstockError as error:
        raise translated(error) from None


def _same(self: Any) -> Any:
    """Returns this tensor."""
    return self


def _matmul_method(reflected: bool) -> Any:
    def first_time(self: Any, other: Any) -> Any:
        other = agreeing("__matmul__", other)
        return matmul(other, self, user_frame(1)) if reflected else matmul(self, other, user_frame(1))

    return Method(linear.matmul.code, Tensor, first_time, reflected)


# -- indexing --------------------------------------------------------------------------------------------


def _get_item(self: Any, key: Any) -> Any:
    return item(self, key, user_frame(1))


def item(x: Any, key: Any, frame: Any) -> Any:
    """Returns `x[key]`: integers, slices, ..., None, tensors of integers, lists, or one mask."""
    key = _plain_key(key)
    mask = _mask_of(key)
    if mask is not None:
        return masked(x, mask, frame)
    try:
        if (keys := _numbers_apart(key)) is not None:
            return get_item(get_item(x, keys[0], frame), keys[1], frame)
        if _is_everything(key):
            return record(shape.reshape, (x,), {"shape": x._spec.shape}, frame)
        return get_item(x, key, frame)
    except RangeError as error:
        keys = key if isinstance(key, tuple) else (key,)
        _refuse_ellipses(keys)
        for axis, one in enumerate(keys):
            length = x._spec.shape[axis] if axis < x._spec.ndim else 0
            if isinstance(one, int) and not -length <= one < length:
                raise RangeError(
                    f"The starting index {one} of slice is out of bounds in tensor {axis}-th axis, it should "
                    f"be in the range of [{-length}, {length}).",
                    remedy=error.remedy,
                    site=here(),
                ) from None
        raise
    except PenstockError as error:
        raise translated(error) from None


def _refuse_ellipses(keys: tuple[Any, ...]) -> None:
    """Raises ValueError, as Paddle does, if there are several ellipses."""
    if sum(one is Ellipsis for one in keys) > 1:
        raise InvalidValueError(
            "An index can only have a single ellipsis ('...').", remedy="Keep one ...", site=here()
        ) from None


def _is_everything(key: Any) -> bool:
    """Returns whether a key picks a tensor as it is."""
    return key is Ellipsis or (
        isinstance(key, slice) and key.start is None and key.stop is None and key.step is None
    )


def _numbers_apart(key: Any) -> tuple[Any, Any] | None:
    """Splits an index with numbers and arrays: first the numbers and slices, then the arrays.

    In NumPy a number next to arrays counts as one of them, so that the entries in between decide the position
    of the result's axis; in Paddle it does not. None if there is no difference.
    """
    if not isinstance(key, tuple) or not any(isinstance(one, int) for one in key):
        return None
    arrays = [isinstance(one, (*HANDLES, np.ndarray)) for one in key]
    if not any(arrays) or any(isinstance(one, bool) for one in key):
        return None
    first: list[Any] = []
    then: list[Any] = []
    for one, is_array in zip(key, arrays, strict=True):
        if is_array:
            spec = one if isinstance(one, np.ndarray) else one._spec
            first += [slice(None)] * (spec.ndim if spec.dtype == np.bool_ else 1)
            then.append(one)
        else:
            first.append(one)
            if not isinstance(one, int):
                then.append(Ellipsis if one is Ellipsis else slice(None))
    return tuple(first), tuple(then)


def _plain_key(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(_plain_key(one) for one in key)
    if isinstance(key, (*HANDLES, np.ndarray)):
        return _number(key)
    if isinstance(key, list | range):
        return data(as_array(list(key)) if len(key) else np.zeros((0,), np.int64))
    if isinstance(key, np.integer):
        return int(key)
    if isinstance(key, slice):
        ends = (key.start, key.stop, key.step)
        return slice(*(int(one) if isinstance(one, HANDLES) else one for one in ends))
    return key


def _number(key: Any) -> Any:
    """Returns a tensor of one integer as a number, which gives a view, if its value is there already."""
    spec: Any = key if isinstance(key, np.ndarray) else key._spec
    if spec.shape or spec.dtype.kind not in "iu":
        return key
    if isinstance(key, np.ndarray):
        return int(key)
    if isinstance(key, Leaf):
        known = key._pending is None and key._uid not in local.trace.pending
    else:
        known = key._trace is None
    value = key._value if known else None
    return key if value is None or isinstance(value, Exception) else int(np.asarray(value))


def _mask_of(key: Any) -> Any:
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    is_mask = isinstance(key, HANDLES) and key._spec.dtype == np.bool_
    return key if is_mask or (isinstance(key, np.ndarray) and key.dtype == np.bool_) else None


def masked(x: Any, mask: Any, frame: Any) -> Any:
    """Returns the slices of x at which a mask is true. Looks at the mask, to know how many there are."""
    chosen = np.asarray(mask)
    if x._spec.shape[: chosen.ndim] != chosen.shape:
        raise RangeError(
            f"The shape of boolean index {list(chosen.shape)} does not fit the tensor's "
            f"{list(x._spec.shape)}.",
            site=here(),
        )
    rows = (chosen.size, *x._spec.shape[chosen.ndim :])
    flat = record(shape.reshape, (x,), {"shape": rows}, frame)
    return record(index.take, (flat, data(np.flatnonzero(chosen))), {"axis": 0}, frame)


def _set_item(self: Any, key: Any, value: Any) -> None:
    """Writes the part of a tensor that `x[key]` reads."""
    frame = _frame(1)
    key = _plain_key(key)
    mask = _mask_of(key)
    own = self._spec
    given = operand(value, own.dtype)
    given = converted(given, own.dtype, frame)
    if mask is not None and np.ndim(mask) == own.ndim and not given._spec.shape:
        with updating(self, frame):
            made = record(pointwise.where, (operand(mask), given, self), {}, frame)
            self._change(made, "__setitem__", frame)
        return
    plain = key if isinstance(key, tuple) else (key,)
    plain = tuple(np.asarray(one) if isinstance(one, (*HANDLES, np.ndarray)) else one for one in plain)
    if any(isinstance(one, np.ndarray) and one.dtype != np.bool_ for one in plain):
        plain = tuple(
            one.reshape(-1) if isinstance(one, np.ndarray) and not one.ndim else one for one in plain
        )
    try:
        places = np.arange(own.size).reshape(own.shape)
        for one in _numbers_apart(plain) or (plain,):
            places = places[one]
    except IndexError as error:
        _refuse_ellipses(plain)
        raise RangeError(str(error), site=here()) from None
    places = np.asarray(places)
    if given._spec.shape != places.shape:
        squeezed = given._spec.shape
        if given._spec.size == places.size:
            given = record(shape.reshape, (given,), {"shape": places.shape}, frame)
        else:
            try:
                np.broadcast_shapes(squeezed, places.shape)
                given = record(shape.broadcast_to, (given,), {"shape": places.shape}, frame)
            except (ValueError, PenstockError):
                raise InvalidValueError(
                    f"The value of shape {list(squeezed)} does not fit the part of shape "
                    f"{list(places.shape)} that it is to replace.",
                    site=here(),
                ) from None
    with updating(self, frame):
        flat = record(shape.reshape, (self,), {"shape": (own.size,)}, frame)
        rows = record(shape.reshape, (given,), {"shape": (places.size,)}, frame)
        indices = data(places.reshape(-1))
        written = record(index.set_rows, (flat, indices, rows), {}, frame)
        self._change(record(shape.reshape, (written,), {"shape": own.shape}, frame), "__setitem__", frame)


# -- installing ------------------------------------------------------------------------------------------

_BINARY = {
    "add": pointwise.add, "sub": pointwise.subtract, "mul": pointwise.multiply, "truediv": pointwise.divide,
    "floordiv": pointwise.floor_divide, "mod": pointwise.remainder, "pow": pointwise.power,
}  # fmt: skip
_PLAIN = {
    "eq": pointwise.equal, "ne": pointwise.not_equal, "lt": pointwise.less, "le": pointwise.less_equal,
    "gt": pointwise.greater, "ge": pointwise.greater_equal,
    "and": pointwise.logical_and, "or": pointwise.logical_or, "xor": pointwise.logical_xor,
}  # fmt: skip
_UNARY = {"neg": pointwise.negative, "abs": pointwise.absolute, "invert": pointwise.logical_not}

for _kind in (Tensor, Leaf):
    for _name, _primitive in _BINARY.items():
        setattr(_kind, f"__{_name}__", _binary_method(_primitive, False, f"__{_name}__"))
        setattr(_kind, f"__r{_name}__", _binary_method(_primitive, True, f"__r{_name}__"))
    for _name, _primitive in _PLAIN.items():
        setattr(_kind, f"__{_name}__", _binary_method(_primitive, False, f"__{_name}__"))
    for _name, _primitive in _UNARY.items():
        setattr(_kind, f"__{_name}__", _unary_method(_primitive))
    _kind.__pos__ = _same  # type: ignore[method-assign]
    _kind.__matmul__ = _matmul_method(False)  # type: ignore[method-assign]
    _kind.__rmatmul__ = _matmul_method(True)  # type: ignore[method-assign]
    _kind.__getitem__ = Method("paddle item", Tensor, _get_item)  # type: ignore[method-assign]
    setattr(_kind, "__setitem__", _set_item)  # noqa: B010
