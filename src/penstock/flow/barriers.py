"""What each stop_gradient holds back, and what would change if it were taken away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from penstock.flow.graph import Graph, Region, Request, Wall
from penstock.trace.site import Site


@dataclass(frozen=True, slots=True)
class BarrierFact:
    """One stop_gradient on one path; variables by their numbers there.

    `holds` are the trainable variables behind it. `changes` are those among them whose gradient was asked
    for and would be another one without it; `restores` those of them that have none because of it.
    `behind_another` is true if no gradient arrives at it, since another cut stands between it and the loss.
    `computed` is true if what it holds is made from a trainable variable, or by an earlier step.
    """

    site: Site | None
    holds: tuple[int, ...]
    changes: tuple[int, ...] = ()
    restores: tuple[int, ...] = ()
    behind_another: bool = False
    computed: bool = False


def barrier_facts(
    graph: Graph, regions: Sequence[Region], earlier: Callable[[int], bool]
) -> list[BarrierFact]:
    """Returns a fact for every stop_gradient that the user wrote; `regions` are those of the path's tapes.

    `earlier` tells whether data that came in, by its number, was computed by an earlier step.
    """
    return [_fact(graph, wall, regions, earlier) for wall in graph.barriers]


def _fact(graph: Graph, wall: Wall, regions: Sequence[Region], earlier: Callable[[int], bool]) -> BarrierFact:
    behind = [graph.values[one] for one in graph.ancestors(wall.of)]
    computed = any(one.trainable or (one.entry is not None and earlier(one.entry)) for one in behind)
    if not graph.requests:
        return BarrierFact(wall.site, _held(graph, wall, regions), computed=computed)
    asking = [one for one in graph.requests if graph.ancestors(one.targets) & {*wall.made}]
    holds = _held(graph, wall, [one.region for one in asking])
    changes: dict[int, None] = {}
    restores: dict[int, None] = {}
    arrives = False
    for request in asking:
        if not graph.clear(request.targets, request.region) & {*wall.above}:
            continue
        arrives = True
        held = _held(graph, wall, [request.region])
        for variable, found in _asked(graph, request):
            if variable in held:
                changes[variable] = None
                if not found:
                    restores[variable] = None
    return BarrierFact(
        wall.site, holds, tuple(changes), tuple(restores), bool(asking) and not arrives, computed
    )


def _asked(graph: Graph, request: Request) -> list[tuple[int, bool]]:
    """Returns the variables whose gradient was asked for, each with whether it got one."""
    pairs = zip(request.sources, request.found, strict=True)
    named = [(graph.values[one].variable, found) for one, found in pairs if one is not None]
    return [(variable, found) for variable, found in named if variable is not None]


def _held(graph: Graph, wall: Wall, regions: Sequence[Region]) -> tuple[int, ...]:
    """Returns the trainable variables that a barrier holds a gradient back from."""
    found: dict[int, None] = {}
    for region in regions:
        if region.covers(wall.number):
            behind = graph.clear(wall.below, region)
            for leaf in sorted(graph.leaves(region) & behind):
                variable = graph.values[leaf].variable
                if variable is not None:
                    found[variable] = None
    return tuple(found)
