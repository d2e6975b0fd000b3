"""Puts a verdict into words: the steps of the path, what ends it, notes, what to type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from penstock.flow.absence import Absence
from penstock.flow.bindings import indexed_before
from penstock.flow.explanation import Explanation, Step
from penstock.flow.graph import Event
from penstock.flow.naming import Place, call_of, describe, name_of, spoken, step_of
from penstock.flow.observed import Variable
from penstock.flow.reach import FLOWS, Verdict
from penstock.flow.remedies import cut_site, fix_for, moved_into, outside, remark
from penstock.flow.source import assigned_name, called, line_at
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class Question:
    """A question and its result: the target's place, the source with its values there, the verdict.

    `places` is the verdict's chain, which may continue into earlier steps. `origin` is the Variable from
    which a plain tensor source was made, and the line.
    """

    target: Place
    source: Any
    sources: Sequence[int]
    verdict: Verdict
    places: Sequence[Place]
    origin: tuple[Variable, Site | None] | None = None

    @property
    def target_name(self) -> str:
        """The name of the target."""
        return name_of(self.target) or "the target"

    @property
    def source_place(self) -> Place | None:
        """The first line that uses the source."""
        if self.sources:
            return self.target.at(self.sources[0])
        return self.places[-1] if self.places else None

    @property
    def source_name(self) -> str:
        """The name of the source."""
        if isinstance(self.source, Variable):
            return repr(called(self.source))
        name = name_of(self.source_place)
        return repr(name) if name else "the source"


def explanation(question: Question) -> Explanation:
    """Returns the answer to a question, in words."""
    verdict, target = question.verdict, question.target
    source = describe(question.source, question.source_place)
    if verdict.earlier:
        path, cut, fix = _across(question.places, target)
        cuts: tuple[Site, ...] = (cut,) if cut is not None else ()
    else:
        path = _steps(question.places, verdict)
        cuts = _sites(target, verdict)
        cut = cuts[0] if cuts and (verdict.look or cut_site(target, verdict.cuts[0])) else None
        own = question.source.words if isinstance(question.source, Variable) else target.graph.words
        fix = fix_for(target, verdict, question.source_name, question.target_name, own)
    if path and isinstance(question.source, Variable) and question.source.position is not None:
        path = _ending_with(path, question)
    notes = [*_other_cuts(target, verdict), *_facts(question)]
    taken = _taken_instead(question) if verdict.reason == "dead_end" and verdict.cuts else None
    if taken is not None:
        fix = f"Take the last result at {taken}, if it is the one that is meant. {fix}"
    if question.origin is not None:
        note, rebound = _rebound(*question.origin, question.source_name)
        notes.append(note)
        fix = rebound or fix
    if verdict.reason == FLOWS:
        headline = f"A gradient flows from {question.target_name} back to {source}."
    else:
        headline = f"{_sentence(question.target_name)} does not reach {source}: {verdict.reason}."
    spec = target.value.spec if target.number >= 0 else ""
    whole = f"{question.target_name} {spec}".rstrip()
    made = question.origin
    origin = None if made is None else (called(made[0]), made[1])
    return Explanation(whole, source, verdict.reason, path, cut, cuts, fix, headline, tuple(notes), origin)


def line(place: Place, verdict: Verdict, variable: Variable) -> str:
    """Returns one line on a variable without a gradient, for errors and warnings."""
    if verdict.reason == FLOWS:
        return f"{called(variable)!r}: a gradient flows"
    meaning = Absence(verdict.reason).meaning
    sites = _sites(place, verdict)
    if verdict.reason == "discrete" and verdict.cuts[0].operand is None:
        since = f"{variable.spec} since its creation at {sites[0]}"
        return f"{called(variable)!r}: discrete, {since} - {meaning}"
    where = f" at {sites[0]}" if sites else ""
    return f"{called(variable)!r}: {verdict.reason}{where} - {meaning}"


def short(name: str, found: Explanation) -> str:
    """Returns an explanation in one line, for errors and warnings."""
    where = f" at {found.cut}" if found.cut is not None else ""
    return f"{name!r}: {found.reason}{where} - {Absence(found.reason).meaning}"


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] if words.startswith("the ") else words


# -- the path -------------------------------------------------------------------------------------------


def _sites(place: Place, verdict: Verdict) -> tuple[Site, ...]:
    """Returns the lines of the cuts; for an escape, the line that read the value."""
    sites = [cut_site(place, one) for one in verdict.cuts]
    if verdict.look is not None:
        sites[:1] = [verdict.look.site]
    return tuple(dict.fromkeys(site for site in sites if site is not None))


def _steps(places: Sequence[Place], verdict: Verdict) -> tuple[Step, ...]:
    """Returns a chain as steps: the values of one event are one step, with remarks at their places."""
    notes: dict[int, str] = {}
    for place in places:
        if verdict.cuts and place.number == verdict.cuts[0].value:
            notes[place.number] = remark(place, verdict.cuts[0])
    if verdict.look is not None:
        if verdict.entry is not None:
            notes[verdict.entry] = "came in from outside, without a history"
        notes[verdict.look.value] = f"left the record through {verdict.look.how} at {verdict.look.site}"
    chain = {place.number for place in places}
    steps: list[Step] = []
    last = None
    for place, following in zip(places, [*places[1:], None], strict=False):
        note = notes.get(place.number, "")
        if place.value.kind == "variable" and following is not None and not note:
            # The same variable, read again since.
            continue
        if last is not None and place.event.number in last and place.value.kind == "operation":
            steps[-1] = replace(steps[-1], note=note or steps[-1].note)
            continue
        steps.append(step_of(place, note, chain))
        last = call_of(place.graph, place.event)
    return tuple(steps)


def _ending_with(path: tuple[Step, ...], question: Question) -> tuple[Step, ...]:
    """Gives the end of a path the source's name in the program, if the path leads to the source."""
    if not question.places or question.places[-1].number not in question.sources:
        return path
    source, last = question.source, path[-1]
    operation = f"{source.words.variable} {called(source)!r}"
    end = Step(operation, (), None, last.spec, last.site, last.note)
    return (*path[:-1], end) if last.note or len(path) > 1 else (end,)


