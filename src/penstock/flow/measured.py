"""Passes that only evaluate a model, but still write the statistics of its layers.

Such a pass trains nothing, and the program reads a number that it has computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from penstock.flow.graph import Graph, Value
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class MeasuredFact:
    """A pass on line `site` whose result is read on line `looked`: the statistics it writes, and its data.

    Data are identified by the numbers of their entries.
    """

    site: Site | None
    looked: Site | None
    variables: tuple[int, ...]
    data: tuple[int, ...]


def measured_facts(graph: Graph, runs_by_looks: bool = True) -> list[MeasuredFact]:
    """Returns a fact for each line of passes that write statistics, are read, and train nothing.

    `runs_by_looks` says that a look at the last value has made the program run.
    """
    goals = [target for request in graph.requests for target in request.targets]
    trained = graph.ancestors(goals) if goals else frozenset()
    found: dict[tuple[Site | None, Site | None], tuple[set[int], set[int]]] = {}
    for write in graph.writes:
        if write.terms != ("state",) or write.own:
            continue
        behind = _pass_behind(graph, write.value)
        spec = graph.values[write.value].spec
        # The statistics of the batch go into the moving statistic, and into the result of the layer.
        parts = [
            one for one in behind if graph.values[one].kind == "operation" and graph.values[one].spec == spec
        ]
        ahead = _pass_ahead(graph, parts)
        looks = [one for one in graph.looks if one.value in ahead and _is_figure(graph.values[one.value])]
        # Reading the last value is what makes the program run: it is not an event of the graph.
        last = graph.values[-1].number
        looked = looks[0].site if looks else graph.site(last)
        read = runs_by_looks and last in ahead and _is_figure(graph.values[last])
        if not (looks or read) or ahead & trained or graph.late:
            continue
        key = graph.events[write.event].site, looked
        variables, data = found.setdefault(key, (set(), set()))
        variables.add(write.variable)
        data.update(entry for one in behind if (entry := graph.values[one].entry) is not None)
    return [
        MeasuredFact(*key, tuple(sorted(variables)), tuple(sorted(data)))
        for key, (variables, data) in found.items()
    ]


def _pass_behind(graph: Graph, number: int) -> set[int]:
    """Returns the values behind a statistic in its own pass, back to the variables that are read there."""
    found: set[int] = set()
    waiting = list(graph.values[number].inputs)
    while waiting:
        one = waiting.pop()
        if one not in found and graph.values[one].variable is None:
            found.add(one)
            waiting += graph.values[one].inputs
    return found


def _pass_ahead(graph: Graph, numbers: Sequence[int]) -> set[int]:
    """Returns the values computed from these, but not through variables that they were written into."""
    found: set[int] = set()
    waiting = list(numbers)
    while waiting:
        one = waiting.pop()
        if one not in found and graph.values[one].variable is None:
            found.add(one)
            waiting += graph.users(one)
    return found


def trained_data(graph: Graph) -> Sequence[int]:
    """Returns the data behind requested gradients, by the numbers of their entries."""
    goals = [target for request in graph.requests for target in request.targets]
    entries = (graph.values[one].entry for one in graph.ancestors(goals)) if goals else ()
    return [one for one in entries if one is not None]


def _is_figure(value: Value) -> bool:
    """Returns whether a value is one number, or contains classes: not an image that the program keeps."""
    dtype, _, shape = value.spec.removesuffix("]").partition("[")
    size = math.prod(int(part) for part in shape.split(", ") if part.isdigit())
    return size == 1 or not dtype.startswith(("float", "bfloat", "complex"))


__all__ = ["MeasuredFact", "measured_facts", "trained_data"]
