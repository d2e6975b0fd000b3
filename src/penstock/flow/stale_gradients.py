"""Gradients taken at values that a write has replaced since: what the backward pass reads of old weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from penstock.flow.graph import Graph, Request, Write
from penstock.trace.source_site import Site

SAME = frozenset(("cast", "identity", "reshape", "transpose", "broadcast_to", "squeeze", "expand_dims"))
"""Operations whose result is the weight in another form: what was saved for the backward pass may be that."""


@dataclass(frozen=True, slots=True)
class StaleFact:
    """A gradient, asked for at `site`, whose backward pass reads a variable as it was before a write.

    `by` and `written` are the writer and its line, `read` is where the old value was used first.
    """

    variable: int
    site: Site | None
    by: str
    written: Site | None
    read: Site | None


def stale_facts(graph: Graph) -> list[StaleFact]:
    """Returns a fact for each gradient of a path and each trainable variable that it is too late for.

    Only weights that the backward pass itself multiplies by count. A stopped value, a target or the
    probabilities of an earlier policy may be of any age: a program that keeps them wants them.
    """
    found = []
    for request in graph.requests:
        writes = [one for one in graph.writes if one.event < request.event and not one.own]
        if not writes:
            continue
        by_variable: dict[int, list[Write]] = {}
        for one in writes:
            by_variable.setdefault(one.variable, []).append(one)
        seen: set[int] = set()
        for number in _weights(graph, request):
            value = graph.values[number]
            index = value.variable
            if index is None or not value.trainable or index in seen:
                continue
            after = next((one for one in by_variable.get(index, ()) if one.value > number), None)
            if after is not None:
                seen.add(index)
                event = graph.events[after.event]
                read = next((graph.site(user) for user in graph.users(number)), None)
                found.append(StaleFact(index, request.site, event.name, event.site, read))
    return found


def _weights(graph: Graph, request: Request) -> Iterator[int]:
    """Yields the values of variables that a backward pass reads, as they are or in another form."""
    event = graph.events[request.event]
    known: set[int] = set()
    for value in graph.values[event.first : event.last]:
        for number in value.inputs:
            while number not in known and number < event.first:
                known.add(number)
                source = graph.values[number]
                if source.variable is not None:
                    yield number
                elif source.name in SAME and len(source.inputs) == 1:
                    number = source.inputs[0]


__all__ = ["StaleFact", "stale_facts"]
