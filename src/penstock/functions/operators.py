"""Operators of tensors and variables. The hot path of every program: one look-up in the tree each."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from penstock.errors import PenstockError, ShapeError
from penstock.functions.indexing import get_item
from penstock.ops import linear, pointwise, shape
from penstock.ops.promotion import kind_of
from penstock.ops.table import Primitive, cast
from penstock.state.variable import Variable, read
from penstock.trace.recorder import as_tensor, local, value_of
from penstock.trace.site import here
from penstock.trace.tensor import Cell, Tensor

_new = object.__new__
_frame = sys._getframe

# Variants of a primitive's code: what stands on the right (or, reflected, on the left) of a hot operator.
TENSOR, FLOAT, INTEGER, FLOAT_LEFT, INTEGER_LEFT = range(5)


def binary(primitive: Primitive, kind: type[Tensor], reflected: bool, of_cell: bool, slow: Any = None) -> Any:
    """Returns the method of a binary operator, for tensors of class `kind` or for variables.

    The method looks for the edge under the primitive's code, the operands (slots, or a number as it is) and
    the place in the user's code; `slow` records what has not been met before.
    """
    code = primitive.code
    with_float = code + (FLOAT_LEFT if reflected else FLOAT)
    with_integer = code + (INTEGER_LEFT if reflected else INTEGER)
    slow = slow or record_binary

    def method(self: Any, other: Any) -> Any:
        trace = local.trace
        if of_cell:
            mine = trace.current.get(self._uid)
            if mine is None:
                mine = trace.read(self)
        elif self._trace is trace:
            mine = self._slot
        else:
            mine = trace.entered.get(id(self))
            if mine is None:
                mine = trace.enter(self)
        other_kind = type(other)
        if other_kind is float:
            variant, theirs = with_float, other
        elif other_kind is int:
            variant, theirs = with_integer, other
        elif isinstance(other, Tensor):
            variant = code
            if other._trace is trace:
                theirs = other._slot
            else:
                theirs = trace.entered.get(id(other))
                if theirs is None:
                    theirs = trace.enter(other)
        elif isinstance(other, Cell):
            variant = code
            theirs = trace.current.get(other._uid)
            if theirs is None:
                theirs = trace.read(other)
        else:
            return slow(primitive, self, other, reflected, _frame(1), None)
        frame = _frame(1)
        key = (
            (variant, theirs, mine, frame.f_lasti, id(frame.f_code))
            if reflected
            else (variant, mine, theirs, frame.f_lasti, id(frame.f_code))
        )
        node = trace.node.edges.get(key)
        if node is None or (other_kind is float and not other):
            # A float zero is not looked up here: 0.0 and -0.0 would meet.
            return slow(primitive, self, other, reflected, frame, variant)
        trace.node = node
        tensor = _new(kind)
        tensor._trace = trace
        tensor._slot = node.slot
        tensor._spec = node.spec
        tensor._value = None
        trace.handles.append(tensor)
        return tensor

    return method


def record_binary(
    primitive: Primitive, mine: Any, other: Any, reflected: bool, frame: Any, variant: int | None
) -> Any:
    """Records a binary operator that is not in the tree yet, or whose operands need care."""
    if other is None or isinstance(other, str):
        return NotImplemented
    if variant is not None and isinstance(other, float) and not (other and other == other):
        variant = None
    operands = (other, mine) if reflected else (mine, other)
    return primitive.record(operands, {}, frame, variant)


def record_power(primitive: Primitive, mine: Any, other: Any, reflected: bool, frame: Any, variant: int | None) -> Any:
    """Records `**`: a small whole exponent is a repeated product, as in NumPy, TensorFlow and XLA."""
    if not reflected and type(other) in (int, float) and other in (2, 3) and kind_of(mine._spec.dtype) in "fc":
        hot = None if variant is None else variant
        return _whole_power(mine, int(other), other, frame, hot)
    return record_binary(primitive, mine, other, reflected, frame, variant)


def _whole_power(base: Any, exponent: int, written: Any, frame: Any, variant: int | None) -> Any:
    trace = local.trace
    tensor = pointwise.integer_power.record((base,), {"exponent": exponent}, frame)
    parent = trace.node.parent
    if variant is not None and parent is not None and parent.edges:
        key = (variant, trace.reference(base), written, frame.f_lasti, id(frame.f_code))
        parent.edges.setdefault(key, trace.node)
    return tensor


def record_divide(
    primitive: Primitive, mine: Any, other: Any, reflected: bool, frame: Any, variant: int | None
) -> Any:
    """Records `/`: integers are divided as floating-point numbers."""
    if kind_of(mine._spec.dtype) in "bi":
        other_kind = (
            kind_of(other._spec.dtype)
            if isinstance(other, Tensor | Cell)
            else "f" if isinstance(other, float) else "i"
        )
        if other_kind in "bi":
            mine = cast.record((mine,), {"dtype": quotient_dtype(mine)}, frame)
            if isinstance(other, Tensor | Cell):
                other = cast.record((other,), {"dtype": mine.dtype}, frame)
            variant = None
    return record_binary(primitive, mine, other, reflected, frame, variant)


def quotient_dtype(operand: Any) -> np.dtype[Any]:
    """Returns the dtype of a quotient of integers."""
    return np.dtype(operand._tensor_class._quotient_dtype)


def matmul_method(reflected: bool) -> Any:
    """Returns the method of `@`."""

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, Tensor | Cell | np.ndarray | list | tuple):
            return NotImplemented
        other = other if isinstance(other, Tensor | Cell) else as_tensor(other)
        return matmul(other, self, _frame(1)) if reflected else matmul(self, other, _frame(1))

    return method


def matmul(a: Any, b: Any, frame: Any) -> Any:
    """Returns the matrix product by NumPy's rules: a vector counts as a row on the left, a column on the right."""
    if len(a.shape) >= 2 and len(b.shape) >= 2:
        trace = local.trace
        mine, theirs = trace.reference(a), trace.reference(b)
        key = (linear.matmul.code, mine, theirs, frame.f_lasti, id(frame.f_code))
        node = trace.node.edges.get(key)
        if node is None:
            return linear.matmul.record((a, b), {}, frame, linear.matmul.code)
        trace.node = node
        return trace.give(node.result, a._tensor_class)
    if not a.shape or not b.shape:
        raise ShapeError(
            f"matmul: {a.shape} and {b.shape} do not fit together.",
            why="A value without axes is no matrix or vector.",
            remedy="Use * to multiply by a number.",
            site=here(),
        )
    left = shape.reshape.record((a,), {"shape": (1, *a.shape)}, frame) if len(a.shape) == 1 else a
    right = shape.reshape.record((b,), {"shape": (*b.shape, 1)}, frame) if len(b.shape) == 1 else b
    product = linear.matmul.record((left, right), {}, frame)
    final = list(product.shape)
    if len(b.shape) == 1:
        del final[-1]
    if len(a.shape) == 1:
        del final[-1 if len(b.shape) == 1 else -2]
    return shape.reshape.record((product,), {"shape": tuple(final)}, frame)


