"""Gradients at values that a write has replaced since: the backward pass reads old weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from penstock.flow.graph import Graph, Request, Write
from penstock.trace.source_site import Site

SAME = frozenset(("cast", "identity", "reshape", "transpose", "broadcast_to", "squeeze", "expand_dims"))
"""Operations whose result is the weight in another form: the backward pass may have saved that form."""


@dataclass(frozen=True, slots=True)
class StaleFact:
    """A gradient, requested at `site`, whose backward pass reads a variable's value from before a write.

    `by` and `written` are the writer and its line, `read` is the line that used the old value first.
    """

    variable: int
    site: Site | None
    by: str
    written: Site | None
    read: Site | None


def stale_facts(graph: Graph) -> list[StaleFact]:
    """Returns a fact for each gradient of a path and each trainable variable for which it is too late.

    Only weights that the backward pass itself multiplies by count. A stopped value, a target or the
    probabilities of an earlier policy may be of any age: a program that stores them wants them.
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
    """Yields the values of variables that a backward pass reads, directly or in another form."""
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
