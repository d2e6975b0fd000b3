"""Primitives that hold programs: what gradients need to know about them, in a table filled on first use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import Any, Protocol

from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call


class Holding(Protocol):
    """What gradients need to know about a primitive that holds programs: see grad/control.py."""

    def links(self, call: Call) -> Set[int]:
        """Returns the operands that a gradient of this result reaches."""

    def pullback(
        self,
        call: Call,
        operands: Sequence[Tensor],
        results: Sequence[Tensor],
        cotangents: Sequence[Tensor | None],
        wanted: Set[int],
    ) -> Mapping[int, Tensor]:
        """Returns the cotangents of the wanted operands, given the cotangents of all results."""


holding: dict[Any, Holding] = {}
fillers: list[Callable[[], object]] = []
"""Functions that fill the table when the first such primitive is met: few paths have one."""


def held(primitive: Any) -> Holding:
    """Returns what gradients need to know about a primitive that holds programs."""
    if not holding:
        for fill in fillers:
            fill()
    return holding[primitive]


__all__ = ["Holding", "fillers", "held", "holding"]
