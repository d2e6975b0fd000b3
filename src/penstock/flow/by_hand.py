"""Writes by hand, and their inputs: other variables, and the variable's own gradients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from penstock.flow.applied import SAME
from penstock.flow.graph import Graph, Write
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class HandFact:
    """A variable that a line writes by hand.

    `source` is the only other variable in the new value, besides the old value itself, with the same shape
    and dtype; `whole` says that the write is a copy. `slope` says that the variable's own gradient is in it.
    """

    variable: int
    by: str
    site: Site | None
    source: int | None
    whole: bool
    slope: bool


def hand_facts(graph: Graph) -> list[HandFact]:
    """Returns a fact for each write by hand that uses another variable or a gradient."""
    found: dict[HandFact, None] = {}
    gradients = _gradients(graph)
    for write in graph.writes:
        event = graph.events[write.event]
        if event.kind != "write" or write.own or write.terms not in (("assign",), ("load",)):
            continue
        made_of = list(_made_of(graph, write))
        # Also through variables that serve it alone, such as its momentum.
        own = gradients.get(write.variable, set())
        slope = bool(own) and any(number in own for number in _made_of(graph, write, True))
        others = {graph.values[number].variable for number in made_of} - {None, write.variable}
        data = any(graph.values[number].kind == "data" for number in made_of)
        source = others.pop() if len(others) == 1 and not data else None
        if (
            source is not None
            and graph.values[graph.versions(source)[0]].spec != graph.values[write.value].spec
        ):
            source = None
        if source is not None or slope:
            whole = source is not None and _is_copy(graph, write, source)
            found[HandFact(write.variable, event.name, event.site, source, whole, slope)] = None
    return list(found)


def _gradients(graph: Graph) -> dict[int, set[int]]:
    """Returns the values that are gradients of each variable."""
    found: dict[int, set[int]] = {}
    for request in graph.requests:
        for source, numbers in zip(request.sources, request.gradients, strict=False):
            variable = graph.values[source].variable if source is not None else None
            if variable is not None:
                found.setdefault(variable, set()).update(numbers)
    return found


def _made_of(graph: Graph, write: Write, through: bool = False) -> Iterator[int]:
    """Yields the values behind a written value, back to the variables and gradients it starts from.

    If it goes `through` other variables, their values in the same path are followed too.
    """
    asked = {request.event for request in graph.requests}
    waiting = list(graph.values[write.value].inputs)
    for number in waiting:
        yield number
        value = graph.values[number]
        follows = through and value.variable != write.variable
        if (value.variable is None or follows) and value.event not in asked:
            waiting += [one for one in value.inputs if one not in waiting]


def _is_copy(graph: Graph, write: Write, source: int) -> bool:
    """Returns whether a write gives a variable the unchanged value of another."""
    (number,) = graph.values[write.value].inputs[:1] or (write.value,)
    while graph.values[number].variable is None and graph.values[number].name in SAME:
        number = graph.values[number].inputs[0]
    return graph.values[number].variable == source


__all__ = ["HandFact", "hand_facts"]
