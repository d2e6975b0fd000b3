"""Attributes that a captured step reads, or compares with earlier values, each time it is replayed."""

from __future__ import annotations

from typing import Any

from penstock.trace.tensor import Cell, Tensor


class Binding:
    """A number that a captured step reads from an attribute at each call.

    The step receives it as its argument at `position`. `ahead` counts how often the optimizer that owns it
    was applied earlier in the same step.
    """

    __slots__ = ("ahead", "attribute", "dtype", "owner", "position")

    def __init__(self, position: int, owner: Any, attribute: str, dtype: Any, ahead: int = 0) -> None:
        self.position, self.owner, self.attribute = position, owner, attribute
        self.dtype, self.ahead = dtype, ahead


class Baked:
    """An attribute whose value at capture, `number`, is part of the step: a new value captures it again."""

    __slots__ = ("attribute", "number", "owner")

    def __init__(self, owner: Any, attribute: str) -> None:
        self.owner, self.attribute = owner, attribute
        self.number = getattr(owner, attribute)

    def has_changed(self) -> bool:
        """Returns whether the attribute has changed; tensors and variables compare by identity."""
        now = getattr(self.owner, self.attribute)
        if now is self.number:
            return False
        return isinstance(now, Tensor | Cell) or isinstance(self.number, Tensor | Cell) or now != self.number


__all__ = ["Baked", "Binding"]
