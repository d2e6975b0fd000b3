"""A stretch of a TensorFlow program, recorded as a graph of values."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from penstock.flow.applied import SAME
from penstock.flow.graph import Event, Look, Region, Request, Tape, Value, Wall, Write
from penstock.flow.measured import measured_facts, trained_data
from penstock.flow.noted import Measured
from penstock.flow.reach import FLOWS, judge
from penstock.flow.source import stands_in_line
from penstock.frameworks.marks import Marks
from penstock.frameworks.stretch import Stretch
from penstock.frameworks.tensorflow import operations
from penstock.frameworks.tensorflow.entries import (
    Asked,
    Assigned,
    Closed,
    Inside,
    Key,
    Numbers,
    Opened,
    Operation,
    Running,
    Type,
    Updated,
    Watched,
    type_of,
)
from penstock.frameworks.tensorflow.numpy_lines import numpy_line
from penstock.frameworks.tensorflow.variable import Parameter, Registry
from penstock.frameworks.tensorflow.words import TENSORFLOW
from penstock.trace.source_site import Site

SILENT = 2_000
"""How many values computed while no tape records are kept in one window."""
PATCHES = 8
"""How many links are marked for one gradient that is None although a path seems open."""


@dataclass(slots=True)
class _Group:
    """Operations of one call that wait to be put into the graph together."""

    call: object
    numbers: Numbers
    operations: list[Operation] = field(default_factory=list)
    keys: set[Key] = field(default_factory=set)


class Window(Stretch[Parameter]):
    """The actions of a program in a stretch of steps, as a graph; it is also the passage for the report."""

    def __init__(self, registry: Registry) -> None:
        super().__init__(TENSORFLOW)
        self.registry = registry
        self.running = Running(registry)
        self._reads: dict[int, tuple[int, int, bool]] = {}
        self._latest: dict[int, int] = {}
        self._made: dict[int, int] = {}
        self._entries = itertools.count()
        self._marks = Marks(contents=True)
        self._tapes: dict[tuple[int, int], Tape] = {}
        self._open = 0
        self._epoch = 0
        self._silent = 0
        self._flat = False
        self._pending: _Group | None = None
        self._filled: set[int] = set()
        self._born: dict[Key, tuple[weakref.ref[Any], int]] = {}

    @property
    def records(self) -> bool:
        """Whether a tape records."""
        return self._open > 0

    def is_after(self, number: int, look: Look) -> bool:
        index = self.graph.values[number].variable
        made = self._made.get(self.variables[index].uid) if index is not None else None
        return made is not None and made > look.event

    # -- look-ups ------------------------------------------------------------------------------------------

    def knows(self, key: Key, numbers: Numbers) -> bool:
        """Returns whether a tensor depends on a variable, on a watched tensor or on a look."""
        pending = self._pending
        waits = pending is not None and pending.numbers is numbers and key in pending.keys
        return waits or numbers.number(key) is not None or numbers.variable(key) is not None

    def number(self, tensor: Any) -> int | None:
        """Returns the present value of a tensor of the running program."""
        self.flush()
        return self.running.number(id(tensor))

    def created(self, parameter: Parameter) -> None:
        """Notes that a variable is created now."""
        self._made[parameter.uid] = len(self.graph.events)

    # -- operations ----------------------------------------------------------------------------------------

    def add(self, one: Operation, numbers: Numbers) -> None:
        """Takes an operation, which is put into the graph with the others of its call."""
        if isinstance(numbers, Inside) and one.kind == "Const":
            if one.literal is not None:
                numbers.note(one.outputs[0], one.literal)
            return
        if one.kind in operations.UNSEEN or not any(self.knows(key, numbers) for key in one.inputs):
            return
        if not self._open:
            self._silent += 1
            if self._silent > SILENT:
                return
        pending = self._pending
        if pending is None or pending.call != one.call or pending.numbers is not numbers:
            self.flush()
            pending = self._pending = _Group(one.call, numbers)
        pending.operations.append(one)
        pending.keys.update(one.outputs)

    def flush(self) -> None:
        """Puts the waiting operations into the graph."""
        group, self._pending = self._pending, None
        if group is None:
            return
        numbers = group.numbers
        used = {key for one in group.operations for key in one.inputs}
        own: list[Operation] = []
        for one in group.operations:
            tensors = _by_key(one)
            if one.kind in operations.READS:
                parameter = numbers.variable(one.inputs[0])
                if parameter is not None:
                    number = self.read(parameter, one.site)
                    numbers.bind(one.outputs[0], number, tensors.get(one.outputs[0]))
                if parameter is None or one.outputs[0] in used:
                    continue
            for key, type_ in zip(one.inputs, one.types, strict=False):
                unknown = numbers.variable(key) is None and numbers.number(key) is None
                # Whole numbers such as axes and shapes say nothing about a gradient.
                if unknown and key not in group.keys and operations.is_differentiable(type_.dtype):
                    self._enter(key, type_, numbers, one.site, tensors.get(key))
            own.append(one)
        if not own:
            return
        first = own[0]
        made = [one for one in own if one.kind not in operations.READS]
        composed = first.whole or len(made) > 1
        word = operations.name_of(first.kind)
        name = first.name if composed and first.name else word
        reads: dict[Key, int] = {
            key: self.read(parameter, one.site)
            for one in own
            if one.kind not in operations.READS
            for key in one.inputs[:1]
            if (parameter := numbers.variable(key)) is not None
        }
        event = self.event("operation", name, first.site, 0, composed)
        for one in own:
            self._results(one, numbers, event, reads)
        self.graph.events[event.number] = replace(event, last=len(self.graph.values))

    def _results(self, one: Operation, numbers: Numbers, event: Event, reads: dict[Key, int]) -> None:
        tensors = _by_key(one)
        inputs, kinds = [], []
        for key, type_ in zip(one.inputs, one.types, strict=False):
            number = reads[key] if key in reads else numbers.number(key)
            if one.kind in operations.READS:
                number = numbers.number(one.outputs[0])
            if number is not None:
                inputs.append(number)
                kinds.append(type_.dtype)
        shown = operations.name_of(one.kind) if one.kind[:1].isupper() else one.kind
        for key, type_ in zip(one.outputs, one.types[len(one.inputs) :], strict=True):
            links = tuple(
                ""
                if one.kind in operations.READS or (place == 0 and reads and not one.overridden)
                else operations.link_of(one.kind, type_.dtype, dtype, one.overridden)
                for place, dtype in enumerate(kinds)
            )
            self._flat = self._flat or "flat" in links
            role = operations.role_of(one.kind)
            number = self._value(event, "operation", shown, type_, tuple(inputs), links, one.site, role=role)
            numbers.bind(key, number, tensors.get(key))
            if one.typed and one.kind in operations.STOPS and inputs:
                own, of = (number,), tuple(inputs)
                self.graph.barriers.append(Wall(one.site, number, own, of, own, of))

    def join(
        self, name: str, sources: Sequence[int | None], type_: Type, site: Site | None, by: int | None = None
    ) -> int | None:
        """Records a value that is one of several, such as the result of a condition; `by` has chosen it.

        Returns None if it depends on nothing that the window follows.
        """
        self.flush()
        known = list(dict.fromkeys(one for one in sources if one is not None))
        if not known and by is None:
            return None
        if len(known) == 1 and None not in sources and by is None:
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
        return self._value(event, "operation", name, type_, tuple(known), tuple(links), site)

    def read(self, parameter: Parameter, site: Site | None) -> int:
        """Returns the present value of a variable."""
        found = self._reads.get(parameter.uid)
        if found is not None and found[1:] == (self._epoch, parameter.watched):
            return found[0]
        event = self.event("read", "", site, 1)
        type_ = Type(None, parameter.spec)
        number = self._value(event, "variable", "variable", type_, (), (), site, parameter=parameter)
        self._reads[parameter.uid] = number, self._epoch, parameter.watched
        return number

    def forget(self, parameter: Parameter) -> None:
        """Makes the next use of a variable a separate read: it has been written."""
        self._reads.pop(parameter.uid, None)

    def _enter(self, key: Key, type_: Type, numbers: Numbers, site: Site | None, tensor: Any) -> int:
        """Records data that came in, or a number that the program contains."""
        literal = numbers.literal(key)
        origins: tuple[int, ...] = ()
        if tensor is not None:
            value = _value_of(tensor) if type_.spec.endswith("[]") or self._marks else None
            if value is not None:
                origins = self._marks.origins_of(value)
                if value.ndim == 0 and site is not None and stands_in_line(site, value[()]):
                    literal, origins = value, ()
            born = self._born.get(key)
            if born is not None and born[0]() is tensor and literal is None:
                origins = origins or (born[1],)
        event = self.event("enter", "", site, 1)
        kind = "data" if literal is None else "number"
        entry = next(self._entries) if literal is None else None
        number = self._value(event, kind, kind, type_, (), (), site, entry=entry, literal=literal)
        numbers.bind(key, number, tensor)
        if origins:
            self._origins[number] = origins
        return number

    def came_back(self, tensor: Any, type_: Type) -> int | None:
        """Returns the value of data that is known to come from a look; None for other data."""
        if not self._marks or not operations.is_differentiable(type_.dtype) or type_.dtype.name == "resource":
            return None
        value = _value_of(tensor)
        if value is None or not self._marks.origins_of(value):
            return None
        return self._enter(id(tensor), type_, self.running, None, tensor)

    def has_given(self, number: int, parameter: Parameter) -> bool:
        """Returns whether a value is that of a variable, unchanged, or came back after a look at it."""
        values, index = self.graph.values, self.index(parameter)
        given = [self.graph.looks[at].value for at in self._origins.get(number, ())]
        for one in (number, *given):
            while values[one].variable is None and values[one].name in SAME and len(values[one].inputs) == 1:
                one = values[one].inputs[0]
            if values[one].variable == index:
                return True
        return False

    def follow(self, tensor: Any, type_: Type, site: Site | None) -> int:
        """Returns the value of a tensor of the running program, which is data if it is unknown."""
        self.flush()
        found = self.running.number(id(tensor))
        return found if found is not None else self._enter(id(tensor), type_, self.running, site, tensor)

    def born(self, tensor: Any, site: Site | None) -> None:
        """Notes a constant that was made on the line of the latest look, of the value that was looked at."""
        looks = self.graph.looks
        if looks and looks[-1].site == site and site is not None:
            at = len(looks) - 1
            self._born[id(tensor)] = weakref.ref(tensor), at

    @property
    def has_just_looked(self) -> bool:
        """Whether nothing has happened since a look."""
        events = self.graph.events
        return bool(events) and events[-1].kind == "look" and self._pending is None

    def _value(
        self,
        event: Event,
        kind: str,
        name: str,
        type_: Type,
        inputs: tuple[int, ...],
        links: tuple[str, ...],
        site: Site | None,
        entry: int | None = None,
        literal: object = None,
        role: str = "",
        parameter: Parameter | None = None,
    ) -> int:
        number = len(self.graph.values)
        index, trainable = None, False
        differentiable = type_.dtype is None or operations.is_differentiable(type_.dtype)
        if parameter is not None:
            index, trainable = self.index(parameter), parameter.watched
            differentiable = parameter.dtype.startswith(("float", "bfloat", "complex"))
            self._latest[index] = number
        value = Value(
            number, kind, name, type_.spec, differentiable, inputs, links, site, event.number, index,
            trainable, entry, literal, role,
        )  # fmt: skip
        self.graph.values.append(value)
        return number

    # -- tapes ---------------------------------------------------------------------------------------------

    def opened(self, one: Opened, run: int = 0) -> None:
        """Opens an interval of a tape; `run` distinguishes the runs of a function that has tapes."""
        self.flush()
        key = run, one.tape
        if one.new or key not in self._tapes:
            tape = self._tapes[key] = Tape(len(self.graph.tapes), one.watches)
            self.graph.tapes.append(tape)
        tape = self._tapes[key]
        self.event("open", "", one.site)
        tape.intervals.append((len(self.graph.values), None))
        tape.opened.append(one.site)
        self._open += 1
        self._epoch += 1

    def closed(self, one: Closed, run: int = 0) -> None:
        """Closes the open interval of a tape."""
        self.flush()
        tape = self._tapes.get((run, one.tape))
        if tape is None or not tape.intervals or tape.intervals[-1][1] is not None:
            return
        self.event("close", "", one.site)
        tape.intervals[-1] = (tape.intervals[-1][0], len(self.graph.values))
        tape.closed.append(one.site)
        self._open -= 1
        self._epoch += 1

    def watched(self, one: Watched, numbers: Numbers, site: Site | None = None, run: int = 0) -> None:
        """Notes a value that a tape watches from now on."""
        self.flush()
        tape = self._tapes.get((run, one.tape))
        if tape is None:
            return
        if isinstance(one.thing, Parameter):
            number = self.read(one.thing, site)
        else:
            found = numbers.number(one.thing)
            if found is None:
                assert one.type is not None
                found = self._enter(one.thing, one.type, numbers, site, one.held)
            number = found
        tape.watched.append((number, len(self.graph.values)))

    # -- questions, writes and looks -----------------------------------------------------------------------

    def asked(self, one: Asked, numbers: Numbers, run: int = 0) -> None:
        """Records a request for gradients, and the gradients that there were."""
        self.flush()
        graph = self.graph
        goals = tuple(
            [number for thing in one.targets if (number := self._goal(thing, numbers, one.site)) is not None]
        )
        if not goals and isinstance(numbers, Running):
            goals = self._come_back(one)
        sources: list[int | None] = []
        lost: list[Parameter] = []
        for thing in one.sources:
            if isinstance(thing, Parameter):
                latest = self._latest.get(self._index.get(thing.uid, -1))
                if latest is None:
                    lost.append(thing)
                sources.append(latest)
            else:
                sources.append(numbers.number(thing) if thing is not None else None)
        tape = self._tapes.get((run, one.tape)) if one.tape is not None else None
        region = tape.region(len(graph.values)) if tape is not None else _whole(len(graph.values))
        found = tuple([key is not None for key in one.gradients])
        event = self.event("gradient", one.how, one.site)
        held: dict[Key, Any] = {id(tensor): tensor for tensor in one.held}
        gradients: list[tuple[int, ...]] = []
        for key, type_ in zip(one.gradients, one.types, strict=True):
            if key is None or type_ is None or not goals:
                gradients.append(())
                continue
            links = ("",) * len(goals)
            number = self._value(event, "operation", "gradient", type_, goals, links, one.site)
            numbers.bind(key, number, held.get(key))
            gradients.append((number,))
        graph.events[event.number] = replace(event, last=len(graph.values))
        self.missed = [
            *self.missed,
            *((event.number + 1, thing) for thing in lost),
            *((event.number + 1, thing) for thing in one.named),
        ]
        if one.filled:
            self._filled.add(len(graph.requests))
        graph.requests.append(
            Request(event.number, one.site, region, goals, tuple(sources), found, gradients=tuple(gradients))
        )

    def _goal(self, thing: Any, numbers: Numbers, site: Site | None) -> int | None:
        """Returns the value of a target, which may be a variable itself."""
        return self.read(thing, site) if isinstance(thing, Parameter) else numbers.number(thing)

    def _come_back(self, one: Asked) -> tuple[int, ...]:
        """Returns the values of targets without a history: they come from the latest looks, if there are any.

        A program that asks for the gradient of mere data has computed them from values that left the record.
        """
        graph = self.graph
        since = graph.requests[-1].event if graph.requests else -1
        looks = tuple([at for at, look in enumerate(graph.looks) if look.event > since]) or self._unseen(
            since
        )
        held = {id(tensor): tensor for tensor in one.held}
        goals = []
        for key in one.targets:
            if key in held:
                number = self._enter(key, type_of(held[key]), self.running, None, held[key])
                goals.append(number)
                if looks:
                    self._origins[number] = looks
        return tuple(goals)

    def _unseen(self, since: int) -> tuple[int, ...]:
        """Records that NumPy has read the latest value that nothing else has used, if a line says so."""
        graph = self.graph
        used = {source for value in graph.values for source in value.inputs}
        for value in reversed(graph.values):
            if value.event <= since:
                break
            if value.kind == "operation" and value.differentiable and value.number not in used:
                site = numpy_line(value.site)
                if site is None:
                    continue
                event = self.event("look", "numpy.asarray()", site)
                graph.looks.append(Look(event.number, value.number, "numpy.asarray()", site))
                return (len(graph.looks) - 1,)
        return ()

    def updated(self, one: Updated, numbers: Numbers) -> int:
        """Records an update by an optimizer; returns the number of its event."""
        self.flush()
        given = [
            tuple([number for key in keys if (number := numbers.number(key)) is not None])
            for keys in one.gradients
        ]
        return self._write("apply", one.by, one.site, one.moved, given, ("gradient",))

    def assigned(self, one: Assigned, numbers: Numbers) -> int | None:
        """Records a write by a line or a layer; returns the number of its event."""
        self.flush()
        thing = one.thing if isinstance(one.thing, Parameter) else numbers.variable(one.thing)
        if thing is None:
            return None
        number = numbers.number(one.value) if one.value is not None else None
        inputs = () if number is None else (number,)
        return self._write("write", one.by, one.site, (thing,), [inputs], one.terms)

    def _write(
        self,
        kind: str,
        by: str,
        site: Site | None,
        moved: Sequence[Parameter],
        given: Sequence[tuple[int, ...]],
        terms: tuple[str, ...],
    ) -> int:
        self.flush()
        graph = self.graph
        event = self.event(kind, by, site, len(moved), True)
        for parameter, made_of in zip(moved, given, strict=True):
            before = self._latest.get(self._index.get(parameter.uid, -1))
            whole = by in ("assign", "set_weights", "load_weights")
            inputs = made_of if before is None or (whole and made_of) else (*made_of, before)
            links = ("overwritten",) * len(inputs)
            type_ = Type(None, parameter.spec)
            number = self._value(event, "written", "version", type_, inputs, links, site, parameter=parameter)
            self._reads[parameter.uid] = number, self._epoch, parameter.watched
            graph.writes.append(Write(event.number, self.index(parameter), number, False, terms))
            if kind == "apply" and made_of:
                graph.applied[event.number, self.index(parameter)] = made_of[-1]
        return event.number

    def look(self, tensor: Any, how: str, gave: Any, site: Site | None) -> None:
        """Records that a value left the record, and the resulting number or array."""
        number = self.number(tensor)
        if number is None:
            return
        event = self.event("look", how, site)
        self.graph.looks.append(Look(event.number, number, how, site))
        self._marks.note(gave, len(self.graph.looks) - 1)

    # -- afterwards ----------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Compares the requests with what the program got, when the graph is complete."""
        self.flush()
        graph = self.graph
        for at, asked in enumerate(graph.requests):
            found = list(asked.found)
            for place, source in enumerate(asked.sources):
                if source is None:
                    continue
                if found[place]:
                    found[place] = not (self._flat and self._ends_flat(asked, source))
                    if at in self._filled:
                        found[place] = self._flows(asked, source)
                else:
                    self._cut(asked, source)
            if tuple(found) != asked.found:
                graph.requests[at] = replace(asked, found=tuple(found))
        graph.forget()

    def measured(self) -> Iterator[tuple[Measured, Sequence[Parameter]]]:
        """Yields the passes that train nothing, are read, and have written statistics of layers."""
        entries = set(trained_data(self.graph))
        for fact in measured_facts(self.graph, False):
            again = bool(fact.data) and entries.issuperset(fact.data)
            held = [self.variables[index] for index in fact.variables]
            yield Measured(fact.site, fact.looked, None, again), held

    def _ends_flat(self, asked: Request, source: int) -> bool:
        return judge(self.graph, asked.targets, [source], asked.region).reason == "flat"

    def _flows(self, asked: Request, source: int) -> bool:
        """Returns whether there is a path for a gradient that would be zeros without one."""
        index = self.graph.values[source].variable
        versions = [source] if index is None else self.graph.versions(index)
        return judge(self.graph, asked.targets, versions, asked.region).reason == FLOWS

    def _cut(self, asked: Request, source: int) -> None:
        """Marks a link on each path that seems open although there was no gradient."""
        graph = self.graph
        index = graph.values[source].variable
        for _ in range(PATCHES):
            graph.forget()
            versions = [source] if index is None else graph.versions(index)
            verdict = judge(graph, asked.targets, versions, asked.region)
            if verdict.reason != FLOWS or len(verdict.chain) < 2:
                return
            later, earlier = verdict.chain[-2], verdict.chain[-1]
            value = graph.values[later]
            links = tuple(
                "unruled" if one == earlier else link
                for one, link in zip(value.inputs, value.links, strict=True)
            )
            graph.values[later] = replace(value, links=links)


def _whole(size: int) -> Region:
    return Region(((0, size),))


def _by_key(one: Operation) -> dict[Key, Any]:
    return dict(zip((*one.inputs, *one.outputs), one.held, strict=False))


def _value_of(tensor: Any) -> Any:
    """Returns the numbers in a tensor of the running program; None if there are many."""
    try:
        if tensor.dtype.is_numpy_compatible and tensor.shape.num_elements() <= 1 << 16:
            return np.asarray(tensor._numpy_internal())
    except (AttributeError, TypeError, NotImplementedError, RuntimeError, ValueError):
        return None
    return None


__all__ = ["Window"]
