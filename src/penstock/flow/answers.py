"""The answers to `explain`, and the reasons in errors and warnings: worked out from the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from penstock.errors import PenstockError
from penstock.flow.explanation import Explanation
from penstock.flow.graph import Graph, Region, Request, route
from penstock.flow.naming import Place
from penstock.flow.reach import Verdict, choose_region, judge
from penstock.flow.recorded import graph_of
from penstock.flow.source import called
from penstock.flow.wording import Question, explanation, line, short
from penstock.optimizers.refusals import keepers
from penstock.tiers.plan import Commit
from penstock.trace.recorder import Builder, Past, Trace, local
from penstock.trace.site import Site, here
from penstock.trace.tensor import Cell, Tensor


def answer(target: Any, source: Any) -> Explanation:
    """Answers `explain`."""
    _check(target, "target")
    _check(source, "source")
    trace = local.trace.base if isinstance(local.trace, Builder) else local.trace
    home, number = _locate(target, trace)
    found = explain_value(home, [] if number is None else [number], source)
    if found.reason != "flows" or not isinstance(source, Cell):
        return found
    return replace(found, notes=(*found.notes, *_unmoved(source)))


def _unmoved(variable: Any) -> list[str]:
    """Says which updates of a variable were left out, for each optimizer that has its state."""
    trace = local.trace
    notes = []
    for optimizer in {id(one): one for one in [*keepers.values()]}.values():
        counter = optimizer._shared.get("step")
        if variable._uid not in optimizer._state or counter is None or not optimizer._stages.skips:
            continue
        pending = counter._uid in trace.pending
        if isinstance(trace, Builder) or trace.capturing or (pending and trace.taping):
            # Nobody may look there, or the look would end a step.
            continue
        made, calls = int(counter.numpy()), optimizer.applied
        if not 0 <= made < calls:
            continue
        what = f"{calls - made} of {calls} updates were" if made else f"All {calls} updates were"
        what = "The one update was" if calls == 1 else what
        so = f", so {called(variable)!r} has not moved" if not made else ""
        notes.append(
            f"{what} left out by {type(optimizer).__name__}, made at {optimizer.site}: a gradient was not "
            f"finite{so}. `penstock check`, or `skipped` of a ps.ledger() around the step, says which "
            "operation made it so."
        )
    return notes


def explain_value(
    home: Home, numbers: Sequence[int], source: Any, request: Request | None = None
) -> Explanation:
    """Returns why a gradient of these values of a record reaches a source, or not.

    `request` gives the region to judge by, if it is that of a gradient that was asked for.
    """
    graph = home.graph
    number = numbers[-1] if numbers else None
    sources = home.numbers(source)
    region = request.region if request is not None else choose_region(graph, number, sources)
    verdict = judge(graph, numbers, sources, region)
    places = [Place(graph, home.variables, region, one) for one in verdict.chain]
    if verdict.reason in ("unused", "dead_end"):
        verdict, places = _earlier_step(home, numbers, source, region) or (verdict, places)
    origin = None
    if isinstance(source, Tensor) and verdict.reason in ("unwatched", "outside", "unused", "dead_end"):
        origin = _made_from_variable(source)
    target = Place(graph, home.variables, region, -1 if number is None else number)
    return explanation(Question(target, source, sources, verdict, places, origin))


# -- where things were recorded -------------------------------------------------------------------------


class Home:
    """A recorded path with the variables and data bound to it: a trace, a run, a step that is over."""

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

    def is_computed(self, index: int) -> bool:
        """Returns whether a tensor that came in as data was computed by a step that is over."""
        found = self.entry(index)
        return found is not None and _home(found) is not None

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
    home: Home, numbers: Sequence[int], source: Any, region: Region
) -> tuple[Verdict, list[Place]] | None:
    """Follows data behind a target to the earlier step that computed it; returns a chain to the source."""
    seen: set[int] = set()
    waiting: list[tuple[Home, Sequence[int], Region, list[Place]]] = [(home, numbers, region, [])]
    for one, starts, within, before in waiting:
        graph = one.graph
        for entry in sorted(graph.ancestors(starts), reverse=True):
            index = graph.values[entry].entry
            tensor = one.entry(index) if index is not None else None
            if tensor is None or id(tensor) in seen or (origin := _home(tensor)) is None:
                continue
            seen.add(id(tensor))
            lead = route(starts, {entry}, lambda number: graph.values[number].inputs)  # noqa: B023
            places = before + [Place(graph, one.variables, within, v) for v in lead]
            found = judge(origin.graph, [tensor._slot], origin.numbers(source), Region.whole(origin.graph))
            if found.chain and found.reason != "escaped":
                onward = [Place(origin.graph, origin.variables, None, v) for v in found.chain]
                return Verdict("outside", (), earlier=True), places + onward
            waiting.append((origin, [tensor._slot], Region.whole(origin.graph), places))
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


# -- reasons for errors and warnings --------------------------------------------------------------------


def reasons(trace: Trace, variables: Sequence[Cell]) -> list[str]:
    """Returns a line for each variable whose gradient was None: its name, the reason, the place."""
    missed = list(trace.missed)
    homes = [Home(trace)]
    previous = trace.previous
    if previous is not None:
        homes.append(Home(previous))
        missed += previous.missed
    lines = [_reason(homes, missed, variable) for variable in variables]
    for listener in list(listeners):
        listener(variables)
    return lines


def _reason(homes: Sequence[Home], missed: Sequence[tuple[int, Any]], variable: Any) -> str:
    """Returns the line of one variable, from the last gradient that was asked for it."""
    asked = False
    for home, request in _requests(homes):
        numbers = home.numbers(variable)
        positions = [i for i, source in enumerate(request.sources) if source in numbers]
        if positions and any(request.found[i] for i in positions):
            given = f"its gradient at {request.site} was not None"
            return f"{called(variable)!r}: {given}; None took its place afterwards"
        if positions:
            verdict = judge(home.graph, request.targets, numbers, request.region)
            if verdict.reason not in ("unused", "dead_end"):
                return line(Place(home.graph, home.variables, request.region, -1), verdict, variable)
        if positions or any(depth == request.event + 1 and one is variable for depth, one in missed):
            # Perhaps a step that was over before has computed what the target is made of.
            found = explain_value(home, request.targets, variable, request)
            return short(called(variable), found)
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
