"""Operators of tensors and variables. The hot path of every program: one look-up in the tree each."""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import numpy as np

from penstock.errors import ArgumentError, ImmutableError, ShapeError
from penstock.functions import interchange
from penstock.functions.arguments import DEVICE, check_device, dtype_of
from penstock.functions.at import At
from penstock.functions.indexing import get_item
from penstock.ops import bits, linear, pointwise, shape
from penstock.ops.promotion import kind_of, number_kind
from penstock.ops.table import Primitive, cast
from penstock.state.variable import Variable, read
from penstock.trace.builder import Builder
from penstock.trace.convert import as_tensor, handed_out
from penstock.trace.fast_path import Method, find, hot_key
from penstock.trace.local import local, value_of
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here, user_frame
from penstock.trace.structure import mapped
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe

Slow = Callable[[Primitive, Any, Any, FrameType], Any]


def _line() -> FrameType:
    """Returns the frame of the user's line; any frame while an event is expanded, which has its line."""
    return _frame(1) if type(local.trace) is Builder else user_frame(1)


def binary(primitive: Primitive, kind: type[Tensor], reflected: bool, slow: Slow | None = None) -> Any:
    """Returns the method of a binary operator with results of class `kind`.

    `slow(primitive, left, right, frame)` records an operation that is new.
    """
    record = slow or record_binary

    def first_time(self: Any, other: Any, /) -> Any:
        if other is None or isinstance(other, str):
            return NotImplemented
        left, right = (other, self) if reflected else (self, other)
        return record(primitive, left, right, _line())

    return Method(primitive.code, kind, first_time, reflected)


def record_binary(primitive: Primitive, left: Any, right: Any, frame: FrameType) -> Any:
    """Records a binary operator that is not in the tree yet, or whose operands need care."""
    return primitive.record((left, right), {}, frame)


def record_power(primitive: Primitive, left: Any, right: Any, frame: FrameType) -> Any:
    """Records `**`: a small whole exponent is a repeated product, as in NumPy, TensorFlow and XLA."""
    whole = type(right) in (int, float) and right in (2, 3)
    if not whole or not isinstance(left, Tensor | Cell) or kind_of(left._spec.dtype) not in "fc":
        return primitive.record((left, right), {}, frame)
    trace = local.trace
    tensor = pointwise.integer_power.record((left,), {"exponent": int(right)}, frame)
    if isinstance(trace, Trace):
        key = hot_key(trace, primitive.code, (left, right), frame)
        parent = trace.node.parent
        if parent is not None and trace.node.slot == tensor._slot:
            parent.edges.setdefault(key, trace.node)
    return tensor


def record_divide(primitive: Primitive, left: Any, right: Any, frame: FrameType) -> Any:
    """Records `/`: integers are divided as floating-point numbers."""
    kinds = [
        kind_of(o._spec.dtype) if isinstance(o, Tensor | Cell) else number_kind(o) for o in (left, right)
    ]
    if max(kinds, key="bifc".index) in "bi":
        owner = left if isinstance(left, Tensor | Cell) else right
        dtype = np.dtype(owner._tensor_class._quotient_dtype)
        left, right = (
            cast.record((o,), {"dtype": dtype}, frame) if isinstance(o, Tensor | Cell) else float(o)
            for o in (left, right)
        )
    return primitive.record((left, right), {}, frame)


def record_matmul(primitive: Primitive, left: Any, right: Any, frame: FrameType) -> Any:
    """Records `@` by NumPy's rules: a vector counts as a row on the left, a column on the right."""
    if not all(isinstance(o, Tensor | Cell | np.ndarray | list | tuple) for o in (left, right)):
        return NotImplemented
    a, b = (o if isinstance(o, Tensor | Cell) else as_tensor(o) for o in (left, right))
    if len(a._spec.shape) >= 2 and len(b._spec.shape) >= 2:
        return primitive.record((a, b), {}, frame)
    return _vector_product(a, b, frame)


