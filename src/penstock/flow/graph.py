"""A recorded program as plain data: values, links between them, and what happened around them.

Explanations, contracts, diagnoses and reports read only this. It knows no engine: whatever can say which value
was made of which, where, and whether a derivative passes, can fill it in. `flow/recorded.py` does so from a
path of the trace tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from penstock.trace.site import Site


class Named(Protocol):
    """What a graph's reader needs to know of a variable."""

    path: str
    site: Site

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def trainable(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a program. `number` counts the values of a graph from 0, in the order they were made.

    `kind` is "operation", "variable" (a variable as read), "written" (a variable as read after a write),
    "data" (an array that came in) or "number" (a Python number). `inputs` are the numbers of its operands, and
    `links` has a word for each: "" where a derivative passes to the operand, else the reason why none does.
    `event` is the number of the event that made it. `variable` and `trainable` belong to variables, `entry`
    to data, `literal` to a number that is part of the program.
    """

    number: int
    kind: str
    name: str
    spec: str
    differentiable: bool
    inputs: tuple[int, ...]
    links: tuple[str, ...]
    site: Site | None
    event: int
    variable: int | None = None
    trainable: bool = False
    entry: int | None = None
    literal: object = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something the program did, as a user would put it: one operation, one write, one tape opened.

    `kind` is that of `penstock.trace.tree.Event`; `name` is the operation, the writer or the manner of a look.
    `composed` says that the values of this event are the inner workings of one function. `first` and `last`
    bound the numbers of its values: first <= number < last.
    """

    number: int
    kind: str
    name: str
    site: Site | None
    first: int
    last: int
    composed: bool = False


@dataclass(frozen=True, slots=True)
class Write:
    """One variable written by one event: `value` is the number of its new value; `own` marks a writer's state.

    `terms` are the causes of the change, in the words of the ledger.
    """

    event: int
    variable: int
    value: int
    own: bool
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """A value that left the record: which one, how (`float()`, `numpy()`), where."""

    event: int
    value: int
    how: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Region:
    """What a tape recorded: intervals of value numbers, whether it watches variables, values watched by hand."""

    intervals: tuple[tuple[int, int], ...] = ()
    watch_variables: bool = True
    watched: tuple[int, ...] = ()

    def covers(self, number: int) -> bool:
        """Returns whether a value was made while the tape was recording."""
        return any(start <= number < stop for start, stop in self.intervals)


@dataclass(slots=True)
class Tape:
    """A tape and where it was opened and closed; both lists run along its intervals."""

    number: int
    watch_variables: bool
    intervals: list[tuple[int, int | None]] = field(default_factory=list)
    opened: list[Site | None] = field(default_factory=list)
    closed: list[Site | None] = field(default_factory=list)
    watched: list[int] = field(default_factory=list)

    def region(self, size: int) -> Region:
        """Returns what the tape had recorded when the program had `size` values."""
        intervals = tuple((start, size if stop is None else stop) for start, stop in self.intervals)
        return Region(intervals, self.watch_variables, tuple(self.watched))


@dataclass(frozen=True, slots=True)
class Request:
    """A gradient that was asked for. `sources` are value numbers, None for what the program never touched.

    `found[i]` says whether source i got a gradient.
    """

    event: int
    site: Site | None
    region: Region
    targets: tuple[int, ...]
    sources: tuple[int | None, ...]
    found: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Late:
    """A gradient that was asked for when the program it belongs to was over: `request` speaks of `program`."""

    program: object
    request: Request


@dataclass(slots=True)
class Graph:
    """A whole program: see `Value`, `Event`, `Write`, `Look`, `Tape`, `Request`. `variables` counts them."""

    values: list[Value] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    tapes: list[Tape] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)
    barriers: list[int] = field(default_factory=list)
    variables: int = 0
    _lazy: _Lazy = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._lazy = _Lazy(self)

    def versions(self, variable: int) -> list[int]:
        """Returns the values that stand for a variable: as first read, and as read after each write."""
        return self._lazy.versions.get(variable, [])

    def users(self, number: int) -> list[int]:
        """Returns the values that were made of a value."""
        return self._lazy.users[number]

    def site(self, number: int) -> Site | None:
        """Returns where a value was made."""
        value = self.values[number]
        return value.site or self.events[value.event].site

    def ancestors(self, numbers: Iterable[int]) -> set[int]:
        """Returns what these values were made of, themselves included, whatever stands in a gradient's way."""
        return _closure(numbers, lambda number: self.values[number].inputs)

    def descendants(self, numbers: Iterable[int]) -> set[int]:
        """Returns what was made of these values, themselves included."""
        return _closure(numbers, self.users)

    def obstacle(self, number: int, operand: int, region: Region) -> str:
        """Returns what stops a gradient from a value to one of its operands, or ""."""
        value = self.values[number]
        if value.kind == "operation" and not region.covers(number):
            return "outside"
        return value.links[operand]

    def clear(self, targets: Iterable[int], region: Region) -> set[int]:
        """Returns the values that a gradient of the targets reaches, walking back through the region."""

        def passing(number: int) -> Iterator[int]:
            for operand, source in enumerate(self.values[number].inputs):
                if not self.obstacle(number, operand, region):
                    yield source

        return _closure(targets, passing)

    def leaves(self, region: Region) -> set[int]:
        """Returns the values at which a tape's gradients may end."""
        found = {number for number in region.watched if self.values[number].differentiable}
        if region.watch_variables:
            found.update(value.number for value in self.values if value.trainable and value.differentiable)
        return found

    def tracked(self, region: Region) -> set[int]:
        """Returns the values a tape follows: its leaves, and what was made of them inside the region."""
        found = self.leaves(region)
        for value in self.values:
            if value.number not in found and any(
                source in found and not self.obstacle(value.number, operand, region)
                for operand, source in enumerate(value.inputs)
            ):
                found.add(value.number)
        return found


class _Lazy:
    """What a graph works out when it is first asked."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def users(self) -> list[list[int]]:
        users: list[list[int]] = [[] for _ in self.graph.values]
        for value in self.graph.values:
            for source in dict.fromkeys(value.inputs):
                users[source].append(value.number)
        return users

    @cached_property
    def versions(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for value in self.graph.values:
            if value.variable is not None:
                found.setdefault(value.variable, []).append(value.number)
        return found


def _closure(starts: Iterable[int], step: _Step) -> set[int]:
    found = set(starts)
    stack = list(found)
    while stack:
        for number in step(stack.pop()):
            if number not in found:
                found.add(number)
                stack.append(number)
    return found


class _Step(Protocol):
    def __call__(self, number: int, /) -> Iterable[int]: ...


def route(starts: Sequence[int], goals: set[int], step: _Step) -> list[int]:
    """Returns a shortest chain from one of the starts to one of the goals, both included; empty if none is."""
    before: dict[int, int | None] = dict.fromkeys(starts)
    waiting = list(starts)
    for number in waiting:
        if number in goals:
            chain = [number]
            while (earlier := before[chain[-1]]) is not None:
                chain.append(earlier)
            chain.reverse()
            return chain
        for further in step(number):
            if further not in before:
                before[further] = number
                waiting.append(further)
    return []
