"""Operators of a graph's tensors and variables: the functions of the same meaning, under operators' names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from penstock.tensorflow import _convert, _operators
from penstock.tensorflow import _elementwise as elementwise
from penstock.tensorflow._graphs.build import build
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor import refused_item
from penstock.tensorflow.linalg import matmul

_frame = sys._getframe
_BINARY = {
    "add": (elementwise.add, "AddV2", "add"), "sub": (elementwise.subtract, "Sub", "sub"),
    "mul": (elementwise.multiply, "Mul", "mul"), "truediv": (elementwise.divide, "RealDiv", "truediv"),
    "floordiv": (elementwise.floordiv, "FloorDiv", "floordiv"),
    "mod": (elementwise.floormod, "FloorMod", "mod"),
    "pow": (elementwise.pow, "Pow", "pow"), "matmul": (matmul, "MatMul", "matmul"),
    "and": (elementwise.logical_and, "LogicalAnd", "and"), "or": (elementwise.logical_or, "LogicalOr", "or"),
    "xor": (elementwise.logical_xor, "LogicalXor", "xor"),
}  # fmt: skip
_COMPARISONS = {
    "lt": (elementwise.less, "Less"), "le": (elementwise.less_equal, "LessEqual"),
    "gt": (elementwise.greater, "Greater"), "ge": (elementwise.greater_equal, "GreaterEqual"),
}  # fmt: skip
_UNARY = {
    "neg": (elementwise.negative, "Neg"), "abs": (elementwise.abs, "Abs"),
    "invert": (elementwise.logical_not, "LogicalNot"),
}  # fmt: skip


_OPERATORS = [
    *(f"__{side}{name}__" for name in _BINARY for side in ("", "r")),
    *(f"__{name}__" for name in (*_COMPARISONS, *_UNARY)),
    "__getitem__",
]


def _binary(function: Callable[..., Any], type: str, name: str, reflected: bool) -> Any:
    def method(self: Any, other: Any) -> Any:
        operands = (other, self) if reflected else (self, other)
        return build(function, type, name, operands, {}, _frame(1))

    return method


def _unary(function: Callable[..., Any], type: str) -> Any:
    def method(self: Any) -> Any:
        return build(function, type, type, (self,), {}, _frame(1))

    return method


def _get_item(self: Any, key: Any) -> Any:
    parts = key if isinstance(key, tuple) else (key,)
    pairs = [(one.start, one.stop, one.step) if isinstance(one, slice) else one for one in parts]
    slices = [isinstance(one, slice) for one in parts]
    return build(
        _sliced, "StridedSlice", "strided_slice", (self, pairs, slices, isinstance(key, tuple)), {}, _frame(1)
    )


def _sliced(x: Any, parts: Any, slices: Any, several: bool) -> Any:
    keys = tuple(slice(*one) if sliced else one for one, sliced in zip(parts, slices, strict=True))
    if isinstance(x, StringTensor):
        return x[tuple(one.numpy().item() if hasattr(one, "numpy") else one for one in keys)]
    return _operators.item(_convert.operand(x), keys if several else keys[0], _frame(1))


def _set_item(self: Any, key: Any, value: Any) -> None:
    raise refused_item(type(self).__name__)


def install_on(kind: type, there: Callable[[Any], bool]) -> None:
    """Gives objects of a class that are there the operators of graphs; the rest keep their own."""

    def either(own: Any, graphs: Any) -> Any:
        def method(self: Any, *other: Any) -> Any:
            return (graphs if there(self) else own)(self, *other)

        return method

    for name in _OPERATORS:
        setattr(kind, name, either(getattr(kind, name), getattr(GraphVariable, name)))


def install() -> None:
    """Gives tensors and variables of graphs their operators."""
    kinds: tuple[Any, ...] = (SymbolicTensor, GraphVariable)
    for kind in kinds:
        for name, (function, type_, own) in _BINARY.items():
            setattr(kind, f"__{name}__", _binary(function, type_, own, False))
            setattr(kind, f"__r{name}__", _binary(function, type_, own, True))
        for name, (function, type_) in _COMPARISONS.items():
            setattr(kind, f"__{name}__", _binary(function, type_, type_, False))
        for name, (unary, type_) in _UNARY.items():
            setattr(kind, f"__{name}__", _unary(unary, type_))
        kind.__getitem__ = _get_item
        kind.__setitem__ = _set_item


install()
