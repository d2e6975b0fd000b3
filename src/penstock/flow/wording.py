"""The words of an explanation: steps along a path, what ends it, what to type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from penstock.flow.graph import Event, Graph, Region, Tape, Value
from penstock.flow.reach import FLOWS, Cut, Verdict
from penstock.flow.source import assigned_name, called, line_at
from penstock.grad.absence import Absence
from penstock.trace.site import Site
from penstock.trace.tensor import Cell

LONGEST = 12
"""A path of more steps than this is shown with its middle left out."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: what was done (`operation`, of `inputs`), under which name, where, and a remark.

    `spec` is the shape and dtype of what it made.
    """

    operation: str
    inputs: str
    name: str | None
    spec: str
    site: Site | None
    note: str = ""

    def __str__(self) -> str:
        return f"{self.operation}({self.inputs})" if self.inputs else self.operation


@dataclass(frozen=True, slots=True)
class Place:
    """One value of a graph, with the variables bound there and the region it is judged by."""

    graph: Graph
    variables: Sequence[Any]
    region: Region | None
    number: int

    @property
    def value(self) -> Value:
        """The value."""
        return self.graph.values[self.number]

    @property
    def bound(self) -> Any:
        """The variable that the value stands for."""
        assert self.value.variable is not None
        return self.variables[self.value.variable]

    def at(self, number: int) -> Place:
        """Returns another place of the same graph."""
        return Place(self.graph, self.variables, self.region, number)


# -- names ------------------------------------------------------------------------------------------------


def describe(thing: Any, place: Place | None = None) -> str:
    """Returns how a reader would call a variable or tensor, with shape and dtype."""
    if isinstance(thing, Cell):
        return f"Variable {called(thing)!r} {thing._spec!r}"
    name = name_of(place) if place is not None and place.number >= 0 else None
    return f"{name!r} {thing._spec!r}" if name else f"the tensor {thing._spec!r}"


def name_of(place: Place) -> str | None:
    """Returns the name that the user's line gives to a value, if the value is what the line assigns."""
    graph, value = place.graph, place.value
    event = graph.events[value.event]
    if event.kind not in ("operation", "enter") or value.number != event.last - 1:
        return None
    if value.kind == "operation":
        for later in graph.events[event.number + 1 :]:
            if later.kind == "operation":
                if later.site == event.site:
                    return None
                break
        return assigned_name(event.site)
    return None


def _operand(place: Place) -> str:
    value = place.value
    if value.variable is not None:
        return called(place.bound)
    if value.literal is not None:
        return str(value.literal[()])  # type: ignore[index]
    return name_of(place) or ("data" if value.kind == "data" else HIDDEN)


HIDDEN = "…"
"""Stands for an operand that has no name."""
NESTED_WIDTH = 48


def _step(place: Place, note: str = "") -> Step:
    graph, value = place.graph, place.value
    event = graph.events[value.event]
    if value.kind == "variable":
        variable = place.bound
        return Step(f"Variable {called(variable)!r}", "", None, value.spec, variable.site, note)
    if value.kind == "written":
        variable = place.bound
        return Step(f"{called(variable)!r} as written by {event.name}", "", None, value.spec, event.site, note)
    if value.kind in ("data", "number"):
        what = "data" if value.kind == "data" else "a number"
        return Step(f"{what} {value.spec}", "", None, value.spec, graph.site(value.number), note)
    if event.kind == "gradient":
        return Step("a gradient", "", None, value.spec, event.site, note)
    if event.kind == "apply":
        return Step(f"the update of {event.name}", "", None, value.spec, event.site, note)
    inputs = ", ".join(_operand(place.at(number)) for number in _operands(graph, value, event))
    return Step(event.name, inputs, name_of(place), value.spec, event.site, note)


