"""The writes of a run, one by one: which event wrote which variable, from what to what, in which step."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.flow.graph import Event, Write
from penstock.flow.recorded import graph_of
from penstock.tiers.plan import Commit
from penstock.tiers.program import extract, values_at
from penstock.tiers.reference import interpret
from penstock.trace.site import Site


@dataclass(frozen=True, slots=True)
class Written:
    """One write that has taken effect: the variable, the event and the write, values before and after."""

    step: int
    variable: Any
    event: Event
    write: Write
    before: Any
    after: Any

    @property
    def change(self) -> float:
        """The Euclidean norm of the change; nan where the value before is not known."""
        if self.before is None or self.after is None:
            return math.nan
        return distance(self.before, self.after)


def distance(before: Any, after: Any) -> float:
    """Returns the Euclidean norm of the difference of two values."""
    with np.errstate(all="ignore"):
        difference = np.asarray(after, _wide(after)) - np.asarray(before, _wide(before))
        return float(np.sqrt(np.sum(np.square(np.abs(difference)))))


def _wide(value: Any) -> Any:
    return np.complex128 if np.asarray(value).dtype.kind == "c" else np.float64


Key = tuple[Site | None, int]
"""A line and the number of a variable that it writes."""


class Steps:
    """Numbers the steps of a program from 1.

    A step is over where a line writes a variable that it has written in this step already: a loop around any
    training step counts its iterations, however often values are looked at inside. Where one loop follows
    another, what the second writes first seems to end the last step of the first. Once it is written again,
    `moved` is called with the lines concerned and the number of the step that they have begun instead.
    """

    def __init__(self, moved: Callable[[Set[Key], int], None] | None = None) -> None:
        self.count = 0
        self._moved = moved
        self._present: set[Key] = set()
        self._past: set[Key] = set()

    def number(self, site: Site | None, variables: Sequence[Any]) -> int:
        """Returns the number of the step to which a write of these variables at this line belongs."""
        keys = {(site, variable._uid) for variable in variables}
        again = keys & self._present
        if again:
            fresh = self._present - self._past
            if fresh != self._present and again & fresh:
                self.count += 1
                if self._moved is not None:
                    self._moved(fresh, self.count)
        if again or not self.count:
            self.count += 1
            self._past |= self._present
            self._present = set()
        self._present |= keys
        return self.count


def writes_of(commit: Commit, steps: Steps) -> Iterator[Written]:
    """Yields the writes that a commit made, in the order of the program."""
    graph = graph_of(commit.node)
    writes = [write for write in graph.writes if write.event >= commit.start.depth]
    if not writes:
        return
    before = {id(variable): value for variable, value, _ in commit.writes}
    after = {id(variable): value for variable, _, value in commit.writes}
    last = {write.variable: write.value for write in writes}
    between = _values(commit, [write.value for write in writes if last[write.variable] != write.value])
    numbers: dict[int, int] = {}
    for write in writes:
        event = graph.events[write.event]
        if write.terms == ("constraint",):
            # Part of the update before it, at whose line it stands.
            numbers[write.event] = steps.count
        elif write.event not in numbers:
            cells = [commit.variables[one.variable] for one in writes if one.event == write.event]
            numbers[write.event] = steps.number(event.site, cells)
        variable = commit.variables[write.variable]
        old = before.get(id(variable))
        new = between.get(write.value) if last[write.variable] != write.value else after.get(id(variable))
        yield Written(numbers[write.event], variable, event, write, old, new)
        before[id(variable)] = new


def _values(commit: Commit, slots: list[int]) -> dict[int, Any]:
    """Returns the values that variables had between two writes of one run: the run did not keep them."""
    if not slots:
        return {}
    calls = commit.node.program()
    program, taken = extract(calls, slots, commit.known)
    values = values_at(taken, calls, commit.known, commit.arguments)
    return dict(zip(slots, interpret(program, values), strict=True))