def _vector_product(a: Any, b: Any, frame: FrameType) -> Tensor:
    left, right = a._spec.shape, b._spec.shape
    if not left or not right:
        raise ShapeError(
            f"matmul: {left} and {right} do not fit together.",
            why="A scalar is neither a matrix nor a vector.",
            remedy="Use * to multiply by a number.",
            site=here(),
        )
    a = shape.reshape.record((a,), {"shape": (1, *left)}, frame) if len(left) == 1 else a
    b = shape.reshape.record((b,), {"shape": (*right, 1)}, frame) if len(right) == 1 else b
    product = linear.matmul.record((a, b), {}, frame)
    batch = product.shape[:-2]
    final = (*batch, *(() if len(left) == 1 else left[-2:-1]), *(() if len(right) == 1 else right[-1:]))
    return shape.reshape.record((product,), {"shape": final}, frame)


def matmul(a: Any, b: Any, frame: FrameType) -> Any:
    """Returns the matrix product by NumPy's rules."""
    found = find(linear.matmul.code, a, b)
    return record_matmul(linear.matmul, a, b, frame) if found is None else found


def unary(primitive: Primitive, kind: type[Tensor]) -> Any:
    """Returns the method of a unary operator."""

    def first_time(self: Any, /) -> Any:
        return primitive.record((self,), {}, _line())

    return Method(primitive.code, kind, first_time)


_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
_UNARY = {"neg": "-", "abs": "the absolute value of ", "invert": "~", "pos": "+"}


def entitle(kind: type[Any], name: str, text: str = "") -> None:
    """Gives a method of a class the name of its attribute, and a line for `help` if it has no docstring."""
    function = getattr(kind.__dict__[name], "__wrapped__", kind.__dict__[name])
    if inspect.isfunction(function):
        function.__name__ = function.__qualname__ = name
        function.__doc__ = function.__doc__ or text


def _describe(kind: type[Any]) -> None:
    for word, sign in _SIGNS.items():
        spread = "" if word == "matmul" else ", elementwise"
        entitle(kind, f"__{word}__", f"Returns self {sign} other{spread}.")
        if f"__r{word}__" in kind.__dict__:
            entitle(kind, f"__r{word}__", f"Returns other {sign} self{spread}.")
    for word, sign in _UNARY.items():
        entitle(kind, f"__{word}__", f"Returns {sign}self, elementwise.")
    entitle(kind, "__getitem__", "Returns the elements at an index, a slice, a mask or arrays of integers.")
    entitle(kind, "__setitem__", "Raises ImmutableError, which says what to write instead.")


_BINARY: tuple[tuple[str, Primitive, Any], ...] = (
    ("add", pointwise.add, None),
    ("sub", pointwise.subtract, None),
    ("mul", pointwise.multiply, None),
    ("truediv", pointwise.divide, record_divide),
    ("floordiv", pointwise.floor_divide, None),
    ("mod", pointwise.remainder, None),
    ("pow", pointwise.power, record_power),
    ("matmul", linear.matmul, record_matmul),
    ("and", bits.bitwise_and, None),
    ("or", bits.bitwise_or, None),
    ("xor", bits.bitwise_xor, None),
    ("lshift", bits.left_shift, None),
    ("rshift", bits.right_shift, None),
)
_COMPARISONS: tuple[tuple[str, Primitive], ...] = (
    ("__eq__", pointwise.equal),
    ("__ne__", pointwise.not_equal),
    ("__lt__", pointwise.less),
    ("__le__", pointwise.less_equal),
    ("__gt__", pointwise.greater),
    ("__ge__", pointwise.greater_equal),
)