def _operands(graph: Graph, value: Value, event: Event) -> list[int]:
    """Returns what the user gave to the operation that made a value: conversions on the way are left out."""
    inside = range(event.first, event.last)
    if event.composed:
        inner = (source for number in inside for source in graph.values[number].inputs)
        return [source for source in dict.fromkeys(inner) if source not in inside]
    found = []
    for source in value.inputs:
        while source in inside and graph.values[source].inputs:
            source = graph.values[source].inputs[0]
        found.append(source)
    return found


# -- what ends a path ---------------------------------------------------------------------------------------


def remark(place: Place, cut: Cut) -> str:
    """Says what a cut is, for the line on which it stands."""
    value = place.value
    name = place.graph.events[value.event].name or value.name
    if cut.word == "stopped":
        return "the path ends here"
    if cut.word == "discrete":
        if cut.operand is None:
            return f"{value.spec} has no derivative"
        if not value.differentiable:
            kind = "booleans" if value.spec.startswith("bool") else "integers"
            return f"{name} returns {kind}: the path ends here"
        return f"{name} takes whole numbers there: the path ends here"
    if cut.word == "flat":
        return f"{name} has slope zero wherever it has one: the path ends here"
    if cut.word == "overwritten":
        return f"{name} stores a value, not its history: the path ends here"
    if cut.word == "outside":
        return f"computed {outside(place)}"
    if cut.word == "unruled":
        return f"{name} has no derivative rule: the path ends here"
    if cut.word == "frozen":
        return "trainable is False, so the tape does not watch it"
    if cut.word == "unwatched":
        return "the tape does not watch it"
    return ""


def outside(place: Place) -> str:
    """Says how a value lies outside what its tape recorded: before it, after it, or in a pause."""
    found = _tape_around(place)
    if found is None:
        return "while no tape was recording"
    tape, before, after = found
    if before is None:
        return f"before the tape opened at {tape.opened[after or 0]}"
    if after is None:
        return f"after the tape opened at {tape.opened[before]} had closed"
    return f"while recording was off, from {tape.closed[before]} on"


def _tape_around(place: Place) -> tuple[Tape, int | None, int | None] | None:
    """Returns the tape of a place's region, and the numbers of its intervals before and after the place."""
    if place.region is None or not place.region.intervals:
        return None
    size = len(place.graph.values)
    for tape in place.graph.tapes:
        own = tape.region(size)
        if own.intervals and place.region.intervals[0][0] == own.intervals[0][0]:
            before = [i for i, (_, stop) in enumerate(own.intervals) if stop <= place.number]
            after = [i for i, (start, _) in enumerate(own.intervals) if start > place.number]
            return tape, before[-1] if before else None, after[0] if after else None
    return None


def cut_site(place: Place, cut: Cut) -> Site | None:
    """Returns the line a cut stands on: where a variable without derivative was created, else the operation."""
    if cut.word in ("frozen", "unwatched"):
        return None
    value = place.graph.values[cut.value]
    if cut.operand is None and value.variable is not None:
        site: Site = place.variables[value.variable].site
        return site
    return place.graph.site(cut.value)


def fix_for(place: Place, verdict: Verdict, source: str, target: str, thing: Any = None) -> str:
    """Returns what to type."""
    cut = verdict.cuts[0] if verdict.cuts else None
    name = place.graph.events[place.graph.values[cut.value].event].name if cut else ""
    where = cut_site(place, cut) if cut else None
    if verdict.reason == "stopped":
        return f"Remove the stop_gradient at {where}, if {source} is meant to learn from {target}."
    if verdict.reason == "discrete":
        return _fix_discrete(place, verdict, name, thing)
    if verdict.reason == "flat":
        return f"Let the gradient pass as if {name} were not there: x + stop_gradient({name}(x) - x)."
    if verdict.reason == "overwritten":
        return (
            f"Compute with the value that is assigned at {where}, in place of the variable it is assigned to."
        )
    if verdict.reason == "unruled":
        return f"Give {name} a derivative rule with custom_gradient."
    if verdict.reason == "frozen":
        return f"Set trainable = True before the tape reads {source}, or call tape.watch on it."
    if verdict.reason == "unwatched":
        return f"Call tape.watch on {source} inside the tape, before computing with it."
    if verdict.reason == "unused":
        return f"Compute {target} with {source}, or leave {source} out of the sources."
    if verdict.reason == "dead_end":
        return f"Let what is made of {source} take part in {target}, or leave {source} out of the sources."
    if verdict.reason == "escaped" and verdict.look is not None:
        return f"Stay with tensors: leave out the {verdict.look.how} at {verdict.look.site}."
    return ""


