"""Transforming programs: records their calls again, unchanged; batches.py does so for a whole batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from penstock.ops.control import Control
from penstock.ops.shape import broadcast_to
from penstock.ops.table import cast
from penstock.tiers.program import many
from penstock.tiers.subprogram import Body
from penstock.trace.builder import Builder
from penstock.trace.leaf import Leaf, TensorArgument, Version
from penstock.trace.source_site import Site
from penstock.trace.spec import Spec, differentiable
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call, Node


class Ground:
    """The base of a separate program: a path without events."""

    capturing = None

    def __init__(self) -> None:
        self.node = Node(None, None)
        self.entered: dict[int, int] = {}
        self.current: dict[int, int] = {}


class BodyBuilder(Builder):
    """Builds a program that a primitive will hold."""

    __slots__ = ("count",)

    def __init__(self, site: Site | None, within: str | None = None) -> None:
        super().__init__(Ground(), (), (), site, within)  # type: ignore[arg-type]
        self.count = 0

    def inputs(self, specs: Sequence[Spec]) -> list[Tensor]:
        """Appends inputs, before anything else; returns their tensors."""
        found = []
        for one in specs:
            leaf = TensorArgument(self.count, entry=self.count)
            found.append(self.handle(self.append(leaf, (), {}, one)))
            self.count += 1
        return found

    def body(self, outputs: Sequence[Tensor]) -> Body:
        """Returns the program of these outputs."""
        return Body(self.calls, self.count, [one._slot for one in outputs])

    def turn(self, outputs: Sequence[Tensor]) -> Body:
        """Returns the program of one iteration: these outputs, then values that its backward pass may read.

        A run computes only those of these values that are read.
        """
        slots = [one._slot for one in outputs]
        return Body(self.calls, self.count, [*slots, *(one.slot for one in self.calls if is_dear(one))])


_SERIES = frozenset(
    (
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "expm1",
        "log",
        "log1p",
        "logistic",
        "power",
        "sigmoid",
        "sin",
        "sinh",
        "tan",
        "tanh",
    )
)
"""Functions of an element that take tens of operations, by the series that compute them."""


def is_dear(call: Call) -> bool:
    """Returns whether reading a value back costs less than computing it again: a product, or a series.

    This is true only if a derivative may pass: the backward pass of a loop reads no other values.
    """
    primitive = call.primitive
    if many(call) or isinstance(primitive, Leaf) or not differentiable(call.spec):
        return False
    return bool(primitive.vjp) and (primitive.cost is not None or primitive.name in _SERIES)


@contextmanager
def placed(builder: Builder, call: Call) -> Iterator[None]:
    """Gives the events that are appended in the block the line of a call."""
    site, within = builder.site, builder.within
    if call.site is not None:
        builder.site = call.site
    if call.within is not None:
        builder.within = call.within
    try:
        yield
    finally:
        builder.site, builder.within = site, within


def inline(builder: Builder, calls: Sequence[Call], known: Mapping[int, Tensor]) -> dict[int, Tensor]:
    """Appends calls to a builder; `known` has the tensors of slots that are there; returns those of all.

    A variable that was read again is the value it was: which tape saw it is settled.
    """
    made = dict(known)
    for call in calls:
        if call.slot in made:
            continue
        if isinstance(call.primitive, Version):
            made[call.slot] = made[call.inputs[0]]
            continue
        with placed(builder, call):
            slots = [made[one]._slot for one in call.inputs]
            made[call.slot] = builder.handle(builder.append(call.primitive, slots, call.params, call.spec))
    return made


def computed(builder: Builder, body: Body, inputs: Sequence[Tensor]) -> list[Tensor]:
    """Appends a body's calls over these inputs; returns its outputs."""
    made = inline(builder, body.calls, dict(enumerate(inputs)))
    return [made[slot] for slot in body.outputs]


def emit(builder: Builder, primitive: Control, operands: Sequence[Tensor], **params: Any) -> list[Tensor]:
    """Appends a primitive that holds programs; returns its results."""
    slots = [builder.reference(one) for one in operands]
    return [builder.handle(one) for one in primitive.append(builder, slots, **params)]


def constant_like(one: Spec, value: float = 0.0) -> Tensor:
    """Returns a tensor of one number, for use while something is built."""
    return broadcast_to(cast(value, dtype=one.dtype), shape=one.shape)


__all__ = [
    "BodyBuilder",
    "computed",
    "constant_like",
    "emit",
    "inline",
    "is_dear",
    "placed",
]
