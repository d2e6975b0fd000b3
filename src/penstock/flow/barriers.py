"""What each stop_gradient holds back, and what would change without it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from penstock.flow.graph import Graph, Region, Wall
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class Behind:
    """The variables and watched tensors that a barrier blocks, by their numbers on the path."""

    variables: tuple[int, ...] = ()
    tensors: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class BarrierFact:
    """One stop_gradient on one path.

    `holds` are the trainable variables behind it, and the tensors there that a tape watches, such as the
    arguments of a function whose gradient is requested. `changes` are those among them whose requested
    gradient would be different without it; `restores` those of them that have none because of it.
    `behind_another` is true if no gradient arrives at it, because another cut is between it and the loss.
    `computed` is true if its operand is computed from a variable, or by an earlier step.
    """

    site: Site | None
    holds: Behind
    changes: Behind = Behind()
    restores: Behind = Behind()
    behind_another: bool = False
    computed: bool = False


def barrier_facts(
    graph: Graph, regions: Sequence[Region], earlier: Callable[[int], bool]
) -> list[BarrierFact]:
    """Returns a fact for every stop_gradient that the user wrote; `regions` are those of the path's tapes.

    `earlier` says whether an earlier step computed the incoming data of this number.
    """
    return [_fact(graph, wall, regions, earlier) for wall in graph.barriers]


def _fact(graph: Graph, wall: Wall, regions: Sequence[Region], earlier: Callable[[int], bool]) -> BarrierFact:
    behind = [graph.values[one] for one in graph.ancestors(wall.of)]
    computed = any(
        one.variable is not None or (one.entry is not None and earlier(one.entry)) for one in behind
    )
    if not graph.requests:
        return BarrierFact(wall.site, _behind(graph, _held(graph, wall, regions)), computed=computed)
    asking = [one for one in graph.requests if graph.ancestors(one.targets) & {*wall.made}]
    holds = _held(graph, wall, [one.region for one in asking])
    changes: dict[int, None] = {}
    restores: dict[int, None] = {}
    arrives = False
    for request in asking:
        if not graph.clear(request.targets, request.region) & {*wall.above}:
            continue
        arrives = True
        held = [_thing(graph, one) for one in _held(graph, wall, [request.region])]
        for source, found in zip(request.sources, request.found, strict=True):
            if source is not None and _thing(graph, source) in held:
                changes[source] = None
                if not found:
                    restores[source] = None
    return BarrierFact(
        wall.site,
        _behind(graph, holds),
        _behind(graph, changes),
        _behind(graph, restores),
        bool(asking) and not arrives,
        computed,
    )


def _thing(graph: Graph, number: int) -> tuple[bool, int]:
    """Returns the subject of a value: the number of its variable, or that of the tensor."""
    variable = graph.values[number].variable
    return (True, variable) if variable is not None else (False, number)


def _behind(graph: Graph, numbers: Iterable[int]) -> Behind:
    things = dict.fromkeys(_thing(graph, one) for one in numbers)
    return Behind(
        tuple(one for is_variable, one in things if is_variable),
        tuple(one for is_variable, one in things if not is_variable),
    )


def _held(graph: Graph, wall: Wall, regions: Sequence[Region]) -> list[int]:
    """Returns the variables and tensors whose gradient a barrier holds back, by their values."""
    found: dict[int, None] = {}
    for region in regions:
        if region.covers(wall.number):
            behind = graph.clear(wall.below, region)
            found.update(dict.fromkeys(sorted(graph.leaves(region) & behind)))
    return list(found)
