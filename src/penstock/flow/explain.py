"""Why a gradient of one thing by another is there, or is not: the question, answered from the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.errors import PenstockError
from penstock.flow import wording
from penstock.flow.graph import Graph, Region, Request
from penstock.flow.reach import FLOWS, Verdict, choose_region, judge
from penstock.flow.recorded import graph_of
from penstock.flow.source import called
from penstock.flow.wording import Place, Step
from penstock.tiers.plan import Commit
from penstock.trace.recorder import Builder, Past, Trace, engine, local
from penstock.trace.site import Site, here
from penstock.trace.tensor import Cell, Tensor


@dataclass(frozen=True)
class Explanation:
    """The answer of `explain`. `str()` gives it as text.

    `reason` is "flows" or one of the words of `penstock.Absence`; `target` and `source` describe what was asked
    about. `path` leads from the target backwards, to the source if anything leads there. `cut` is the line that
    the reason is about, if it has one, and `cuts` has every line at which a path ends; `fix` is what to type.
    """

    target: str
    source: str
    reason: str
    path: tuple[Step, ...]
    cut: Site | None
    cuts: tuple[Site, ...]
    fix: str
    headline: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return wording.text(self.headline, self.path, self.notes, self.fix)


def explain(target: Any, source: Any) -> Explanation:
    """Returns why the gradient of `target` by `source` exists or is None.

    `target` is a tensor, `source` a variable or a tensor; the step they belong to may be over already. Judged is
    what the last tape recorded that was asked for this gradient, or else the tape inside which the target was
    computed. Raises PenstockError for things that have no history, such as Python numbers.

    >>> import penstock as ps
    >>> weight = ps.Variable(0.7, name="weight")
    >>> with ps.GradientTape() as tape:
    ...     loss = ps.round(weight) * 2.0
    >>> answer = ps.explain(loss, weight)
    >>> answer.reason
    'flat'
    >>> print(answer.fix)
    Let the gradient pass as if round were not there: x + stop_gradient(round(x) - x).
    """
    _check(target, "target")
    _check(source, "source")
    trace = local.trace.base if isinstance(local.trace, Builder) else local.trace
    home, number = _locate(target, trace)
    return explain_value(home, number, source, target=target)


def explain_value(
    home: Home, number: int | None, source: Any, request: Request | None = None, target: Any = None
) -> Explanation:
    """Returns the explanation of a value of a recorded path; `request` gives the region to judge by."""
    graph = home.graph
    sources = home.numbers(source)
    region = request.region if request is not None else choose_region(graph, number, sources)
    verdict = judge(graph, [] if number is None else [number], sources, region)
    places = [Place(graph, home.variables, region, one) for one in verdict.chain]
    if verdict.reason in ("unused", "dead_end"):
        further = _earlier_step(home, number, source, region)
        if further is not None:
            verdict, places = further
    origin = None
    if isinstance(source, Tensor) and verdict.reason in ("unwatched", "outside", "unused", "dead_end"):
        origin = _made_from_variable(source)
    place = Place(graph, home.variables, region, -1 if number is None else number)
    return Explanation(*wording.answer(place, verdict, places, target, source, sources, origin))


# -- where things were recorded -------------------------------------------------------------------------


class Home:
    """A recorded path with the variables and data bound to it: a thread's trace, a run, a step that is over."""

    def __init__(self, owner: Trace | Past | Commit) -> None:
        self.owner = owner
        self.graph: Graph = graph_of(owner.node)
        self.variables: Sequence[Any] = owner.variables

    def entry(self, index: int) -> Tensor | None:
        """Returns the tensor that came in as data, if it is still there."""
        if index >= len(self.owner.entries):
            return None
        found: Any = self.owner.entries[index]
        return found if isinstance(found, Tensor) else found()

    def numbers(self, thing: Any) -> list[int]:
        """Returns the values of the graph that stand for a variable or tensor."""
        if isinstance(thing, Cell):
            for index, variable in enumerate(self.variables):
                if variable is thing:
                    return self.graph.versions(index)
            return []
        if thing._trace is self.owner or thing._past is self.owner:
            return [thing._slot]
        return [v.number for v in self.graph.values if v.entry is not None and self.entry(v.entry) is thing]


def _locate(target: Any, trace: Trace) -> tuple[Home, int | None]:
    """Returns where a target was recorded, and its number there."""
    if isinstance(target, Cell):
        return Home(trace), trace.current.get(target._uid)
    home = _home(target)
    if home is not None:
        return home, target._slot
    if isinstance(target._value, Exception):
        raise PenstockError(
            "The target was never computed, because the step it belongs to failed.",
            origin=str(target._value),
            site=here(),
            remedy="Mend that step first.",
        )
    return Home(trace), trace.entered.get(id(target))


