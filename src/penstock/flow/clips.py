"""How often gradients were clipped: by an optimizer, or by lines between a gradient and its application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.flow.graph import Event, Graph
from penstock.flow.observed import Passage
from penstock.trace.source_site import Site

_BOUNDS = frozenset(("minimum", "maximum", "first_minimum", "first_maximum", "clip"))


@dataclass(slots=True)
class Clip:
    """A line that clips gradients: it changed them in `active` of the `times` measurements."""

    by: str
    site: Site | None
    times: int = 0
    active: int = 0


@dataclass(frozen=True, slots=True)
class Pair:
    """A gradient before and after a clip, by the numbers of their values, and the clip's name and line."""

    by: str
    site: Site | None
    before: int
    after: int


def pairs_of(graph: Graph) -> list[Pair]:
    """Returns the gradients of a graph that something may clip on their way to an optimizer."""
    given = {parts[-1] for request in graph.requests for parts in request.gradients if parts}
    found = []
    for event in graph.events:
        if event.kind == "apply":
            for number in _operands(graph, event):
                pair = _pair(graph, number, given)
                if pair is not None:
                    found.append(pair)
    return found


def _operands(graph: Graph, event: Event) -> list[int]:
    """Returns the operands of an update."""
    inside = range(event.first, event.last)
    every = (source for number in inside for source in graph.values[number].inputs)
    return [
        one for one in dict.fromkeys(every) if one not in inside and graph.values[one].kind == "operation"
    ]


def _pair(graph: Graph, number: int, given: set[int]) -> Pair | None:
    """Returns the gradient behind a value, through values of the same spec, if a clip is on the way."""
    spec, after = graph.values[number].spec, number
    way: list[int] = []
    while number not in given:
        way.append(number)
        same = [one for one in graph.values[number].inputs if graph.values[one].spec == spec]
        if not same:
            return None
        number = same[0]
    beside = graph.ancestors(way) - graph.ancestors([number]) if way else set()
    bounds = [one for one in beside if _BOUNDS.intersection((graph.values[one].name, _name(graph, one)))]
    bounds += [one for one in way if "clip" in graph.values[one].name]
    if not bounds:
        return None
    return Pair(_name(graph, max(bounds)) or "clip", graph.site(way[0]), number, after)


def _name(graph: Graph, number: int) -> str:
    return graph.events[graph.values[number].event].name


def note(passage: Passage, pairs: Sequence[Pair], values: Mapping[int, Any], known: dict[Any, Clip]) -> None:
    """Counts, for each line, whether it has changed a gradient."""
    lines: dict[tuple[str, Site | None], bool] = {}
    for pair in pairs:
        before, after = np.asarray(values[pair.before]), np.asarray(values[pair.after])
        key = "clip", pair.site
        lines[key] = lines.get(key, False) or not bool(np.allclose(before, after, rtol=1e-4, atol=0.0))
    for by, site, active in passage.clipped():
        lines[by, site] = active
    for (by, site), active in lines.items():
        clip = known.setdefault((by, site), Clip(by, site))
        clip.times += 1
        clip.active += active


__all__ = ["Clip", "Pair", "note", "pairs_of"]
