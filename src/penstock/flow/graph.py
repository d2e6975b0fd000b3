"""A recorded program as plain data: values, links between them, and what happened around them.

Explanations, contracts, diagnoses and reports read only this. It is independent of the engine: any source can
fill it in that knows the operands and line of each value, and whether a derivative passes. `flow/recorded.py`
does so from a path of the trace tree.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from penstock.flow.words import NATIVE, Words
from penstock.trace.source_site import Site


class Named(Protocol):
    """What the reader of a graph needs to know about a variable."""

    path: str
    site: Site

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def trainable(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Inside:
    """The end of a path inside a value that is a whole program: the line and the operation.

    `remedy` is what to type, if that depends on the program and not on the operation.
    """

    site: Site | None
    name: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a program. `number` counts the values of a graph from 0, in the order they were made.

    `kind` is "operation", "variable" (a variable as read), "written" (a variable as read after a write),
    "data" (an array that came in) or "number" (a Python number). `inputs` are the numbers of its operands,
    and `links` has a word for each: "" if a derivative passes to the operand, otherwise the reason why none
    does. `event` is the number of the event that made it. `variable` and `trainable` belong to variables,
    `entry` to data, `literal` to a number that is part of the program. `role` classifies sums: "sum" for an
    addition or subtraction, "scale" for a product or quotient, "linear" for other operations that a sum may
    pass through, such as a mean. `insides` complements `links` if a separate program makes the value.
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
    role: str = ""
    insides: tuple[Inside | None, ...] = ()

    def inside(self, operand: int | None) -> Inside | None:
        """Returns where the path to an operand ends inside the value, if it does."""
        return self.insides[operand] if operand is not None and self.insides else None


@dataclass(frozen=True, slots=True)
class Event:
    """An action of the program, from the user's point of view: one operation, one write, one tape opened.

    `kind` is that of `penstock.trace.tree.Event`; `name` is the operation, the writer or the way a value was
    read. `composed` says that the values of this event are internal to one function. `first` and `last` bound
    the numbers of its values: first <= number < last.
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
    """One variable written by one event: `value` is the number of its new value.

    `own` marks a writer's own state; `terms` are the causes of the change, in the words of the ledger.
    """

    event: int
    variable: int
    value: int
    own: bool
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """A value that left the record: which one, by which call (`float()`, `numpy()`), on which line."""

    event: int
    value: int
    how: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Region:
    """The region that a tape recorded: intervals of value numbers, and the variables that it watches.

    `watched` are the explicitly watched values: pairs of a value and the first number that may use it.
    """

    intervals: tuple[tuple[int, int], ...] = ()
    watch_variables: bool = True
    watched: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def whole(graph: Graph) -> Region:
        """Returns the region of an imaginary tape that recorded everything."""
        return Region(((0, len(graph.values)),))

    def covers(self, number: int) -> bool:
        """Returns whether a value was made while the tape was recording."""
        # Intervals are in order and do not overlap. There may be thousands: one for each `no_grad` block.
        after = bisect_left(self.intervals, (number + 1,))
        return after > 0 and number < self.intervals[after - 1][1]


@dataclass(slots=True)
class Tape:
    """A tape, and the lines where it was opened and closed: one entry in each list for each interval."""

    number: int
    watch_variables: bool
    intervals: list[tuple[int, int | None]] = field(default_factory=list)
    opened: list[Site | None] = field(default_factory=list)
    closed: list[Site | None] = field(default_factory=list)
    watched: list[tuple[int, int]] = field(default_factory=list)

    def region(self, size: int) -> Region:
        """Returns the region that the tape had recorded when the program had `size` values."""
        intervals = tuple((start, size if stop is None else stop) for start, stop in self.intervals)
        return Region(intervals, self.watch_variables, tuple(self.watched))


@dataclass(frozen=True, slots=True)
class Request:
    """A requested gradient. `sources` are value numbers, None for variables that the program never touched.

    `found[i]` says whether source i got a gradient. `implied` says that the program did not list the sources:
    the request was for all variables. `gradients[i]` are the numbers of the values that form the gradient of
    source i: one, two for rows (their ids, then the rows themselves), none if there is no gradient or it is
    unknown.
    """

    event: int
    site: Site | None
    region: Region
    targets: tuple[int, ...]
    sources: tuple[int | None, ...]
    found: tuple[bool, ...]
    implied: bool = False
    gradients: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Late:
    """A gradient that was requested after its program was over: `request` has slots of `program`."""

    program: object
    request: Request


@dataclass(frozen=True, slots=True)
class Wall:
    """A stop_gradient that the user wrote, on the path or inside a function that is a separate program.

    `number` is its result, or the first result of that function. `made` are the values that contain it, `of`
    its operands. A gradient arrives at it through one of `above`, and would go on to `below`.
    """

    site: Site | None
    number: int
    made: tuple[int, ...]
    of: tuple[int, ...]
    above: tuple[int, ...]
    below: tuple[int, ...]


