"""The writes of a run, one by one: which event wrote which variable, from what to what."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.flow.graph import Event, Write
from penstock.flow.observed import Wrote
from penstock.flow.recorded import graph_of
from penstock.flow.recording import Recorded
from penstock.tiers.plan import Commit
from penstock.tiers.program import extract, values_at
from penstock.tiers.reference import interpret


class Written(Wrote):
    """One write that has taken effect: the cell, its values before and after, the slot of the latter."""

    __slots__ = (
        "after", "before", "by", "cell", "event", "kind", "numbers_steps", "own", "site", "size", "step",
        "terms", "trainable", "uid", "value",
    )  # fmt: skip

    made = None
    idle = False

    def __init__(
        self, cell: Any, event: Event, write: Write, trainable: bool, before: Any, after: Any
    ) -> None:
        self.cell, self.uid, self.size = cell, cell._uid, cell._spec.size
        self.event, self.by, self.site, self.kind = event.number, event.name, event.site, event.kind
        self.own, self.terms, self.value = write.own, write.terms, write.value
        # A constraint is part of the update before it, at whose line it stands.
        self.numbers_steps = write.terms != ("constraint",)
        self.before, self.after = before, after
        self.trainable = trainable
        self.step = 0

    @property
    def variable(self) -> Recorded:  # type: ignore[override]
        """The variable."""
        return Recorded(self.cell)

    def change(self) -> float:
        """Returns the Euclidean norm of the change; nan where the value before is not known."""
        if self.before is None or self.after is None:
            return math.nan
        return distance(self.before, self.after)

    def untouched(self, first: Wrote) -> int | None:
        before, after = getattr(first, "before", None), self.after
        if before is None or after is None:
            return None
        old, new = np.asarray(before), np.asarray(after)
        same = (old == new).reshape(len(new), -1).all(axis=1)
        return int(same.sum())

    def is_finite(self) -> bool:
        """Returns False where the value that was written holds what is not finite."""
        value = np.asarray(self.after) if self.after is not None else None
        if value is None or value.dtype.kind not in "fcV":
            return True
        if value.dtype in _QUICK:
            # One pass over the value in place of two, and nothing is made on the way.
            with np.errstate(all="ignore"):
                if math.isfinite(np.dot(value.ravel(), value.ravel())):
                    return True
        return bool(np.isfinite(value).all())


_QUICK = (np.dtype(np.float32), np.dtype(np.float64))


def distance(before: Any, after: Any) -> float:
    """Returns the Euclidean norm of the difference of two values."""
    with np.errstate(all="ignore"):
        difference = np.asarray(after, _wide(after)) - np.asarray(before, _wide(before))
        return float(np.sqrt(np.sum(np.square(np.abs(difference)))))


def _wide(value: Any) -> Any:
    return np.complex128 if np.asarray(value).dtype.kind == "c" else np.float64


def writes_of(commit: Commit) -> Iterator[Written]:
    """Yields the writes that a commit made, in the order of the program."""
    graph = graph_of(commit.node)
    writes = [write for write in graph.writes if write.event >= commit.start.depth]
    if not writes:
        return
    before = {id(variable): value for variable, value, _ in commit.writes}
    after = {id(variable): value for variable, _, value in commit.writes}
    last = {write.variable: write.value for write in writes}
    between = _values(commit, [write.value for write in writes if last[write.variable] != write.value])
    for write in writes:
        variable = commit.variables[write.variable]
        old = before.get(id(variable))
        new = between.get(write.value) if last[write.variable] != write.value else after.get(id(variable))
        trainable = graph.values[write.value].trainable
        yield Written(variable, graph.events[write.event], write, trainable, old, new)
        before[id(variable)] = new


def _values(commit: Commit, slots: list[int]) -> dict[int, Any]:
    """Returns the values that variables had between two writes of one run: the run did not keep them."""
    if not slots:
        return {}
    calls = commit.node.program()
    program, taken = extract(calls, slots, commit.known)
    values = values_at(taken, calls, commit.known, commit.arguments)
    return dict(zip(slots, interpret(program, values), strict=True))