def _across(places: Sequence[Place], home: Place) -> tuple[tuple[Step, ...], Site | None, str]:
    """Returns steps, cut and remedy of a path that leads into a step before the opening of the tape."""
    opened = next((tape.opened[0] for tape in reversed(home.graph.tapes) if tape.opened), None)
    when = f"before the tape opened at {opened}" if opened else "in a step that was over by then"
    made = [place for place in places if place.graph is not home.graph and place.value.kind == "operation"]
    first = made[-1] if made else places[-1]
    chains: dict[int, set[int]] = {}
    for place in places:
        chains.setdefault(id(place.graph), set()).add(place.number)
    steps: list[Step] = []
    last: list[Event] = []
    for place, following in zip(places, [*places[1:], None], strict=False):
        if following is not None and following.graph is not place.graph:
            # Incoming data: the same value follows, in the step that computed it.
            continue
        if place.event in last and place.value.kind == "operation":
            continue
        last = [place.graph.events[number] for number in call_of(place.graph, place.event)]
        steps.append(step_of(place, f"computed {when}" if place is first else "", chains[id(place.graph)]))
    cut = first.graph.site(first.number)
    along = ", and what is computed from it," if len(made) > 1 else ""
    return tuple(steps), cut, moved_into(cut, opened, along)


# -- notes ----------------------------------------------------------------------------------------------


def _other_cuts(place: Place, verdict: Verdict) -> list[str]:
    if verdict.earlier or not verdict.cuts or verdict.cuts[0].operand is None:
        return []
    return [
        f"Another path is cut at {cut_site(place, cut)}: {cut.word} ({spoken(place.at(cut.value))})."
        for cut in verdict.cuts[1:]
    ]


def _facts(question: Question) -> list[str]:
    """Returns the sentence to show next to a path, or in place of a path that cannot be shown."""
    graph, reason, source = question.target.graph, question.verdict.reason, question.source
    subject = question.source_name
    if isinstance(source, Variable):
        subject += f", created at {source.site},"
    if reason == "unused":
        users = (user for one in question.sources for user in graph.users(one))
        used = min(
            (u for u in users if graph.events[graph.values[u].event].kind == "operation"), default=None
        )
        if used is None:
            return [f"{subject} is not read on the way to {question.target_name}."]
        return [f"{subject} is read at {graph.site(used)}, {outside(question.target.at(used))} only."]
    if reason == "dead_end":
        last = question.target.at(question.verdict.cuts[0].value)
        step = step_of(last)
        made = (
            f"{step.name!r}, made by {step if step.template else step.operation}"
            if step.name
            else f"the result of {step}"
        )
        where = f"{made} at {graph.site(last.number)},"
        said = f"{subject} is read, but {where} does not lead to {question.target_name}."
        taken = _taken_instead(question)
        if taken is None:
            return [said]
        line = f"`{line_at(taken)}` at {taken}"
        return [
            said,
            f"What leads there was made on the same line, another time round: it is taken by {line}.",
        ]
    if isinstance(source, Variable) and reason not in (FLOWS, "frozen"):
        reads = [one for one in question.sources if graph.values[one].kind == "variable"]
        if reads and not any(graph.values[one].trainable for one in reads):
            return [source.words.also_frozen(question.source_name)]
    return []


def _taken_instead(question: Question) -> Site | None:
    """Returns the line that indexes another result of the line whose last result leads nowhere."""
    graph = question.target.graph
    last = graph.values[question.verdict.cuts[0].value]
    behind = graph.ancestors([question.target.number]) if question.target.number >= 0 else set()
    for number in sorted(behind):
        value = graph.values[number]
        if value.name == last.name and graph.site(number) == graph.site(last.number):
            for user in graph.users(number):
                site = graph.site(user)
                if user in behind and site is not None and (taken := indexed_before(site)) is not None:
                    return taken
    return None


def _rebound(variable: Variable, made: Site | None, source: str) -> tuple[str, str]:
    """Returns a note on a tensor made from a Variable, and what to type if it has taken its name."""
    name = assigned_name(made)
    own, words = called(variable), variable.words
    if name is None or name not in (own, assigned_name(variable.site)):
        return f"{_sentence(source)} is a {words.plain}, made from {words.variable} {own!r} at {made}.", ""
    note = (
        f"At {made} the name {name!r} was given to a {words.plain}. {words.variable} {own!r}, created at "
        f"{variable.site}, is no longer meant by it, and has not changed."
    )
    typed = words.rebound(name, "...")
    return note, f"Write the {words.variable} in place of re-binding its name: {typed} at {made}."
