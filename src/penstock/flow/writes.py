"""The writes of a run, one by one: which event wrote which variable, with the values before and after."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.flow.graph import Event, Write
from penstock.flow.observed import Wrote
from penstock.flow.recomputed import recomputed
from penstock.flow.recorded import graph_of
from penstock.flow.recording import Recorded
from penstock.tiers.commits import Commit
from penstock.tiers.program import extract, values_at


class Written(Wrote):
    """One write that has taken effect: the cell, its values before and after, the slot of the new value."""

    __slots__ = (
        "after", "before", "by", "cell", "commit", "event", "idle", "kind", "numbers_steps", "own", "site",
        "size",
        "step", "terms", "trainable", "uid", "value",
    )  # fmt: skip

    made = None

    def __init__(
        self,
        cell: Any,
        event: Event,
        write: Write,
        trainable: bool,
        before: Any,
        after: Any,
        idle: bool,
        commit: Commit,
    ) -> None:
        self.cell, self.uid, self.size = cell, cell._uid, cell._spec.size
        self.event, self.by, self.site, self.kind = event.number, event.name, event.site, event.kind
        self.own, self.terms, self.value = write.own, write.terms, write.value
        # A constraint is part of the update before it, and on its line.
        self.numbers_steps = write.terms != ("constraint",)
        self.before, self.after = before, after
        self.trainable, self.idle = trainable, idle
        self.step = 0
        self.commit = commit

    @property
    def variable(self) -> Recorded:  # type: ignore[override]
        """The variable."""
        return Recorded(self.cell)

    def change(self) -> float:
        """Returns the Euclidean norm of the change; nan if the value before is unknown."""
        if self.before is None or self.after is None:
            return math.nan
        return distance(self.before, self.after)

    def untouched(self) -> Callable[[], int | None]:
        before, cell = self.before, self.cell

        def rows() -> int | None:
            if before is None or cell._value is None:
                return None
            old, new = np.asarray(before), np.asarray(cell._value)
            return int((old == new).reshape(len(new), -1).all(axis=1).sum())

        return rows

    def is_finite(self) -> bool:
        """Returns False if the written value contains an infinity or NaN."""
        return self.after is None or is_finite(self.after)

    def undoes(self, before: Any) -> bool:
        if self.before is None or self.after is None:
            return False
        with np.errstate(all="ignore"):
            near = max(1e-3 * self.change(), 1e-6 * float(np.linalg.norm(np.ravel(self.after))))
            return distance(before, self.after) <= near < distance(before, self.before)

    def settles(self) -> bool | None:
        commit = self.commit
        if self.after is None or self.kind != "write":
            return None
        graph = graph_of(commit.node)
        index = next(place for place, one in enumerate(commit.variables) if one is self.cell)
        behind = graph.ancestors([self.value])
        read = [number for number in graph.versions(index) if number < self.value and number in behind]
        if not read:
            return False
        try:
            (again,) = _values(commit, [self.value], {read[-1]: self.after}).values()
        except PenstockError:
            return False
        return bool(np.allclose(again, self.after, rtol=1e-5, atol=1e-8))


_QUICK = (np.dtype(np.float32), np.dtype(np.float64))


def is_finite(given: Any) -> bool:
    """Returns False if a value contains an infinity or NaN."""
    value = np.asarray(given)
    if value.dtype.kind not in "fcV":
        return True
    if value.dtype in _QUICK:
        if value.size == 1:
            return math.isfinite(value.item())
        # One pass over the value instead of two, without intermediate arrays.
        with np.errstate(all="ignore"):
            flat = value.ravel()
            if math.isfinite(np.dot(flat, flat)):
                return True
    return bool(np.isfinite(value).all())


def distance(before: Any, after: Any) -> float:
    """Returns the Euclidean norm of the difference of two values."""
    old, new = np.asarray(before), np.asarray(after)
    if new.size == 1 and old.size == 1 and new.dtype.kind != "c" != old.dtype.kind:
        return abs(float(new.item()) - float(old.item()))
    wide = np.complex128 if new.dtype.kind == "c" or old.dtype.kind == "c" else np.float64
    if new.size > _BLOCK and old.shape == new.shape:
        # Block by block: this stays in the cache and needs no large intermediate array.
        one, other = old.reshape(-1), new.reshape(-1)
        return math.sqrt(
            sum(
                _squares(one[k : k + _BLOCK], other[k : k + _BLOCK], wide) for k in range(0, new.size, _BLOCK)
            )
        )
    return math.sqrt(_squares(old, new, wide))


_BLOCK = 1 << 16


def _squares(old: Any, new: Any, wide: Any) -> float:
    """Returns the sum of the squares of the differences."""
    with np.errstate(all="ignore"):
        difference = np.subtract(new, old, dtype=wide).ravel()
        # An infinite part of a complex number makes NaN of a product.
        if wide is np.complex128:
            difference = np.abs(difference)
        # Not a dot product: for long ones BLAS wakes threads that wait for work in a loop.
        return float(np.add.reduce(np.square(difference, out=difference)))


def writes_of(commit: Commit) -> Iterator[Written]:
    """Yields the writes that a commit made, in the order of the program."""
    node, start = commit.node, commit.start.depth
    known = node.facts.get("writes")
    if known is None or known[0] != start:
        # Facts that are the same on every pass are computed once.
        graph = graph_of(node)
        writes = [write for write in graph.writes if write.event >= start]
        last = {write.variable: write.value for write in writes}
        lines = [
            (
                write,
                graph.events[write.event],
                graph.values[write.value].trainable,
                last[write.variable] == write.value,
                write.value in graph.idle,
            )
            for write in writes
        ]
        known = node.facts["writes"] = (
            start,
            lines,
            [write.value for write, _, _, ends, _ in lines if not ends],
        )
    _, lines, slots = known
    if not lines:
        return
    before = {id(variable): value for variable, value, _ in commit.writes}
    after = {id(variable): value for variable, _, value in commit.writes}
    between = _values(commit, slots) if slots else {}
    for write, event, trainable, ends, still in lines:
        variable = commit.variables[write.variable]
        old = before.get(id(variable))
        new = after.get(id(variable)) if ends else between.get(write.value)
        trainable = trainable and getattr(variable, "_reported", True)
        idle = still and old is not None and new is not None and not distance(old, new)
        yield Written(variable, event, write, trainable, old, new, idle, commit)
        if slots:
            before[id(variable)] = new


def _values(commit: Commit, slots: list[int], given: Mapping[int, Any] | None = None) -> dict[int, Any]:
    """Recomputes the values that variables had between two writes of one run, which the run did not keep.

    `given` are values of slots to use instead of the actual ones.
    """
    if not slots:
        return {}
    calls = commit.node.program()
    known = {**commit.known, **(given or {})}
    program, taken = extract(calls, slots, known)
    values = values_at(taken, calls, known, commit.arguments)
    return dict(zip(slots, recomputed(commit, program, values), strict=True))
