"""Updates in programs without variables: a function receives a different tree than the last time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.flow.asked import Asked
from penstock.flow.observed import Wrote
from penstock.flow.recording import Recorded, recording_of
from penstock.flow.writes import distance
from penstock.trace.source_site import Site
from penstock.trace.tensor import Tensor


class Succession(Wrote):
    """A leaf of a tree that was replaced by another one: a write, by the line that made the new leaf."""

    __slots__ = ("asked", "by", "event", "new", "old", "site", "size", "step", "uid")

    kind, own, terms, numbers_steps = "write", False, ("assign",), True
    made, trainable, idle = None, True, False

    def __init__(self, asked: Asked, event: int, old: Any, new: Any) -> None:
        self.asked, self.uid, self.event, self.old, self.new = asked, asked._uid, event, old, new
        self.by, self.site = _maker(new, asked.site)
        self.size, self.step = asked._spec.size, 0

    @property
    def variable(self) -> Recorded:  # type: ignore[override]
        """The argument to which the leaf belongs."""
        return Recorded(self.asked)

    def change(self) -> float | None:
        """Returns the Euclidean norm of the change; None if a value no longer exists."""
        before, after = _value(self.old), _value(self.new)
        if before is None or after is None or before.shape != after.shape:
            return None
        return distance(before, after)


class Successions:
    """Remembers the leaves that each function received last. `waiting` are replacements not yet reported."""

    def __init__(self) -> None:
        self._last: dict[int, Any] = {}
        self.waiting: list[tuple[Asked, int, Any, Any]] = []

    def note(self, asked: Asked, event: int, leaf: Any) -> None:
        """Notes the present leaf of a place, when an event requests the gradient."""
        last = self._last.get(asked._uid)
        if isinstance(leaf, Tensor | np.ndarray):
            self._last[asked._uid] = leaf
            if last is not None and last is not leaf:
                self.waiting.append((asked, event, last, leaf))

    def take(self) -> list[Succession]:
        """Returns the replacements since the last call, up to the first without a computed value."""
        there = [_value(leaf) is not None for _, _, _, leaf in self.waiting]
        count = there.index(False) if False in there else len(there)
        found = [Succession(*one) for one in self.waiting[:count]]
        del self.waiting[:count]
        return found


def _maker(leaf: Any, asked: Site) -> tuple[str, Site]:
    """Returns the operation that made a leaf and its line; the requesting line, if it is unknown."""
    home = recording_of(leaf) if isinstance(leaf, Tensor) else None
    if home is None:
        return "another value", asked
    graph = home.graph
    event = graph.events[graph.values[leaf._slot].event]
    return event.name, graph.site(leaf._slot) or asked


def _value(leaf: Any) -> np.ndarray[Any, Any] | None:
    value = leaf._value if isinstance(leaf, Tensor) else leaf
    return None if value is None else np.asarray(math.nan if isinstance(value, Exception) else value)


__all__ = ["Succession", "Successions"]
