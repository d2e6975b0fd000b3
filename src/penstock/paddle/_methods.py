"""Gives tensors and leaves the functions of the dialect as methods, and their forms that work in place."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from penstock.declared import names_of
from penstock.ops import pointwise
from penstock.ops import shape as shapes
from penstock.paddle import _creation, _math
from penstock.paddle import _views as views
from penstock.paddle._convert import converted, data, operand, record
from penstock.paddle._families import FIRST, REST, paths
from penstock.paddle._signatures import defaults_of
from penstock.paddle._tensor import Leaf, Tensor, as_result, forgetting
from penstock.paddle._words import spoken
from penstock.paddle._writing import changed
from penstock.state.variable import updating
from penstock.trace.tensor import Cell

_frame = sys._getframe


def _detach_here(self: Any) -> Any:
    """Detaches this tensor from its history; returns it."""
    self.stop_gradient = True
    if not isinstance(self, Cell):
        self._note("cut", False)
    return self


def _detach(self: Any) -> Any:
    """Returns the value, through which no gradient passes."""
    found = record(pointwise.stop_gradient, (self,), {}, _frame(1))
    return found


def _data(self: Any) -> Any:
    """The value, through which no gradient passes; what is written to it is written to the tensor."""
    return record(pointwise.stop_gradient, (self,), {}, _frame(1))


def _in_order(self: Any) -> Any:
    """Returns this tensor, or a copy if its elements do not lie in the order of their indices."""
    layout = views.layout_of(self)
    return self if layout is None or layout.in_order else as_result(self, _frame(1))


def _show_data(self: Any, value: Any) -> None:
    """Takes the value of another tensor, and shows its memory from now on: its own stays as it is."""
    place = None if self._spec.dtype != value._spec.dtype else views.place_of(value)
    views.family(self)
    self._store(_detach(value), "set_value", _frame(1))
    if place is not None:
        views.move(self, place)


def _clone(self: Any) -> Any:
    """Returns a copy, through which gradients pass."""
    return as_result(self, _frame(1))


def _dim(self: Any) -> int:
    """Returns the number of axes."""
    return int(self._spec.ndim)


def _transposed(self: Any) -> Any:
    """The tensor with its axes in reverse order."""
    axes = tuple(reversed(range(self._spec.ndim)))
    return record(shapes.transpose, (self,), {"axes": axes}, _frame(1))


def _matrices_transposed(self: Any) -> Any:
    """The matrices in the last two axes, transposed."""
    if self._spec.ndim < 2:
        raise ValueError(f"Tensor.ndim({self._spec.ndim}) is required to be greater than or equal to 2.")
    return _math._swapped(self, _frame(1))


def _fill(x: Any, value: Any) -> Any:
    """Gives every element this value, in place."""
    made = data(np.full(x._spec.shape, value, x._spec.dtype))
    return x._change(forgetting(x, made, _frame(1)), "fill_", _frame(1))


def _zero(x: Any) -> Any:
    """Gives every element the value 0, in place."""
    made = data(np.zeros(x._spec.shape, x._spec.dtype))
    return x._change(forgetting(x, made, _frame(1)), "zero_", _frame(1))


def _copy(self: Any, other: Any, blocking: bool = True) -> Any:
    """Takes another tensor's values, in place."""
    given = converted(operand(other), self._spec.dtype, _frame(1))
    self._replace(record(pointwise.stop_gradient, (given,), {}, _frame(1)), "copy_", _frame(1))
    return self


def _uniform(x: Any, min: float = 0, max: float = 1.0, seed: int = 0, name: Any = None) -> Any:
    """Draws new values between `min` and `max`, in place; a seed but 0 gives the same each time."""
    drawn = _creation.uniform(x._spec.shape, x._spec.dtype.name, min, max, seed)
    return x._change(forgetting(x, drawn, _frame(1)), "uniform_", _frame(1))


def _normal(x: Any, mean: float = 0.0, std: float = 1.0, name: Any = None) -> Any:
    """Draws new values from the normal distribution, in place."""
    drawn = _creation.gaussian(x._spec.shape, mean, std, dtype=x._spec.dtype.name)
    return x._change(forgetting(x, drawn, _frame(1)), "normal_", _frame(1))


def _same(self: Any, *unused: Any, **options: Any) -> Any:
    """Returns this tensor: there is one place."""
    return self


def _block(self: Any) -> Any:
    """The block that the program builds now, with which an initializer may be called, too."""
    from penstock.paddle.static._program import default_main_program

    return default_main_program().global_block()


def _is_floating(self: Any) -> bool:
    """Returns whether elements are real numbers with a fraction."""
    return self._spec.dtype.kind in "fV"


def _value(self: Any) -> Any:
    """Returns this tensor."""
    return self


def _to(self: Any, *arguments: Any, **options: Any) -> Any:
    """Returns this tensor in another dtype; places are ignored."""
    from penstock.paddle._dtype import dtype as kind

    wanted = options.get("dtype")
    for one in arguments:
        if isinstance(one, kind) or (isinstance(one, str) and one[:2] not in ("cp", "gp")):
            wanted = one
    return self if wanted is None else _math.cast(self, wanted)


