"""The treatment of gradients between their request and the update: limits and sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from penstock.flow.graph import Graph, Request
from penstock.trace.source_site import Site

LIMITS = frozenset(("minimum", "maximum", "first_minimum", "first_maximum", "clip"))
"""Operations that do not double their result when the gradient is doubled."""
SAME = frozenset(("cast", "identity", "reshape", "squeeze", "expand_dims"))


@dataclass(frozen=True, slots=True)
class LimitFact:
    """A limit on a gradient that still contains the loss scale, and the line that divides by the scale."""

    variable: int
    site: Site | None
    scaled: Site | None


@dataclass(frozen=True, slots=True)
class SumFact:
    """Gradients of `count` means, requested on one line, whose sum a line applies without a division."""

    variable: int
    asked: Site | None
    by: str
    site: Site | None
    count: int


def limit_facts(graph: Graph) -> list[LimitFact]:
    """Returns a fact for each variable whose gradient was limited before it was divided by the loss scale."""
    found: dict[int, LimitFact] = {}
    asked = {request.event: request for request in graph.requests}
    for write in graph.writes if asked else ():
        if write.own or write.variable in found:
            continue
        event = graph.events[write.event]
        given = graph.applied.get((write.event, write.variable))
        starts = [(one, False) for one in graph.values[write.value].inputs]
        if given is not None:
            starts = [(given, write.event in graph.rescales)]
        for limit, request, divided in _limits(graph, starts, asked):
            if divided is None or _factor(graph, divided) in _factors(graph, request):
                site = event.site if divided is None else graph.site(divided)
                found[write.variable] = LimitFact(write.variable, graph.site(limit), site)
                break
    return list(found.values())


def _limits(
    graph: Graph, starts: list[tuple[int, bool]], asked: dict[int, Request]
) -> Iterator[tuple[int, Request, int | None]]:
    """Yields limits between a gradient and a write that are followed by a division by a scale.

    Each comes with the request for the gradient, and the division; None if the optimizer divides.
    """
    waiting: list[tuple[int, tuple[int, ...], bool, int | None]] = [(n, (), by, None) for n, by in starts]
    known = set()
    while waiting:
        number, divisions, limited_by, limit = waiting.pop()
        if (number, divisions, limit) in known:
            continue
        known.add((number, divisions, limit))
        value = graph.values[number]
        request = asked.get(value.event)
        if request is not None:
            if limit is not None:
                yield from ((limit, request, one) for one in divisions)
                if limited_by:
                    yield limit, request, None
            continue
        if value.kind != "operation":
            continue
        if limit is None and (value.name in LIMITS or "_by_norm" in value.name):
            limit = number
        elif limit is None and value.name == "divide" and _factor(graph, number) is not None:
            divisions = (*divisions, number)
        waiting += [(one, divisions, limited_by, limit) for one in value.inputs]


def _factor(graph: Graph, number: int) -> float | None:
    """Returns the literal number that is the second operand of a product or quotient."""
    literals = [graph.values[one].literal for one in graph.values[number].inputs]
    literal = next((one for one in reversed(literals) if one is not None), None)
    return None if literal is None else float(literal[()])  # type: ignore[index]


def _factors(graph: Graph, request: Request) -> set[float]:
    """Returns the numbers, other than one, by which a loss is multiplied last."""
    found: set[float] = set()
    for target in request.targets:
        value = graph.values[target]
        while value.name == "multiply" and (factor := _factor(graph, value.number)) is not None:
            found.add(factor)
            rest = [one for one in value.inputs if graph.values[one].literal is None]
            if len(rest) != 1:
                break
            value = graph.values[rest[0]]
    return found - {1.0}


def sum_facts(graph: Graph) -> list[SumFact]:
    """Returns a fact for each variable that is updated by a sum of gradients of means."""
    found = []
    asked = {request.event: request for request in graph.requests}
    for (number, variable), given in graph.applied.items():
        parts = [asked.get(graph.values[one].event) for one in _addends(graph, given)]
        requests = [one for one in parts if one is not None]
        lines = {one.site for one in requests}
        if len(requests) < 2 or len(requests) < len(parts) or len(lines) > 1:
            continue
        if all(graph.values[target].name == "mean" for one in requests for target in one.targets):
            event = graph.events[number]
            found.append(SumFact(variable, requests[0].site, event.name, event.site, len(requests)))
    return found


def _addends(graph: Graph, number: int) -> Iterator[int]:
    """Yields the terms of a sum, without the zero that a sum begins with."""
    waiting = [number]
    while waiting:
        one = waiting.pop()
        value = graph.values[one]
        event = graph.events[value.event]
        if value.kind in ("data", "number"):
            continue
        if event.kind == "operation" and value.name == "add":
            waiting += value.inputs
        elif event.kind == "operation" and value.name in SAME:
            waiting += value.inputs[:1]
        else:
            yield one


__all__ = ["LimitFact", "SumFact", "limit_facts", "sum_facts"]
