"""A stretch of a JAX program, recorded as a graph of values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from penstock.flow.graph import Event, Look, Request, Tape, Value, Wall, Write
from penstock.flow.reach import FLOWS, judge
from penstock.flow.source import stands_in_line
from penstock.frameworks.jax import operations
from penstock.frameworks.jax.keys import Key
from penstock.frameworks.jax.parameter import Parameter
from penstock.frameworks.jax.words import JAX
from penstock.frameworks.marks import Marks
from penstock.frameworks.stretch import Stretch
from penstock.trace.source_site import Site

_UNCHANGED = {operations.name_of(one) for one in (operations.STOP, *operations.SAME)}
"""Operations that change no number, if the type stays the same."""
FAR = 400
"""How many values are searched for the parameter that an array was computed from."""


@dataclass(slots=True)
class Type:
    """The dtype of a value, and its shape as text."""

    dtype: Any
    spec: str
    shape: tuple[int, ...] = ()


def type_of(thing: Any) -> Type:
    """Returns the type of an array, a tracer, or a variable of a jaxpr."""
    aval = getattr(thing, "aval", thing)
    dtype, shape = getattr(aval, "dtype", None), tuple(getattr(aval, "shape", ()))
    name = getattr(dtype, "name", type(thing).__name__)
    return Type(dtype, f"{name}[{', '.join(map(str, shape))}]", shape)


@dataclass(slots=True)
class Frame:
    """The values and parameters behind the keys of one run of a program, inside those of its caller.

    `zeros` are keys of constant zeros, `made` the lines that have made arrays, and `given` the names that
    arrays were given to the watch by.
    """

    parent: Frame | None = None
    numbers: dict[Key, int] = field(default_factory=dict)
    owners: dict[Key, Parameter] = field(default_factory=dict)
    zeros: set[Key] = field(default_factory=set)
    tapes: dict[object, Tape] = field(default_factory=dict)
    made: dict[Key, Site | None] = field(default_factory=dict)
    given: dict[Key, str] = field(default_factory=dict)

    def number(self, key: Key | None) -> int | None:
        """Returns the value that a key has, if it depends on a parameter."""
        frame: Frame | None = self
        while frame is not None and key is not None:
            if key in frame.numbers:
                return frame.numbers[key]
            frame = frame.parent
        return None

    def owner(self, key: Key | None) -> Parameter | None:
        """Returns the parameter whose value a key is."""
        frame: Frame | None = self
        while frame is not None and key is not None:
            if key in frame.owners:
                return frame.owners[key]
            frame = frame.parent
        return None


class Window(Stretch[Parameter]):
    """The actions of a program in a stretch of steps, as a graph; it is also the passage for the report.

    `same` are data of which it has turned out later that they are parameters.
    """

    def __init__(self) -> None:
        super().__init__(JAX)
        self._entries = itertools.count()
        self.marks = Marks(contents=True)
        self.depth = 0
        self._whose: dict[int, int] = {}
        self._stops: dict[int, Site | None] = {}
        self._used: set[int] = set()
        self._gradients: set[int] = set()
        self._latest: dict[int, int] = {}
        self.same: dict[int, Parameter] = {}

    # -- values --------------------------------------------------------------------------------------------

    def value(
        self, event: Event, kind: str, name: str, type_: Type, inputs: Sequence[int], links: Sequence[str],
        site: Site | None, parameter: Parameter | None = None, entry: int | None = None,
        literal: object = None, role: str = "",
    ) -> int:  # fmt: skip
        """Appends a value of an event."""
        number = len(self.graph.values)
        index = self.index(parameter) if parameter is not None else None
        if index is not None:
            self._latest[index] = number
        self.graph.values.append(
            Value(
                number,
                kind,
                name,
                type_.spec,
                operations.is_differentiable(type_.dtype),
                tuple(inputs),
                tuple(links),
                site,
                event.number,
                index,
                parameter is not None,
                entry,
                literal,
                role,
            )
        )
        return number

    def end(self, event: Event) -> None:
        """Lets an event have all values that were appended since it began."""
        self.graph.events[event.number] = replace(event, last=len(self.graph.values))

    def enter(self, type_: Type, site: Site | None, thing: Any = None) -> int:
        """Records data that came in, or a number that the program contains."""
        origins: tuple[int, ...] = ()
        literal: object = None
        if isinstance(thing, bool | int | float):
            origins = self.marks.origins_of(thing)
            if not origins or (site is not None and stands_in_line(site, thing)):
                literal, origins = thing, ()
        event = self.event("enter", "", site, 1)
        kind = "data" if literal is None else "number"
        entry = next(self._entries) if literal is None else None
        number = self.value(event, kind, kind, type_, (), (), site, entry=entry, literal=literal)
        if origins:
            self._origins[number] = origins
        return number

    def operation(
        self, name: str, inputs: Sequence[int], dtypes: Sequence[Any], results: Sequence[Type],
        site: Site | None, group: Event | None = None, composed: bool = False, shown: str = "",
        typed: bool = True,
    ) -> list[int]:  # fmt: skip
        """Records an operation; `dtypes` are those of its operands, `group` the event it is a part of.

        `typed` says that the program itself has called it, and not a library.
        """
        shown = shown or operations.name_of(name)
        event = group or self.event("operation", shown, site, len(results), composed)
        found = []
        for type_ in results:
            links = [operations.link_of(name, dtype, type_.dtype) for dtype in dtypes]
            role = operations.role_of(name)
            found.append(self.value(event, "operation", shown, type_, inputs, links, site, role=role))
        for one in inputs:
            self._use(one, name if typed else "", found, site)
        if name == operations.STOP and group is None and typed:
            (own,), of = found, tuple(inputs)
            self.graph.barriers.append(Wall(site, own, (own,), of, (own,), of))
        return found

    def _use(self, number: int, name: str, found: Sequence[int], site: Site | None) -> None:
        """Notes how a parameter is used: whether a stop takes the parameter itself."""
        whose = self._whose.get(number)
        if whose is None:
            return
        if name == operations.STOP:
            self._stops.setdefault(whose, site)
        elif name in operations.SAME:
            for one in found:
                self._whose[one] = whose
        else:
            self._used.add(whose)

    def join(
        self, name: str, sources: Sequence[int | None], type_: Type, site: Site | None, by: int | None = None
    ) -> int | None:
        """Records a value that is one of several; `by` has chosen it."""
        known = list(dict.fromkeys(one for one in sources if one is not None))
        if not known and by is None:
            return None
        if len(known) == 1 and by is None:
            return known[0]
        links = [
            ""
            if operations.is_differentiable(type_.dtype) and self.graph.values[one].differentiable
            else "discrete"
            for one in known
        ]
        if by is not None:
            known.append(by)
            links.append("discrete")
        event = self.event("operation", name, site, 1)
        return self.value(event, "operation", name, type_, known, links, site)

    def look(self, number: int, how: str, gave: Any, site: Site | None) -> None:
        """Records that a value left the record, and the resulting number or array."""
        event = self.event("look", how, site)
        self.graph.looks.append(Look(event.number, number, how, site))
        self.marks.note(gave, len(self.graph.looks) - 1)

    # -- gradients -----------------------------------------------------------------------------------------

    def open(self, site: Site | None) -> Tape:
        """Opens the region of a function that is differentiated."""
        tape = Tape(len(self.graph.tapes), True)
        self.graph.tapes.append(tape)
        self.event("open", "", site)
        tape.intervals.append((len(self.graph.values), None))
        tape.opened.append(site)
        self.depth += 1
        return tape

    def close(self, tape: Tape, site: Site | None) -> None:
        """Closes the region."""
        self.event("close", "", site)
        tape.intervals[-1] = (tape.intervals[-1][0], len(self.graph.values))
        tape.closed.append(site)
        self.depth -= 1

    def read(self, parameter: Parameter, type_: Type, site: Site | None) -> int:
        """Records that the program reads a parameter, or that a differentiated function gets it."""
        event = self.event("read", "", site, 1)
        number = self.value(event, "variable", "variable", type_, (), (), site, parameter)
        if self.depth:
            self._whose[number] = number
        return number

    def pass_on(self, tape: Tape, source: int | None, type_: Type, site: Site | None) -> int:
        """Records that a function which is differentiated inside another one gets a value."""
        event = self.event("operation", "argument", site, 1, True)
        inputs = () if source is None else (source,)
        number = self.value(event, "operation", "argument", type_, inputs, ("",) * len(inputs), site)
        tape.watched.append((number, len(self.graph.values)))
        return number

    def asked(
        self, tape: Tape, how: str, site: Site | None, targets: Sequence[int], sources: Sequence[int],
        types: Sequence[Type], requests: bool,
    ) -> list[int]:  # fmt: skip
        """Records a request for gradients; returns the gradients."""
        graph = self.graph
        event = self.event("gradient", how, site)
        links = ("",) * len(targets)
        found = [self.value(event, "operation", "gradient", type_, targets, links, site) for type_ in types]
        self._gradients.update(found)
        self.end(event)
        if not requests:
            return found
        heeded: list[int | None] = []
        for one in sources:
            index = graph.values[one].variable
            parameter = self.variables[index] if index is not None else None
            stopped = one in self._stops and one not in self._used
            if parameter is not None:
                if stopped:
                    parameter.stopped_at = parameter.stopped_at or self._stops[one]
                else:
                    parameter.live = True
            # A parameter that is stopped itself is to stay as it is: its gradient is not missing.
            heeded.append(None if stopped else one)
        given = tuple((one,) for one in found)
        region = tape.region(len(graph.values))
        graph.requests.append(
            Request(
                event.number,
                site,
                region,
                tuple(targets),
                tuple(heeded),
                (True,) * len(heeded),
                gradients=given,
            )
        )
        return found

    # -- parameters and writes -----------------------------------------------------------------------------

    def lineage(self, number: int) -> Parameter | None:
        """Returns the parameter of which an array is the next value: the nearest one it was computed from.

        Only values of the same type are followed, and none through a gradient.
        """
        for _, parameter, _ in self._related(number):
            return parameter
        return None

    def is_same(self, number: int) -> bool:
        """Returns whether an array has the numbers of a parameter, which it was computed from unchanged."""
        values = self.graph.values
        value = values[number]
        while value.variable is None and value.name in _UNCHANGED and len(value.inputs) == 1:
            source = values[value.inputs[0]]
            if source.spec != value.spec:
                return False
            value = source
        return value.variable is not None or value.number in self.same

    def follows(self, number: int, parameter: Parameter) -> bool:
        """Returns whether an array is a value of this parameter, changed by a gradient."""
        gradient = False
        reached = False
        for one, found, is_gradient in self._related(number, whole=True):
            gradient = gradient or is_gradient
            reached = reached or (found is parameter and one != number)
        return reached and gradient

    def _related(self, number: int, whole: bool = False) -> Iterator[tuple[int, Parameter | None, bool]]:
        values = self.graph.values
        spec = values[number].spec
        waiting, seen = [number], {number}
        for one in waiting:
            value = values[one]
            if value.variable is not None:
                yield one, self.variables[value.variable], False
                continue
            if one in self.same:
                yield one, self.same[one], False
                continue
            if one in self._gradients:
                if whole:
                    yield one, None, True
                continue
            for source in value.inputs:
                if source not in seen and values[source].spec == spec and len(seen) < FAR:
                    seen.add(source)
                    waiting.append(source)

    def write(
        self, kind: str, by: str, site: Site | None, moved: Sequence[tuple[Parameter, Sequence[int], Type]]
    ) -> Event:
        """Records a write of several parameters."""
        event = self.event(kind, by, site, 0, True)
        for parameter, inputs, type_ in moved:
            before = self._latest.get(self.index(parameter))
            made_of = (*inputs, before) if before is not None else tuple(inputs)
            links = ("overwritten",) * len(made_of)
            number = self.value(event, "written", "version", type_, made_of, links, site, parameter)
            self.graph.writes.append(Write(event.number, self.index(parameter), number, False, ("gradient",)))
        self.end(event)
        return event

    # -- afterwards ----------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Finds out which of the requested gradients are zeros because there is no path."""
        graph = self.graph
        for at, asked in enumerate(graph.requests):
            found = tuple(source is not None and self._flows(asked, source) for source in asked.sources)
            graph.requests[at] = replace(asked, found=found)
        graph.forget()

    def _flows(self, asked: Request, source: int) -> bool:
        index = self.graph.values[source].variable
        versions = [source] if index is None else self.graph.versions(index)
        return judge(self.graph, asked.targets, versions, asked.region).reason == FLOWS


__all__ = ["Frame", "Type", "Window", "type_of"]