def _fix_discrete(place: Place, verdict: Verdict, name: str, thing: Any) -> str:
    cut = verdict.cuts[0]
    value = place.graph.values[cut.value]
    if cut.operand is None and value.variable is not None:
        number = " such as 0.0" if value.spec.endswith("[]") else ""
        return f"Create it with a floating-point value{number}, or with trainable=False if it is not meant to learn."
    if name in ("argmax", "argmin"):
        return "Train on something smooth instead, for example softmax_cross_entropy(logits, labels)."
    if name == "cast":
        return "Stay with a floating-point dtype here, or round with x + stop_gradient(round(x) - x)."
    if value.spec.startswith("bool"):
        return "Use something smooth in place of the comparison, for example sigmoid of the difference."
    return f"Find something smooth to take the place of {name}."


def _fix_outside(place: Place, after: bool) -> str:
    found = _tape_around(place)
    site = place.graph.site(place.number)
    event = place.graph.events[place.value.event]
    if found is None:
        return f"Open a tape before {site}, and compute inside its with block."
    tape, before, _ = found
    if event.kind == "gradient":
        return f"For a derivative of a gradient, compute the gradient at {site} inside the with block of another tape."
    opened = tape.opened[before or 0]
    return f"Move {site} into the with block of the tape opened at {opened}."


# -- the whole answer -----------------------------------------------------------------------------------------


def answer(
    home: Place,
    verdict: Verdict,
    places: Sequence[Place],
    target: Any,
    source: Any,
    sources: Sequence[int],
    origin: tuple[Any, Site | None] | None,
) -> tuple[str, str, str, tuple[Step, ...], Site | None, tuple[Site, ...], str, str, tuple[str, ...]]:
    """Returns the fields of an Explanation, in order."""
    graph = home.graph
    target_name = name_of(home) if home.number >= 0 else None
    short_target = target_name or "the target"
    source_place = home.at(sources[0]) if sources else places[-1] if places and not verdict.chain else None
    source_text = describe(source, source_place)
    short_source = repr(called(source)) if isinstance(source, Cell) else _short_name(source_place)
    notes: list[str] = []
    if verdict.reason == "outside" and not verdict.chain:
        steps, cut, cuts, fix = _across(places, home)
    else:
        steps = _steps(places, verdict)
        sites = [cut_site(home, one) for one in verdict.cuts]
        if verdict.look is not None:
            sites[:1] = [verdict.look.site]
        cut = sites[0] if sites else None
        cuts = tuple(dict.fromkeys(site for site in sites if site is not None))
        fix = fix_for(home, verdict, short_source, short_target, source)
        if verdict.reason == "outside":
            fix = _fix_outside(home.at(verdict.cuts[0].value), True)
        for other in verdict.cuts[1:] if verdict.cuts and verdict.cuts[0].operand is not None else ():
            event = graph.events[graph.values[other.value].event]
            notes.append(f"Another path is cut at {cut_site(home, other)}: {other.word} ({event.name}).")
    notes.extend(_facts(home, verdict, source, short_source, short_target, sources))
    if origin is not None:
        variable, made = origin
        name = assigned_name(made)
        if name is not None and name in (called(variable), assigned_name(variable.site)):
            notes.append(
                f"At {made} the name {name!r} was given to a plain tensor. Variable {called(variable)!r}, created at "
                f"{variable.site}, is no longer meant by it, and has not changed."
            )
            fix = f"Write the Variable in place of re-binding its name: {name}.assign(...) at {made}."
        else:
            notes.append(
                f"{_sentence(short_source)} is a plain tensor, made from Variable {called(variable)!r} at {made}."
            )
    if verdict.reason == FLOWS:
        headline = f"A gradient flows from {short_target} back to {source_text}."
    else:
        headline = f"{_sentence(short_target)} does not reach {source_text}: {verdict.reason}."
    known = home.number >= 0
    whole_target = (
        f"{target_name or 'a value'} {home.value.spec}"
        if known
        else describe(target)
        if target is not None
        else "data"
    )
    return whole_target, source_text, verdict.reason, steps, cut, cuts, fix, headline, tuple(notes)