def install(kind: type[Any], result: type[Tensor]) -> None:
    """Gives a class of tensors or variables its operators; results are tensors of class `result`."""
    for name, primitive, slow in _BINARY:
        setattr(kind, f"__{name}__", binary(primitive, result, False, slow))
        setattr(kind, f"__r{name}__", binary(primitive, result, True, slow))
    for name, primitive in _COMPARISONS:
        setattr(kind, name, binary(primitive, result, False))
    kind.__neg__ = unary(pointwise.negative, result)
    kind.__abs__ = unary(pointwise.absolute, result)
    kind.__invert__ = unary(bits.bitwise_invert, result)
    kind.__pos__ = _positive
    # Not a Python function: the interpreter inlines those eventually, and then reports another position.
    kind.__getitem__ = Method("item", result, _get_item)
    kind.__setitem__ = _set_item
    setattr(kind, "__hash__", object.__hash__)  # noqa: B010
    _describe(kind)


def _get_item(self: Any, key: Any, /) -> Tensor:
    return get_item(self, key, user_frame(1))


def _set_item(self: Any, key: Any, value: Any, /) -> None:  # noqa: ARG001 - as the standard calls it
    what = "A Variable" if isinstance(self, Cell) else "A tensor"
    name = repr(key) if isinstance(key, int) else "key"
    raise ImmutableError(
        f"{what} does not take item assignment.",
        why="Recorded values are immutable.",
        remedy=f"Assign a new value: variable.assign(variable.at[{name}].set(value))."
        if isinstance(self, Cell)
        else f"Make a new tensor: x = x.at[{name}].set(value).",
        site=here(),
    )


def _positive(self: Any, /) -> Tensor:
    return positive(self, _frame(1))


def positive(x: Any, frame: FrameType) -> Tensor:
    """Returns a number unchanged; raises DTypeError for booleans."""
    if x._spec.dtype.kind == "b":
        pointwise.negative.refuse([x._spec], x._spec.dtype)
    return pointwise.identity.record((x,), {}, frame)


# -- looking at a value -----------------------------------------------------------------------------------


def looked_at(self: Any, how: str, frame: Any) -> Any:
    """Returns the runtime value of a tensor or variable."""
    return self._look(how, frame) if isinstance(self, Variable) else value_of(self, how, frame)


def _scalar(how: str, convert: Callable[[Any], Any]) -> Any:
    def method(self: Any, /) -> Any:
        if self._spec.size != 1:
            raise ShapeError(
                f"{how} needs one element; this {type(self).__name__} has shape {self._spec.shape}.",
                site=here(),
                remedy="Reduce it first, for example with sum(x) or all(x).",
            )
        return convert(np.asarray(looked_at(self, how, _frame(1))).reshape(()).item())

    return method


def _numpy(self: Tensor) -> Any:
    """Returns the value as a NumPy array of your own, or a NumPy scalar if it has no dimensions."""
    return np.array(value_of(self, "numpy()", _frame(1)))[()]


def _item(self: Any) -> Any:
    """Returns the one element as a Python number."""
    if self._spec.size != 1:
        raise ShapeError(
            f"item() needs one element; the shape is {self._spec.shape}.",
            site=here(),
            remedy="Use tolist() to get all elements, or reduce the value first.",
        )
    return np.asarray(looked_at(self, "item()", _frame(1))).item()


def _tolist(self: Any) -> Any:
    """Returns the elements as nested lists of Python numbers."""
    return np.asarray(looked_at(self, "tolist()", _frame(1))).tolist()


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    return handed_out(np.asarray(looked_at(self, "numpy.asarray()", _frame(1))), dtype, copy)


_OF_SHAPES = (np.shape, np.ndim, np.size)
"""What NumPy answers without looking at the elements."""