def _as_cast(name: str) -> Callable[[Any], Any]:
    def method(self: Any) -> Any:
        return self if self._spec.dtype.name == name else _math.cast(self, name)

    method.__doc__ = f"Returns the tensor as {name}: itself if it is that."
    return method


def _in_place(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    # Called as a function of its class, it may be given the tensor by name.
    first = next(iter(defaults_of(function)))

    def method(*arguments: Any, **options: Any) -> Any:
        self, arguments = (arguments[0], arguments[1:]) if arguments else (options.pop(first), ())
        if not isinstance(self, Tensor | Cell):
            # A tensor of a static program has methods of its own.
            return getattr(self, name)(*arguments, **options)
        frame = _frame(1)
        with updating(self, frame):
            return changed(self, function(self, *arguments, **options), name, frame)

    method.__name__, method.__wrapped__ = name, function  # type: ignore[attr-defined]
    method.__doc__ = f"Does what `{name.rstrip('_')}` does, in place; returns the tensor."
    return method


_OWN: dict[str, Any] = {
    "data": property(_data, _show_data),
    "detach": _detach, "clone": _clone, "dim": _dim, "ndimension": _dim, "T": property(_transposed),
    "mT": property(_matrices_transposed),
    "fill_": _fill, "zero_": _zero, "copy_": _copy, "uniform_": spoken(_uniform, ("uniform_",)),
    "normal_": _normal,
    "cpu": _same, "cuda": _same, "pin_memory": _same, "contiguous": _in_order, "value": _value,
    "to": _to,
    "is_floating_point": _is_floating, "element_size": lambda self: self._spec.dtype.itemsize,
    "requires_grad": property(
        lambda self: not self.stop_gradient, lambda self, wanted: setattr(self, "stop_gradient", not wanted)
    ),
    "itemsize": property(lambda self: self._spec.dtype.itemsize),
    "block": property(_block),
    "is_cuda": property(lambda self: False), "strides": property(lambda self: self.stride()),
    "detach_": _detach_here, "double": _as_cast("float64"), "float": _as_cast("float32"),
    "half": _as_cast("float16"), "int": _as_cast("int32"), "long": _as_cast("int64"),
    "bool": _as_cast("bool"), "bfloat16": _as_cast("bfloat16"),
    "byte": _as_cast("uint8"), "char": _as_cast("int8"), "short": _as_cast("int16"),
    "cfloat": _as_cast("complex64"), "cdouble": _as_cast("complex128"),
}  # fmt: skip


def _give(name: str, method: Any) -> None:
    for kind in (Tensor, Leaf):
        setattr(kind, name, method)


def _give_all(files: list[str]) -> None:
    """Gives tensors and leaves the functions that files declare as methods, and their forms in place."""
    for file in files:
        import_module(file)
    for name, function in names_of("paddle.Tensor", files).items():
        if name in _OWN:
            continue
        if isinstance(function, property):
            _give(name, function)
            continue
        changing = name.endswith("_") and function.__name__ != name
        _give(name, _in_place(function, name) if changing else function)
        (_CHANGING if name.endswith("_") else PLAIN).append(name)


PLAIN: list[str] = []
"""Methods that are made from functions and change nothing."""
_CHANGING: list[str] = []
_waiting = paths(REST)
for _name, _method in _OWN.items():
    _give(_name, _method)
_give_all(paths(FIRST))


def load() -> None:
    """Gives tensors the methods of files that are imported on demand."""
    files = _waiting[:]
    _waiting.clear()
    _give_all(files)


def _found_later(name: str) -> bool:
    """Returns whether tensors have a method of this name from now on, of a file that is imported now."""
    if name[0] == "_" or not _waiting:
        return False
    load()
    return hasattr(Tensor, name)


def missing(self: Any, name: str) -> Any:
    """Answers an attribute that a tensor does not have yet: a rarer method is made, others are refused."""
    if name not in _REMEDIES and _found_later(name):
        return getattr(self, name)
    hint = _REMEDIES.get(name, "")
    raise AttributeError(f"'Tensor' object has no attribute {name!r}{hint}")


def _missing_in_class(cls: Any, name: str) -> Any:
    """Answers an attribute that the class does not have yet."""
    if _found_later(name):
        return getattr(cls, name)
    raise AttributeError(f"type object 'Tensor' has no attribute {name!r}")


def in_place(name: str) -> bool:
    """Returns whether tensors have a method of this name that changes them."""
    return hasattr(Tensor, name)


_REMEDIES = {
    "assign": ". Paddle writes x.set_value(value)",
    "assign_sub": ". Paddle writes x.set_value(x - value)",
    "assign_add": ". Paddle writes x.set_value(x + value)",
    "version": ". Paddle writes x.inplace_version",
}
setattr(type(Tensor), "__getattr__", _missing_in_class)  # noqa: B010
setattr(Tensor, "__getattr__", missing)  # noqa: B010
setattr(Leaf, "__getattr__", missing)  # noqa: B010
for _name in ("assign", "assign_add", "assign_sub", "version"):

    class _Hidden:
        """An attribute of native variables that Paddle's tensors do not have."""

        def __init__(self, name: str) -> None:
            self.name = name

        def __get__(self, instance: Any, owner: type) -> Any:
            return self if instance is None else missing(instance, self.name)

    setattr(Leaf, _name, _Hidden(_name))