def unary(primitive: Primitive) -> Any:
    """Returns the method of a unary operator."""

    def method(self: Any) -> Any:
        return primitive.record((self,), {}, _frame(1))

    return method


_BINARY: tuple[tuple[str, Primitive, Any], ...] = (
    ("add", pointwise.add, None),
    ("sub", pointwise.subtract, None),
    ("mul", pointwise.multiply, None),
    ("truediv", pointwise.divide, record_divide),
    ("floordiv", pointwise.floor_divide, None),
    ("mod", pointwise.remainder, None),
    ("pow", pointwise.power, record_power),
)
_COMPARISONS: tuple[tuple[str, Primitive], ...] = (
    ("__eq__", pointwise.equal),
    ("__ne__", pointwise.not_equal),
    ("__lt__", pointwise.less),
    ("__le__", pointwise.less_equal),
    ("__gt__", pointwise.greater),
    ("__ge__", pointwise.greater_equal),
    ("__and__", pointwise.logical_and),
    ("__or__", pointwise.logical_or),
    ("__xor__", pointwise.logical_xor),
)


def install(kind: type[Any], result: type[Tensor], of_cell: bool) -> None:
    """Gives a class of tensors or variables its operators; results are tensors of class `result`."""
    for name, primitive, slow in _BINARY:
        setattr(kind, f"__{name}__", binary(primitive, result, False, of_cell, slow))
        setattr(kind, f"__r{name}__", binary(primitive, result, True, of_cell, slow))
    for name, primitive in _COMPARISONS:
        setattr(kind, name, binary(primitive, result, False, of_cell))
    kind.__matmul__ = matmul_method(False)
    kind.__rmatmul__ = matmul_method(True)
    kind.__neg__ = unary(pointwise.negative)
    kind.__abs__ = unary(pointwise.absolute)
    kind.__invert__ = unary(pointwise.logical_not)
    kind.__getitem__ = _get_item
    kind.__setitem__ = _set_item
    kind.__hash__ = object.__hash__


