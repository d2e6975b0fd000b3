"""The basis of batching rules: their dictionary, and operands with an additional leading axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from penstock.ops.shape import broadcast_to, reshape, transpose
from penstock.ops.table import Primitive
from penstock.trace.spec import Shape
from penstock.trace.tensor import Tensor

Operands = Sequence[Tensor]
Flags = Sequence[bool]
Rule = Callable[..., Tensor]
rules: dict[Primitive, Rule] = {}
"""By primitive: a function (size, operands, batched, **params) that returns the results, batch axis first.

`batched[i]` says whether operand i has the batch axis; at least one has. A primitive without a rule is
applied to one example after another, by a loop in the program, with a warning.
"""


def batching(*primitives: Primitive) -> Callable[[Rule], Rule]:
    """Declares the batching rule of primitives."""

    def declare(rule: Rule) -> Rule:
        for one in primitives:
            rules[one] = rule
        return rule

    return declare


def spread(size: int, x: Tensor) -> Tensor:
    """Returns an operand with a batch axis added, the same for each example."""
    return broadcast_to(x, shape=(size, *x.shape))


def all_batched(size: int, operands: Operands, batched: Flags) -> list[Tensor]:
    """Returns every operand with the batch axis."""
    return [one if has else spread(size, one) for one, has in zip(operands, batched, strict=True)]


def padded(x: Tensor, rank: int) -> Tensor:
    """Gives a batched operand axes of length 1 after the batch axis, up to `rank` axes without it."""
    missing = rank - (len(x.shape) - 1)
    if missing <= 0:
        return x
    return reshape(x, shape=(x.shape[0], *(1,) * missing, *x.shape[1:]))


def own_shape(x: Tensor, has: bool) -> Shape:
    """Returns the shape of one example."""
    return x.shape[1:] if has else x.shape


def moved(x: Tensor, source: int, target: int) -> Tensor:
    """Moves one axis."""
    axes = [axis for axis in range(len(x.shape)) if axis != source]
    axes.insert(target, source)
    return x if axes == sorted(axes) else transpose(x, axes=tuple(axes))


def along_axis(primitive: Primitive) -> Rule:
    """Returns the rule of a primitive that works along one axis of its operand."""

    def rule(size: int, operands: Operands, batched: Flags, axis: int, **params: Any) -> Tensor:
        return primitive(operands[0], axis=axis + 1, **params)

    return rule


def elementwise(primitive: Primitive) -> Rule:
    """Returns the rule of a primitive whose operands broadcast together."""

    def rule(size: int, operands: Operands, batched: Flags, **params: Any) -> Tensor:
        rank = max(len(own_shape(x, has)) for x, has in zip(operands, batched, strict=True))
        lined_up = [padded(x, rank) if has else x for x, has in zip(operands, batched, strict=True)]
        return primitive(*lined_up, **params)

    return rule