def _home(tensor: Tensor) -> Home | None:
    trace: Any = tensor._trace
    if trace is not None:
        return Home(trace.base if isinstance(trace, Builder) else trace)
    return Home(tensor._past) if tensor._past is not None else None


def _check(thing: Any, role: str) -> None:
    if isinstance(thing, Tensor | Cell):
        return
    if isinstance(thing, list | tuple | dict):
        raise PenstockError(
            f"The {role} is a {type(thing).__name__}.", site=here(), remedy=f"Ask about one {role} at a time."
        )
    raise PenstockError(
        f"The {role} is {type(thing).__name__} {thing!r}, which has no history.",
        why="A Python number or an array does not remember what it was computed from.",
        remedy="Compute it with tensors, and ask about the tensor.",
        site=here(),
    )


def _earlier_step(
    home: Home, number: int | None, source: Any, region: Region
) -> tuple[Verdict, list[Place]] | None:
    """Follows data behind a target to the earlier step that computed it; returns a chain to the source."""
    if number is None:
        return None
    seen: set[int] = set()
    waiting: list[tuple[Home, int, Region, list[Place]]] = [(home, number, region, [])]
    for one, start, within, before in waiting:
        graph = one.graph
        for entry in sorted(graph.ancestors([start]), reverse=True):
            index = graph.values[entry].entry
            tensor = one.entry(index) if index is not None else None
            if tensor is None or (origin := _home(tensor)) is None or id(tensor) in seen:
                continue
            seen.add(id(tensor))
            lead = judge(graph, [start], [entry], Region(((0, len(graph.values)),), False)).chain
            places = before + [Place(graph, one.variables, within, v) for v in lead]
            sources = origin.numbers(source)
            found = judge(origin.graph, [tensor._slot], sources, Region(((0, len(origin.graph.values)),)))
            if found.chain and found.reason not in ("escaped", "dead_end", "unused"):
                onward = [Place(origin.graph, origin.variables, None, v) for v in found.chain]
                return Verdict("outside", (), found.cuts), places + onward
            waiting.append((origin, tensor._slot, Region((), False), places))
    return None


def _made_from_variable(tensor: Tensor) -> tuple[Any, Site | None] | None:
    """Returns the Variable that a tensor was made from on one line, if they could be taken for each other."""
    home = _home(tensor)
    if home is None:
        return None
    graph = home.graph
    own = graph.values[tensor._slot]
    site = graph.site(own.number)
    waiting = [own.number]
    for number in waiting:
        for source in graph.values[number].inputs:
            value = graph.values[source]
            if value.variable is not None and value.spec == own.spec:
                return home.variables[value.variable], site
            if value.kind == "operation" and graph.site(source) == site and source not in waiting:
                waiting.append(source)
    return None


# -- reasons for errors and warnings ----------------------------------------------------------------------


def reasons(trace: Trace, variables: Sequence[Cell]) -> list[str]:
    """Returns a line for each variable whose gradient was None: its name, the reason, the place."""
    homes = [Home(trace)]
    previous = getattr(trace, "previous", None)
    if previous is not None:
        homes.append(Home(previous))
    lines = [_reason(homes, variable) for variable in variables]
    for listener in list(listeners):
        listener(variables)
    return lines


def _reason(homes: Sequence[Home], variable: Any) -> str:
    """Returns the line of one variable, from the last gradient that was asked for it."""
    asked = False
    for home, request in _requests(homes):
        numbers = home.numbers(variable)
        positions = [i for i, source in enumerate(request.sources) if source in numbers]
        if positions and any(request.found[i] for i in positions):
            return f"{called(variable)!r}: its gradient at {request.site} was not None; None took its place afterwards"
        if positions:
            verdict = judge(home.graph, request.targets, numbers, request.region)
            return wording.line(Place(home.graph, home.variables, request.region, -1), verdict, variable)
        asked = asked or None in request.sources
    if asked:
        return f"{called(variable)!r}: unused - nothing reads it where the tape recorded"
    return f"{called(variable)!r}: no tape was asked for its gradient in this step; None was passed by hand"


def _requests(homes: Sequence[Home]) -> Iterator[tuple[Home, Request]]:
    """Yields the gradients that were asked for, the last first, each with the record it speaks of."""
    for home in homes:
        for late in reversed(home.graph.late):
            for other in homes:
                if other.owner.node is late.program:
                    yield other, late.request
        for request in reversed(home.graph.requests):
            yield home, request


listeners: list[Any] = []
"""Called with the variables that an optimizer was handed without a gradient."""

engine.reasons = reasons

__all__ = ["FLOWS", "Explanation", "explain"]
