"""Elementwise functions of ragged tensors: of their values, after broadcasting different rows."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from penstock.tensorflow._dispatch import current
from penstock.tensorflow._ragged import leaves
from penstock.tensorflow._ragged.partition import RowPartition, ends, of_lengths, spans, uniform
from penstock.tensorflow._ragged.tensor import RaggedTensor, alike, cut_again, nested, partitions
from penstock.tensorflow._strings import StringTensor
from penstock.trace.tensor import Cell, Tensor


class _Form:
    """An operand, axis by axis: a length, or where its rows begin; and its elements one after another."""

    def __init__(self, x: Any) -> None:
        cuts, values = partitions(x), x.flat_values if isinstance(x, RaggedTensor) else x
        shape = tuple(int(n) for n in values.shape)
        self.dense = not cuts
        self.axes: list[Any] = [cuts[0].count, *cuts, *shape[1:]] if cuts else list(shape)
        self.cut = len(cuts)
        self.elements = leaves.arranged(values, (int(np.prod(shape)),))
        self.rows = np.zeros(1, np.int64)

    def lengths(self, axis: int) -> Any:
        """Returns how long the axis is in each row reached so far; one number if it is the same by nature."""
        own = self.axes[axis]
        if not isinstance(own, RowPartition):
            return own
        return own.uniform if own.uniform is not None else own.lengths[self.rows]

    def go(self, axis: int, lengths: Any) -> None:
        """Goes into an axis, whose rows have these lengths after broadcasting."""
        own = self.axes[axis]
        if isinstance(own, RowPartition) and own.uniform is None:
            self.rows = spans(own.starts[self.rows], lengths)
            return
        length: Any = own.uniform if isinstance(own, RowPartition) else own
        if length == 1:
            self.rows = np.repeat(self.rows, lengths)
        else:
            self.rows = spans(self.rows * length, lengths)


def aligned(operands: Sequence[Any]) -> tuple[list[Any], Callable[[Any], RaggedTensor]]:
    """Returns operands as dense tensors with matching elements, and a function that cuts a result into rows.

    An axis of length 1 is repeated, and axes that are missing in front are added. Raises InvalidArgumentError
    for rows of different lengths.
    """
    ragged = [one for one in operands if isinstance(one, RaggedTensor)]
    first = ragged[0]
    others = [one for one in operands if not isinstance(one, RaggedTensor)]
    rank = len(first.flat_values.shape)
    if (
        all(alike(first, one) and len(one.flat_values.shape) == rank for one in ragged[1:])
        and all(not tuple(one.shape) for one in others)
        and _one_shape(ragged)
    ):
        flat = [one.flat_values if isinstance(one, RaggedTensor) else one for one in operands]
        return flat, lambda found: cut_again(first, found)
    return _broadcast([_Form(one) for one in operands])


def _one_shape(ragged: Sequence[RaggedTensor]) -> bool:
    return len({tuple(one.flat_values.shape) for one in ragged}) == 1


def _broadcast(forms: list[_Form]) -> tuple[list[Any], Callable[[Any], RaggedTensor]]:
    rank = max(len(one.axes) for one in forms)
    depth = max(rank - len(one.axes) + one.cut for one in forms)
    for one in forms:
        one.axes = [1] * (rank - len(one.axes)) + one.axes
    cuts: list[RowPartition] = []
    count, trailing = 1, []
    for axis in range(rank):
        lengths = _common([one.lengths(axis) for one in forms], count)
        whole = np.full(count, lengths, np.int64) if isinstance(lengths, int) else lengths
        for one in forms:
            one.go(axis, whole)
        if 1 <= axis <= depth:
            cuts.append(uniform(lengths, count) if isinstance(lengths, int) else of_lengths(lengths))
        elif axis > depth:
            trailing.append(lengths)
        count = int(whole.sum())
    values = cuts[-1].values
    shape = (values, *trailing)
    flat = [leaves.arranged(leaves.gathered(one.elements, one.rows), shape) for one in forms]
    return flat, lambda found: nested(found, cuts)


def _common(lengths: list[Any], count: int) -> Any:
    """Returns the lengths of an axis after broadcasting: one number, or one of each row."""
    asked = [one for one in lengths if not (isinstance(one, int) and one == 1)]
    if not asked:
        return 1
    # A row of one length by nature comes first, as in TensorFlow's message.
    asked.sort(key=lambda one: not isinstance(one, int))
    varying = [one for one in asked if not isinstance(one, int)]
    first = asked[0]
    for other in asked[1:]:
        if not np.array_equal(np.broadcast_to(first, (count,)), np.broadcast_to(other, (count,))):
            from penstock.tensorflow.debugging import assert_equal

            assert_equal(*(ends(np.broadcast_to(one, (count,))) for one in (first, other)))
    return varying[0] if varying else first


# -- functions ------------------------------------------------------------------------------------------


@lru_cache(512)
def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def named_arguments(function: Any, arguments: Sequence[Any], options: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a call by their names."""
    return dict(zip(_names(function), arguments, strict=False)) | options


def tensor_like(value: Any) -> Any:
    """Returns an operand of an elementwise function: ragged, or a leaf; Python's numbers as they are."""
    if isinstance(value, RaggedTensor | StringTensor | Tensor):
        return value
    if isinstance(value, Cell):
        return leaves.leaf(value)
    if isinstance(value, int | float | complex | bool):
        return _Number(value)
    return leaves.leaf(value)


class _Number:
    """A Python number among operands, whose dtype follows the others."""

    shape = ()

    def __init__(self, value: Any) -> None:
        self.value = value


def elementwise(count: int) -> Any:
    """Returns the implementation of an elementwise function whose first `count` arguments are tensors."""

    def way(function: Any, *arguments: Any, **options: Any) -> Any:
        given = named_arguments(function, arguments, options)
        names = _names(function)[:count]
        operands = {name: tensor_like(given[name]) for name in names if name in given}
        return _called(function, operands, given)

    return way


def _called(function: Any, operands: dict[str, Any], given: dict[str, Any]) -> Any:
    numbers = {name: one.value for name, one in operands.items() if isinstance(one, _Number)}
    tensors = {name: one for name, one in operands.items() if name not in numbers}
    if not any(isinstance(one, RaggedTensor) for one in tensors.values()):
        return function(**given)
    flat, again = aligned(list(tensors.values()))
    return again(current(function)(**(given | numbers | dict(zip(tensors, flat, strict=True)))))


def of_a_list(function: Any, inputs: Any, *arguments: Any, **options: Any) -> Any:
    """Does the work of an elementwise function of a list of tensors."""
    flat, again = aligned([tensor_like(one) for one in inputs])
    return again(current(function)(flat, *arguments, **options))


def operator(function: Callable[..., Any], reflected: bool = False) -> Any:
    """Returns a method that is a function of two operands; `reflected` has them in the other order."""

    def method(self: RaggedTensor, other: Any) -> Any:
        if other is None and function.__name__ in ("equal", "not_equal"):
            return function.__name__ == "not_equal"
        x, y = _names(function)[:2]
        other = tensor_like(other)
        left, right = (other, self) if reflected else (self, other)
        return _called(function, {x: left, y: right}, {})

    return method


__all__ = ["aligned", "elementwise", "named_arguments", "of_a_list", "operator", "tensor_like"]