def _short_name(place: Place | None) -> str:
    name = name_of(place) if place is not None else None
    return repr(name) if name else "the source"


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] if words.startswith("the ") else words


def _steps(places: Sequence[Place], verdict: Verdict) -> tuple[Step, ...]:
    remarks: dict[int, str] = {}
    for cut in verdict.cuts[:1]:
        remarks[cut.value] = (
            remark(next((p for p in places if p.number == cut.value), places[0]), cut) if places else ""
        )
    if verdict.look is not None and verdict.entry is not None:
        remarks[verdict.entry] = "came in from outside, without a history"
        remarks[verdict.look.value] = f"left the record through {verdict.look.how} at {verdict.look.site}"
    steps: list[Step] = []
    last_event = None
    for place, following in zip(places, [*places[1:], None], strict=False):
        event = place.graph.events[place.value.event]
        note = remarks.get(place.number, "")
        if place.value.kind == "variable" and following is not None and not note:
            # The same variable, read again since.
            continue
        if steps and last_event is event and place.value.kind == "operation":
            if note:
                steps[-1] = _noted(steps[-1], note)
            continue
        steps.append(_step(place, note))
        last_event = event
    return tuple(steps)


def _noted(step: Step, note: str) -> Step:
    return Step(step.operation, step.inputs, step.name, step.spec, step.site, note)


def _across(
    places: Sequence[Place], home: Place
) -> tuple[tuple[Step, ...], Site | None, tuple[Site, ...], str]:
    """Words a path that leads into a step that was over before the tape opened."""
    steps: list[Step] = []
    opened = next((tape.opened[0] for tape in reversed(home.graph.tapes) if tape.opened), None)
    when = f"before the tape opened at {opened}" if opened else "in a step that was over by then"
    made = [place for place in places if place.graph is not home.graph and place.value.kind == "operation"]
    first = made[-1] if made else places[-1]
    cut = first.graph.site(first.number)
    last = None
    for place, following in zip(places, [*places[1:], None], strict=False):
        event = place.graph.events[place.value.event]
        if following is not None and following.graph is not place.graph:
            # Data that came in: the same value, as the step that computed it knows it, follows.
            continue
        if steps and last is event and place.value.kind == "operation":
            continue
        last = event
        steps.append(_step(place, f"computed {when}" if place is first else ""))
    into = f" opened at {opened}" if opened else ""
    along = ", and what is made of it," if len(made) > 1 else ""
    fix = f"Move {cut}{along} into the with block of the tape{into}."
    return tuple(steps), cut, (cut,) if cut else (), fix