@dataclass(slots=True)
class Graph:
    """A whole program: see `Value`, `Event`, `Write`, `Look`, `Tape`, `Request`. `variables` counts them.

    `words` are those of the vocabulary it is written in. `origins` maps the number of a data value to the
    looks it is known to come from, by their numbers; None if no origin is known. `applied` has the gradient
    of each update, by the numbers of the event and of the variable; `rescales` are the updates that divide it
    by the loss scale. `idle` are the written values that equal the old ones, unless something else changes
    them.
    """

    values: list[Value] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    tapes: list[Tape] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)
    barriers: list[Wall] = field(default_factory=list)
    variables: int = 0
    words: Words = NATIVE
    idle: set[int] = field(default_factory=set)
    applied: dict[tuple[int, int], int] = field(default_factory=dict)
    rescales: set[int] = field(default_factory=set)
    origins: dict[int, tuple[int, ...]] | None = None
    _lazy: _Lazy = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Forgets derived facts: values have been replaced since they were computed."""
        self._lazy = _Lazy(self)

    def versions(self, variable: int) -> list[int]:
        """Returns the values of a variable: as first read, and as read after each write."""
        return self._lazy.versions.get(variable, [])

    def users(self, number: int) -> list[int]:
        """Returns the values that were computed from a value."""
        return self._lazy.users[number]

    def site(self, number: int) -> Site | None:
        """Returns where a value was made."""
        value = self.values[number]
        return value.site or self.events[value.event].site

    def ancestors(self, numbers: Sequence[int]) -> Set[int]:
        """Returns these values and all that they were computed from, whether a gradient passes or not."""
        return self._lazy.once(
            ("ancestors", *numbers), lambda: _closure(numbers, lambda number: self.values[number].inputs)
        )

    def material(self, numbers: Sequence[int]) -> Set[int]:
        """Returns these values and all that they were computed from, except the history of weights.

        The search ends at a weight that an optimizer has updated: the earlier step's loss, its data and the
        optimizer's state are in the weight, but are not part of values computed with it.
        """

        def origins(number: int) -> tuple[int, ...]:
            return () if number in self._lazy.moved else self.values[number].inputs

        return self._lazy.once(("material", *numbers), lambda: _closure(numbers, origins))

    def descendants(self, numbers: Sequence[int]) -> Set[int]:
        """Returns all values computed from these, including themselves."""
        return _closure(numbers, self.users)

    def obstacle(self, number: int, operand: int, region: Region) -> str:
        """Returns what stops a gradient from a value to one of its operands, or ""."""
        value = self.values[number]
        if value.kind == "operation" and not region.covers(number):
            return "outside"
        if value.links[operand]:
            return value.links[operand]
        source = value.inputs[operand]
        late = any(source == watched and number < since for watched, since in region.watched)
        return "unwatched" if late else ""

    def clear(self, targets: Sequence[int], region: Region) -> Set[int]:
        """Returns the values that a gradient of the targets reaches, walking back through the region."""

        def passing(number: int) -> Iterator[int]:
            for operand, source in enumerate(self.values[number].inputs):
                if not self.obstacle(number, operand, region):
                    yield source

        return self._lazy.once(("clear", region, *targets), lambda: _closure(targets, passing))

    def leaves(self, region: Region) -> Set[int]:
        """Returns the values at which a tape's gradients may end.

        They are the watched values, and the reads of variables since the tape was opened, if it watches them.
        """
        return self._lazy.once(("leaves", region), lambda: self._leaves(region))

    def _leaves(self, region: Region) -> set[int]:
        found = {number for number, _ in region.watched if self.values[number].differentiable}
        by_hand = {self.values[number].variable for number, _ in region.watched} - {None}
        opened = region.intervals[0][0] if region.intervals else len(self.values)
        for value in self.values[opened:]:
            wanted = value.variable in by_hand or (region.watch_variables and value.trainable)
            if value.variable is not None and value.differentiable and wanted:
                found.add(value.number)
        return found

    def tracked(self, region: Region) -> Set[int]:
        """Returns the values a tape follows: its leaves, and all values computed from them in the region."""
        return self._lazy.once(("tracked", region), lambda: self._tracked(region))

    def _tracked(self, region: Region) -> set[int]:
        found = set(self.leaves(region))
        for value in self.values:
            if value.number not in found and any(
                source in found and not self.obstacle(value.number, operand, region)
                for operand, source in enumerate(value.inputs)
            ):
                found.add(value.number)
        return found


class _Lazy:
    """Derived facts of a graph, computed on the first request."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.answers: dict[object, Set[int]] = {}

    def once(self, question: object, work_out: Callable[[], Set[int]]) -> Set[int]:
        """Returns the answer to a question, which is computed the first time and then kept."""
        found = self.answers.get(question)
        if found is None:
            found = self.answers[question] = work_out()
        return found

    @cached_property
    def users(self) -> list[list[int]]:
        users: list[list[int]] = [[] for _ in self.graph.values]
        for value in self.graph.values:
            for source in dict.fromkeys(value.inputs):
                users[source].append(value.number)
        return users

    @cached_property
    def moved(self) -> set[int]:
        events = self.graph.events
        return {one.value for one in self.graph.writes if events[one.event].kind == "apply"}

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
    """Returns a shortest chain from one of the starts to one of the goals, both included, or nothing."""
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
