"""Names for the values of a record: the user's names, lines and typed operations."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from penstock.flow.explanation import HIDDEN, Step
from penstock.flow.graph import Event, Graph, Region, Value
from penstock.flow.observed import Variable
from penstock.flow.source import assigned_name, called, calls_own_function
from penstock.flow.typed import function_at, method_at, sign_at, template_at


@dataclass(frozen=True, slots=True)
class Place:
    """One value of a graph, with the bound variables and the region of the tape.

    A `number` below 0 means a value that is not in the graph.
    """

    graph: Graph
    variables: Sequence[Variable]
    region: Region | None
    number: int

    @property
    def value(self) -> Value:
        """The value."""
        return self.graph.values[self.number]

    @property
    def event(self) -> Event:
        """The event that made the value."""
        return self.graph.events[self.value.event]

    @property
    def bound(self) -> Variable:
        """The variable whose value it is."""
        assert self.value.variable is not None
        return self.variables[self.value.variable]

    def at(self, number: int) -> Place:
        """Returns another place of the same graph."""
        return Place(self.graph, self.variables, self.region, number)


def describe(thing: Any, place: Place | None) -> str:
    """Returns the description of a variable or tensor for readers, with shape and dtype."""
    if isinstance(thing, Variable):
        return f"{thing.words.variable} {called(thing)!r} {thing.spec}"
    name = name_of(place)
    return f"{name!r} {thing._spec!r}" if name else f"the tensor {thing._spec!r}"


def name_of(place: Place | None) -> str | None:
    """Returns the name that the user's line gives to a value, if the value is what the line assigns."""
    if place is None or place.number < 0:
        return None
    event = place.event
    if event.kind != "operation" or place.number != event.last - 1:
        return None
    following = (later for later in place.graph.events[event.number + 1 :] if later.kind == "operation")
    later = next(following, None)
    if later is not None and later.site == event.site:
        return None
    return None if calls_own_function(event.site) else assigned_name(event.site)


def step_of(place: Place, note: str = "", onward: Set[int] = frozenset()) -> Step:
    """Returns the step of a path that made a value; `onward` are the next values on the path."""
    value, event = place.value, place.event
    site, name, operands = event.site, None, []
    if value.kind == "variable":
        operation, site = f"{place.bound.words.variable} {called(place.bound)!r}", place.bound.site
    elif value.kind == "written":
        operation = f"{called(place.bound)!r} as written by {event.name}"
    elif value.kind in ("data", "number"):
        operation = f"{'data' if value.kind == 'data' else 'a number'} {value.spec}"
        site = place.graph.site(value.number)
    elif event.kind == "gradient":
        operation = "a gradient"
    elif event.kind == "apply":
        operation = f"the update of {event.name}"
    else:
        call = call_of(place.graph, event)
        operation, name = _typed(event, len(call)), name_of(place)
        operands = _operands(place.graph, value, event, call)
    inputs = tuple(_operand(place.at(number)) for number in operands)
    along = next((i for i, number in enumerate(operands) if number in onward), None)
    template = "" if event.composed or value.kind != "operation" else template_at(event.site, len(inputs))
    return Step(operation, inputs, name, value.spec, site, note, along, template or "")


def call_of(graph: Graph, event: Event) -> range:
    """Returns the events of the function that the user's line called, if an operation is a part of one."""
    alone = range(event.number, event.number + 1)
    if event.kind != "operation" or function_at(event.site) is None:
        return alone
    assert event.site is not None
    first, last = event.number, event.number
    while first and _same_call(graph.events[first - 1], event):
        first -= 1
    while last + 1 < len(graph.events) and _same_call(graph.events[last + 1], event):
        last += 1
    # A line in a loop calls the function repeatedly: each call begins with the same operation.
    name = graph.events[first].name
    begins = [number for number in range(first, last + 1) if graph.events[number].name == name]
    first = max(number for number in begins if number <= event.number)
    return range(first, min([number for number in begins if number > first], default=last + 1))


def _same_call(other: Event, event: Event) -> bool:
    assert event.site is not None
    site = other.site
    return other.kind == "operation" and site is not None and site.instruction == event.site.instruction


def spoken(place: Place) -> str:
    """Returns the name of a value's operation for a sentence: a function's name, or "`>`"."""
    event = place.event
    if event.kind == "gradient" and place.value.name.startswith("gradient of"):
        # An event with many rules: take the one that made this value.
        return f"the {place.value.name}"
    if event.kind != "operation" or event.composed:
        return event.name or place.value.name
    sign = sign_at(event.site)
    return f"`{sign}`" if sign else _typed(event, len(call_of(place.graph, event)))


def _typed(event: Event, operations: int) -> str:
    """Returns the name of the called function or method, if the call does nothing else."""
    if event.kind == "operation" and (name := function_at(event.site)) is not None:
        return name
    if event.composed or operations > 1:
        return event.name
    return method_at(event.site) or event.name


def _operand(place: Place) -> str:
    value = place.value
    if value.variable is not None:
        return called(place.bound)
    if value.literal is not None:
        return str(value.literal[()])  # type: ignore[index]
    return name_of(place) or ("data" if value.kind == "data" else HIDDEN)


def _operands(graph: Graph, value: Value, event: Event, call: range) -> list[int]:
    """Returns the user's operands of the operation that made a value, without conversions."""
    inside = range(graph.events[call[0]].first, graph.events[call[-1]].last)
    if event.composed or len(call) > 1:
        inner = (source for number in inside for source in graph.values[number].inputs)
        return [source for source in dict.fromkeys(inner) if source not in inside]
    found = []
    for source in value.inputs:
        while source in inside and graph.values[source].inputs:
            source = graph.values[source].inputs[0]
        found.append(source)
    return found