def _array_function(_self: Any, function: Any, _types: Any, arguments: Any, options: Any) -> Any:
    """Computes one of NumPy's functions in NumPy, on the user's line: a result has no history.

    Without this, NumPy would call the method of that name, of some of its functions.
    """
    if function in _OF_SHAPES:
        return function.__wrapped__(*arguments, **options)
    how, frame = f"{function.__module__}.{function.__name__}()", _frame(1)

    def array(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "O":
            # NumPy asks its elements again.
            made = np.empty_like(leaf)
            for place, one in np.ndenumerate(leaf):
                made[place] = array(one)
            return made
        return np.asarray(looked_at(leaf, how, frame)) if isinstance(leaf, Tensor | Cell) else leaf

    return function(*mapped(arguments, array), **mapped(options, array))


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


def _astype(self: Any, dtype: Any, *, copy: bool = True) -> Tensor:  # noqa: ARG001 - of the array standard
    """Returns the value converted to another dtype; a tensor never changes, whatever `copy` says."""
    dtype = dtype_of(dtype)
    if dtype == self._spec.dtype:
        return read(self) if isinstance(self, Cell) else self
    return cast.record((self,), {"dtype": dtype}, _frame(1))


def _transposed(self: Any) -> Tensor:
    """The value with its axes in reverse order."""
    return shape.transpose.record((self,), {"axes": tuple(reversed(range(len(self._spec.shape))))}, _frame(1))


def _matrices_transposed(self: Any) -> Tensor:
    """The value with its last two axes exchanged."""
    rank = len(self._spec.shape)
    if rank < 2:
        raise ShapeError(f"mT needs two axes; the shape is {self._spec.shape}.", site=here())
    return shape.transpose.record((self,), {"axes": (*range(rank - 2), rank - 1, rank - 2)}, _frame(1))


def _at(self: Any) -> At:
    """Functional updates, such as `x.at[0].set(5.0)`: new tensors, as this one cannot be written into."""
    return At(self)


# -- the standard's array object --------------------------------------------------------------------------


def _device(_: Any) -> str:
    """The name of the device the value is on."""
    return DEVICE


def _to_device(self: Any, device: Any, /, *, stream: Any = None) -> Tensor:  # noqa: ARG001 - of the array standard
    """Returns the value on a device. There is one, so that `stream` makes no difference."""
    check_device(device)
    return read(self) if isinstance(self, Cell) else self


def _array_namespace(_: Any, /, *, api_version: str | None = None) -> Any:
    """Returns the namespace of functions for this array: the package."""
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ArgumentError(
            f"The array API of version {api_version!r} is not there.",
            remedy="Ask for 2024.12 or earlier.",
            site=here(),
        )
    return sys.modules["penstock"]


def _dlpack(
    self: Any,
    /,
    *,
    stream: Any = None,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    value = looked_at(self, "__dlpack__()", _frame(1))
    return interchange.to_dlpack(value, stream, max_version, dl_device, copy)


def _dlpack_device(self: Any, /) -> tuple[int, int]:
    return interchange.dlpack_device(looked_at(self, "__dlpack_device__()", _frame(1)))


for _class in (Tensor, Variable):
    install(_class, Tensor)
    for _name, _method in (
        ("__float__", _scalar("float()", float)),
        ("__int__", _scalar("int()", int)),
        ("__bool__", _scalar("bool()", bool)),
        ("__complex__", _scalar("complex()", complex)),
        ("__index__", _scalar("index()", operator.index)),
        ("__len__", _length),
        ("__iter__", _iterate),
        ("__array__", _array),
        ("__array_function__", _array_function),
        ("__format__", _format),
        ("astype", _astype),
        ("item", _item),
        ("tolist", _tolist),
        ("T", property(_transposed)),
        ("mT", property(_matrices_transposed)),
        ("at", property(_at)),
        ("device", property(_device)),
        ("to_device", _to_device),
        ("__array_namespace__", _array_namespace),
        ("__dlpack__", _dlpack),
        ("__dlpack_device__", _dlpack_device),
    ):
        setattr(_class, _name, _method)
        entitle(_class, _name, f"Does what {_name.strip('_')}() asks for: it looks at the value.")
setattr(Tensor, "numpy", _numpy)  # noqa: B010
setattr(Tensor, "__repr__", _repr)  # noqa: B010
for _name in ("numpy", "__repr__"):
    entitle(Tensor, _name)