def _get_item(self: Any, key: Any) -> Tensor:
    return get_item(self, key, _frame(1))


def _set_item(self: Any, key: Any, value: Any) -> None:
    what = "A Variable" if isinstance(self, Cell) else "A tensor"
    raise PenstockError(
        f"{what} does not take item assignment.",
        why="Recorded values are immutable.",
        remedy="Write a new value with where(...), or variable.assign(...).",
        site=here(),
    )


# -- looking at a value -----------------------------------------------------------------------------------


def looked_at(self: Any, how: str, frame: Any) -> Any:
    """Returns the runtime value of a tensor or variable."""
    return self._look(how, frame) if isinstance(self, Cell) else value_of(self, how, frame)


def _scalar(how: str, convert: Callable[[Any], Any]) -> Any:
    def method(self: Any) -> Any:
        if self._spec.size != 1:
            raise ShapeError(
                f"{how} needs one element; this {type(self).__name__} has shape {self._spec.shape}.",
                site=here(),
                remedy="Reduce it first, for example with sum(x) or all(x).",
            )
        return convert(np.asarray(looked_at(self, how, _frame(1))).reshape(())[()])

    return method


def _numpy(self: Tensor) -> Any:
    """Returns the value as a NumPy array of your own, or a NumPy scalar if it has no dimensions."""
    return np.array(value_of(self, "numpy()", _frame(1)))[()]


def _item(self: Any) -> Any:
    """Returns the one element as a Python number."""
    if self._spec.size != 1:
        raise ShapeError(f"item() needs one element; the shape is {self._spec.shape}.", site=here())
    return np.asarray(looked_at(self, "item()", _frame(1))).item()


def _tolist(self: Any) -> Any:
    """Returns the elements as nested lists of Python numbers."""
    return np.asarray(looked_at(self, "tolist()", _frame(1))).tolist()


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    array = np.asarray(looked_at(self, "numpy.asarray()", _frame(1)))
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    if copy:
        return array.copy()
    view = array.view()
    view.flags.writeable = False
    return view


def _repr(self: Tensor) -> str:
    text = np.array2string(np.asarray(value_of(self, "repr()", _frame(1))), separator=", ")
    return f"Tensor({text}, dtype={self.dtype.name})"


def _format(self: Any, pattern: str) -> str:
    if pattern and self._spec.size == 1:
        return format(np.asarray(looked_at(self, "format()", _frame(1))).item(), pattern)
    return format(str(self), pattern)


def _length(self: Any) -> int:
    if not self._spec.shape:
        raise TypeError("a value without axes has no len()")
    return int(self._spec.shape[0])


def _iterate(self: Any) -> Iterator[Tensor]:
    if not self._spec.shape:
        raise TypeError("a value without axes cannot be iterated over")
    frame = _frame(1)
    return (get_item(self, i, frame) for i in range(self._spec.shape[0]))


def _astype(self: Any, dtype: Any, *, copy: bool = True) -> Tensor:
    """Returns the value converted to another dtype."""
    dtype = np.dtype(dtype)
    if dtype == self._spec.dtype:
        return read(self) if isinstance(self, Cell) else self
    return cast.record((self,), {"dtype": dtype}, _frame(1))


def _transposed(self: Any) -> Tensor:
    """The value with its axes in reverse order."""
    return shape.transpose.record((self,), {"axes": tuple(reversed(range(len(self._spec.shape))))}, _frame(1))


def _reduced(self: Any) -> tuple[Any, ...]:
    raise TypeError("pickle a tensor's value: tensor.numpy()")


for _class in (Tensor, Variable):
    install(_class, Tensor, _class is Variable)
    for _name, _method in (
        ("__float__", _scalar("float()", float)),
        ("__int__", _scalar("int()", int)),
        ("__bool__", _scalar("bool()", bool)),
        ("__complex__", _scalar("complex()", complex)),
        ("__index__", _scalar("index()", operator.index)),
        ("__len__", _length),
        ("__iter__", _iterate),
        ("__array__", _array),
        ("__format__", _format),
        ("astype", _astype),
        ("item", _item),
        ("tolist", _tolist),
        ("T", property(_transposed)),
    ):
        setattr(_class, _name, _method)
Tensor.numpy = _numpy  # type: ignore[attr-defined]
Tensor.__repr__ = _repr  # type: ignore[method-assign]
Tensor._quotient_dtype = np.float32  # type: ignore[attr-defined]

