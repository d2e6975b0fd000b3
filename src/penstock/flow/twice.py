"""Terms that a loss contains twice: added on one line, and again on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from penstock.flow.graph import Graph, Request
from penstock.flow.naming import Place, name_of
from penstock.flow.observed import Passage
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class TwiceFact:
    """A number that is in a loss more than once: its name and line, and the lines of the additions."""

    name: str
    made: Site | None
    added: tuple[Site, ...]
    variables: tuple[int, ...]


def twice_facts(passage: Passage, requests: Sequence[Request]) -> list[TwiceFact]:
    """Returns a fact for each number that lines add to a loss that already contains it.

    Only sums of single numbers count, added on different lines: `x + x` on one line is intended.
    """
    graph = passage.graph
    found: dict[tuple[str, Site | None], TwiceFact] = {}
    for target in dict.fromkeys(target for request in requests for target in request.targets):
        for number, lines in _repeated(graph, target).items():
            name = name_of(Place(graph, passage.variables, None, number))
            behind = {graph.values[one].variable for one in graph.material([number])} - {None}
            trained = tuple(sorted(one for one in behind if one is not None))
            if name is not None and trained and _trains(graph, trained):
                made = graph.site(number)
                found.setdefault((name, made), TwiceFact(name, made, lines, trained))
    return list(found.values())


def _trains(graph: Graph, variables: Sequence[int]) -> bool:
    return any(graph.values[one].trainable for index in variables for one in graph.versions(index))


def _repeated(graph: Graph, target: int) -> dict[int, tuple[Site, ...]]:
    """Returns the single numbers that a sum contains more than once, each with the lines that add it."""
    ways: dict[int, set[tuple[int, ...]]] = {target: {()}}
    lines: dict[int, dict[Site, None]] = {}
    for number in range(target, -1, -1):
        if number not in ways:
            continue
        value = graph.values[number]
        event = graph.events[value.event]
        if value.kind != "operation" or event.composed or value.name != "add" or len(ways[number]) > 8:
            continue
        for place, source in enumerate(value.inputs):
            if graph.values[source].spec.endswith("[]"):
                ways.setdefault(source, set()).update((*way, number, place) for way in ways[number])
                if event.site is not None:
                    lines.setdefault(source, {})[event.site] = None
    tops = {number for number, found in ways.items() if len(found) > 1 and len(lines.get(number, ())) > 1}
    return {number: tuple(sorted(lines[number], key=lambda one: one.line)) for number in tops}


__all__ = ["TwiceFact", "twice_facts"]
