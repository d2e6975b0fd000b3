"""A loss as a sum of terms: the variables that each term trains or cannot reach, and the cuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from penstock.flow.explanation import HIDDEN
from penstock.flow.graph import Graph, Region, Request
from penstock.flow.naming import Place, call_of, name_of, step_of
from penstock.flow.observed import Passage
from penstock.flow.reach import judge
from penstock.flow.remedies import cut_site
from penstock.flow.source import asked_name, assigned_name
from penstock.flow.typed import text_at
from penstock.trace.source_site import Site

MOST = 64
"""About the largest number of terms into which a loss is split; the rest counts as one."""
DEEPEST = 100
"""How many nested sums are split."""

Scales = tuple[tuple[int, bool], ...]
"""Numbers of a graph that are factors of a term, each with whether it is a divisor."""


@dataclass(frozen=True, slots=True)
class TermFact:
    """One term of one loss on one path; variables by their numbers there.

    `reaches` are the requested ones that get a gradient from it, `unasked` those that would get one,
    `blocked` those that it is computed from but that get none. `word` and `cut` say why, for the first
    trainable one. `asked` are all variables whose gradient of the loss was requested; `alone` is true for a
    loss that is not a sum. Terms of one line may share a name, such as the two halves of a discriminator's
    loss: `twin` counts them from 0. `number` is the value of the term, and `request` the requesting event.
    `outer` are the factors outside the term on its way into the loss, `inner` the factors of the term itself.
    """

    name: str
    site: Site | None
    reaches: tuple[int, ...]
    unasked: tuple[int, ...]
    blocked: tuple[int, ...]
    asked: tuple[int, ...]
    word: str = ""
    cut: Site | None = None
    alone: bool = True
    twin: int = 0
    number: int = -1
    request: int = -1
    outer: Scales = ()
    inner: Scales = ()


@dataclass(frozen=True, slots=True)
class _Part:
    """An addend: its name on its line, the line, and the variables that it reaches or does not reach."""

    number: int
    name: str | None
    site: Site | None
    reached: frozenset[int]
    blocked: frozenset[int]
    outer: Scales = ()
    inner: Scales = ()


def term_facts(passage: Passage, requests: Sequence[Request]) -> list[TermFact]:
    """Returns the terms of every loss whose gradient by a variable was requested."""
    found: list[TermFact] = []
    graph = passage.graph
    for request in requests:
        asked = {graph.values[one].variable for one in request.sources if one is not None} - {None}
        # A gradient by tensors alone is an intermediate step, such as a penalty on the slope at the data.
        if not asked and not any(one is None for one in request.sources):
            continue
        whole = asked_name(request.site) if len(request.targets) == 1 else None
        for target in request.targets:
            if _is_derivative(graph, target):
                continue
            place = Place(graph, passage.variables, request.region, target)
            parts = _split(place, request.region, target, DEEPEST)
            parts = [part for part in parts if not _is_correction(graph, part, parts)]
            if len(parts) == 1 and parts[0].name is None:
                parts = [replace(parts[0], name=whole)]
            alike: Counter[tuple[str, Site | None]] = Counter()
            for part in parts:
                fact = _fact(passage, place, part, request, asked, len(parts) == 1)
                key = fact.name, fact.site
                found.append(replace(fact, twin=alike[key]))
                alike[key] += 1
    return [one for one in found if one.reaches or one.unasked or one.blocked]


def _is_derivative(graph: Graph, number: int) -> bool:
    """Returns whether a value is a gradient, or a sum of its elements: a second derivative has no terms."""
    value = graph.values[number]
    while value.role == "linear" and len(value.inputs) == 1:
        value = graph.values[value.inputs[0]]
    return graph.events[value.event].kind == "gradient"


def _split(place: Place, region: Region, target: int, depth: int) -> list[_Part]:
    """Splits a sum; addends of one line with the same result stay together.

    Below the target, a named value is one term, unless it is a sum of named ones, or a part of it is dead.
    """
    graph = place.graph
    inner = _addends(graph, place.number) if depth and region.covers(place.number) else ()
    parts: list[_Part] = []
    for number in inner:
        value = graph.values[number]
        if len(parts) >= MOST:
            parts = []
            break
        if value.kind != "number" or value.literal is None:
            parts += _split(place.at(number), region, target, depth - 1)
    name, site = name_of(place), graph.site(place.number)
    if not parts:
        return [_Part(place.number, name, site, *fate(graph, [place.number], region))]
    scales = _scales(graph, place.number)
    within = scales + (parts[0].inner if len(parts) == 1 else ())
    named = sum(part.name is not None for part in parts)
    mixed = len({bool(part.reached) for part in parts}) > 1
    whole = name is not None and place.number != target and not mixed
    fates = {(part.reached, part.blocked) for part in parts}
    alike = len(fates) == 1 and all(part.name is None or part.site == site for part in parts)
    if alike or (whole and not 1 < named == len(parts)):
        # A sum reaches the variables that its parts reach: no second search is needed.
        reached = frozenset().union(*(part.reached for part in parts))
        blocked = frozenset().union(*(part.blocked for part in parts)) - reached
        return [_Part(place.number, name, site, reached, blocked, (), within)]
    return [replace(part, outer=part.outer + scales) for part in parts] if scales else parts


def _is_correction(graph: Graph, part: _Part, parts: Sequence[_Part]) -> bool:
    """Returns whether a term only corrects the value of another one: x + stop_gradient(round(x) - x)."""
    if "stopped" not in graph.values[part.number].links:
        return False
    behind = graph.ancestors([part.number])
    return any(other.number in behind for other in parts if other is not part)


def _addends(graph: Graph, number: int) -> tuple[int, ...]:
    """Returns the addends of a sum, or the one operand of a multiple; nothing for any other value."""
    value = graph.values[number]
    if value.kind != "operation" or graph.events[value.event].composed:
        return ()
    if value.role == "sum":
        alike = all(graph.values[one].spec == value.spec or _is_constant(graph, one) for one in value.inputs)
        return value.inputs if alike else ()
    if value.role == "scale":
        rest = tuple(one for one in value.inputs if not _is_constant(graph, one))
        divided = value.name == "divide" and rest != value.inputs[:1]
        return rest if len(rest) == 1 and not divided else ()
    return value.inputs if value.role == "linear" else ()


def _scales(graph: Graph, number: int) -> Scales:
    """Returns the numeric factors of a value."""
    value = graph.values[number]
    if value.role != "scale":
        return ()
    return tuple((one, value.name == "divide") for one in value.inputs if _is_constant(graph, one))


def _is_constant(graph: Graph, number: int) -> bool:
    return graph.values[number].kind == "number"


def fate(graph: Graph, numbers: Sequence[int], region: Region) -> tuple[frozenset[int], frozenset[int]]:
    """Returns the variables behind these values that a gradient reaches, and those that it does not."""
    leaves = graph.leaves(region)
    values = graph.values
    reached = {values[n].variable for n in graph.clear(numbers, region) if n in leaves} - {None}
    behind = {values[n].variable for n in graph.material(numbers)} - {None}
    return frozenset(reached), frozenset(behind - reached)  # type: ignore[arg-type]


def _fact(
    passage: Passage, place: Place, part: _Part, request: Request, asked: set[int | None], alone: bool
) -> TermFact:
    graph, region = place.graph, request.region
    reached, blocked = part.reached, part.blocked
    word, cut, name, site = "", None, part.name, part.site
    if not reached and not blocked and graph.looks and not _is_start(passage, part.number):
        # Only data: perhaps a value that was read and came back.
        for variable in sorted(one for one in asked if one is not None):
            verdict = judge(graph, [part.number], graph.versions(variable), region)
            if verdict.look is not None:
                word, cut, blocked = "escaped", verdict.look.site, blocked | {variable}
                name, site = assigned_name(cut), cut
    elif blocked:
        # Frozen variables come last: the cut before a variable that is meant to learn says more.
        order = sorted(blocked, key=lambda one: (not _wants(graph, one), one not in asked, one))
        word, cut = _cause(place, part, request, order[0])
        if not reached:
            # The term trains nothing: this cut is said to be on every path to the variables that it names.
            blocked = frozenset(
                one for one in order if one == order[0] or _cause(place, part, request, one) == (word, cut)
            )
    return TermFact(
        name or expression(place.at(part.number)),
        site,
        tuple(sorted(reached & asked)),
        tuple(sorted(reached - asked)),
        tuple(sorted(blocked)),
        tuple(sorted(one for one in asked if one is not None)),
        word,
        cut,
        alone,
        number=part.number,
        request=request.event,
        outer=part.outer,
        inner=part.inner,
    )


def _is_start(passage: Passage, number: int) -> bool:
    """Returns whether a term is what a sum begins with: zeros, or one number throughout an array."""
    values = passage.values([number])
    if values is None:
        return False
    value = np.asarray(values[number])
    return not value.any() or (value.size > 1 and bool((value == value.flat[0]).all()))


def _cause(place: Place, part: _Part, request: Request, variable: int) -> tuple[str, Site | None]:
    """Returns why no gradient gets from a term to a variable, and the line that cuts the path."""
    graph = place.graph
    verdict = judge(graph, [part.number], graph.versions(variable), request.region)
    return verdict.reason, cut_site(place, verdict.cuts[0]) if verdict.cuts else None


def _wants(graph: Graph, variable: int) -> bool:
    """Returns whether a variable is trainable."""
    return any(graph.values[number].trainable for number in graph.versions(variable))


def expression(place: Place, depth: int = 4) -> str:
    """Returns a name for an unnamed term: the expression on its line, if it is short."""
    graph, value, event = place.graph, place.value, place.event
    if value.number == graph.events[call_of(graph, event)[-1]].last - 1:
        typed = text_at(event.site, WIDEST)
        if typed is not None:
            return typed
    step = step_of(place)
    if value.kind != "operation" or event.composed or not depth:
        return str(step)
    words = [
        expression(place.at(source), depth - 1)
        if word == HIDDEN and graph.site(source) == event.site
        else word
        for word, source in zip(step.inputs, value.inputs, strict=False)
    ]
    sign = _SIGNS.get(value.name)
    text = (
        f"{words[0]} {sign} {words[1]}"
        if sign and len(words) == 2
        else f"{step.operation}({', '.join(words)})"
    )
    return text if len(text) <= WIDEST else str(step)


_SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
WIDEST = 40
"""The longest name for a term that has no name in the program, if possible."""