def _facts(
    home: Place, verdict: Verdict, source: Any, short_source: str, short_target: str, sources: Sequence[int]
) -> list[str]:
    """Returns what is to be said where no path can be shown."""
    graph = home.graph
    created = f", created at {source.site}," if isinstance(source, Cell) else ""  # type: ignore[attr-defined]
    if verdict.reason == "unused":
        used = sorted(
            number
            for one in sources
            for number in graph.users(one)
            if graph.events[graph.values[number].event].kind == "operation"
        )
        if used:
            return [
                f"{short_source}{created} is read at {graph.site(used[0])}, {outside(home.at(used[0]))} only."
            ]
        return [f"{short_source}{created} is not read on the way to {short_target}."]
    if verdict.reason == "dead_end":
        last = verdict.cuts[0].value
        step = _step(home.at(last))
        made = f"{step.name!r}, made by {step.operation}" if step.name else f"the result of {step}"
        return [
            f"{short_source}{created} is read, but {made} at {graph.site(last)}, does not lead to {short_target}."
        ]
    if isinstance(source, Cell) and verdict.reason not in (FLOWS, "frozen"):
        numbers = [number for number in sources if graph.values[number].kind == "variable"]
        if numbers and not any(graph.values[number].trainable for number in numbers):
            return [f"{short_source} is not trainable either, so the tape would not watch it."]
    return []


def text(headline: str, steps: Sequence[Step], notes: Sequence[str], fix: str) -> str:
    """Returns an explanation as lines: what happened, the path with its lines, remarks, what to type."""
    lines = [headline]
    rows = [(what, str(site or ""), note) for what, site, note in path_rows(steps)]
    wide = max((len(row[0]) for row in rows), default=0)
    far = max((len(row[1]) for row in rows), default=0)
    for what, site, note in rows:
        lines.append(f"  {what:<{wide}}  {site:<{far}}  {note}".rstrip())
    lines.extend(notes)
    if fix:
        lines.append(fix)
    return "\n".join(lines)


def path_rows(
    steps: Sequence[Step], arrow: str = "← ", longest: int = LONGEST
) -> list[tuple[str, Site | None, str]]:
    """Returns a path as rows of what, where and a remark; a long one without its middle."""
    rows: list[tuple[str, Site | None, str]] = []
    nested = _nested(steps)
    shown = set(range(len(nested)))
    if len(nested) > longest:
        marked = {i for i in shown if nested[i].note}
        ends = {*range(longest // 2), *range(len(nested) - longest // 3, len(nested))}
        shown = ends | marked | {i + 1 for i in marked if i + 1 < len(nested)}
    previous = -1
    for i in sorted(shown):
        step = nested[i]
        if i > previous + 1:
            rows.append((f"{arrow}{i - previous - 1} more steps", None, ""))
        previous = i
        prefix = f"{step.name} = " if step.name and i == 0 else "" if i == 0 else arrow
        rows.append((prefix + str(step), step.site, step.note))
    return rows


def _nested(steps: Sequence[Step]) -> list[Step]:
    """Puts operations of one line into one expression, as the line has them, while it stays short."""
    found: list[Step] = []
    for step in steps:
        outer = found[-1] if found else None
        if (
            outer is not None
            and outer.site == step.site
            and not outer.note
            and not step.note
            and step.inputs
            and step.name is None
            and outer.inputs.count(HIDDEN) == 1
            and len(f"{outer}{step}") <= NESTED_WIDTH
        ):
            inputs = outer.inputs.replace(HIDDEN, str(step))
            found[-1] = Step(outer.operation, inputs, outer.name, outer.spec, outer.site)
        else:
            found.append(step)
    return found


def line(place: Place, verdict: Verdict, variable: Any) -> str:
    """Returns one line on a variable without a gradient, for errors and warnings."""
    meaning = Absence(verdict.reason).meaning if verdict.reason != FLOWS else "a gradient flows"
    site = cut_site(place, verdict.cuts[0]) if verdict.cuts else None
    if verdict.look is not None:
        site = verdict.look.site
    if verdict.reason == "discrete" and verdict.cuts[0].operand is None:
        return f"{called(variable)!r}: discrete, {variable._spec!r} since its creation at {site} - {meaning}"
    where = f" at {site}" if site is not None else ""
    return f"{called(variable)!r}: {verdict.reason}{where} - {meaning}"


__all__ = ["Place", "Step", "answer", "fix_for", "line", "line_at", "remark", "text"]
