"""Means over varying numbers of elements, whose gradients are added up as if the numbers were equal."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.flow.applied import SAME
from penstock.flow.graph import Graph, Request, Value
from penstock.trace.source_site import Site

SUMS = frozenset(("sum", "count_nonzero"))
SCALES = frozenset(("multiply", "divide"))


@dataclass(frozen=True, slots=True)
class MeansFact:
    """Losses of one line whose gradients are added up for a variable: each is divided by one of `counts`.

    The counts are numbers of values.
    """

    variable: int
    site: Site | None
    counts: tuple[int, ...]


def means_facts(graph: Graph) -> list[MeansFact]:
    """Returns a fact for each variable that is updated by several gradients of such means."""
    found = []
    asked = {request.event: request for request in graph.requests}
    for (_, variable), given in graph.applied.items():
        requests = _requests(graph, given, asked)
        if len(requests) < 2 or len({one.site for one in requests}) > 1:
            continue
        counts = [_count(graph, one) for one in requests]
        known = tuple([one for one in counts if one is not None])
        if len(known) == len(requests) == len(set(known)):
            found.append(MeansFact(variable, _line(graph, requests[0]), known))
    return found


def _requests(graph: Graph, number: int, asked: dict[int, Request]) -> list[Request]:
    """Returns the requests whose gradients, each times a literal number, add up to a value."""
    found: dict[int, Request] = {}
    waiting = [number]
    while waiting:
        value = graph.values[waiting.pop()]
        request = asked.get(value.event)
        if request is not None:
            found[value.event] = request
        elif value.name == "add":
            waiting += value.inputs
        elif value.name in SAME:
            waiting += value.inputs[:1]
        elif value.name in SCALES and _literals(graph, value):
            waiting += [one for one in value.inputs if graph.values[one].literal is None]
        elif value.kind == "operation":
            return []
    return [found[event] for event in sorted(found)]


def _literals(graph: Graph, value: Value) -> int:
    return sum(graph.values[one].literal is not None for one in value.inputs)


def _quotient(graph: Graph, request: Request) -> Value | None:
    """Returns the quotient in a loss, apart from numeric factors."""
    if len(request.targets) != 1:
        return None
    value = graph.values[request.targets[0]]
    while value.name in SCALES and _literals(graph, value) == 1:
        value = graph.values[next(one for one in value.inputs if graph.values[one].literal is None)]
    return value if value.name == "divide" else None


def _count(graph: Graph, request: Request) -> int | None:
    """Returns the number of elements that a loss is divided by, if it is computed."""
    quotient = _quotient(graph, request)
    if quotient is None:
        return None
    below = graph.values[quotient.inputs[1]]
    while below.name in {*SAME, "maximum"} and below.inputs:
        below = graph.values[below.inputs[0]]
    return below.number if below.name in SUMS and graph.values[quotient.inputs[0]].name == "sum" else None


def _line(graph: Graph, request: Request) -> Site | None:
    quotient = _quotient(graph, request)
    return graph.site(quotient.number) if quotient is not None else None


__all__ = ["MeansFact", "means_facts"]
