"""Requested gradients that are None: one finding for each cause."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.absence import Absence
from penstock.flow.codes import OF_REASON
from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import Evidence, at, call_it, finding, listed, opened, plural
from penstock.flow.noted import Unfed
from penstock.flow.report_model import Barrier, Finding, Subject
from penstock.flow.source import line_at, uncalled
from penstock.trace.source_site import Site


@diagnosis(70)
def missing(seen: Evidence) -> list[Finding]:
    """Returns a finding for each cause of a missing gradient that was requested.

    A line that requests the gradients of all variables, without naming any, requests more than it needs: a
    barrier before some of them is then intended to keep them constant, and no mistake.
    """
    severity = "warning" if seen.refusal is None else "error"
    groups: dict[tuple[str, Site | None, Site | None], list[Subject]] = {}
    for one in seen.subjects:
        # Variables that the program writes itself, or uses elsewhere, such as a target network, are also
        # intended.
        aside = one.held or one.elsewhere or any(writer.terms != ("load",) for writer in one.writers.values())
        meant = aside and not one.listed and seen.refusal is None
        # Paddle lists a layer's statistics among its parameters: a gradient of them is never intended.
        kept = bool(one.writers) and all(writer.terms == ("state",) for writer in one.writers.values())
        gone = one.replaced is not None and one.owned
        if (
            one.asked
            and not one.found
            and not one.owner
            and not gone
            and not meant
            # The pass that would have followed an open path has failed, which the error says.
            and not (one.gradient == "flows" and seen.error is not None)
            and not (kept and not one.trainable)
        ):
            groups.setdefault((one.gradient, one.cut, one.where_asked), []).append(one)
    return [_finding(group, severity, seen.barriers) for group in groups.values()]


def _finding(group: Sequence[Subject], severity: str, barriers: Sequence[Barrier]) -> Finding:
    first = group[0]
    reason, cut, site = first.gradient, first.cut, first.where_asked
    code = OF_REASON.get(reason, "PS101")
    if reason == "discrete" and cut in (None, first.created) and not first.dtype.startswith(FLOATS):
        code = "PS103"
    explanation = first.explanation
    fix = (
        explanation.fix
        if explanation is not None
        else ("Compute the target with it, or do not ask for its gradient.")
    )
    if code == "PS106":
        fix += opened(barriers, cut, group)
    message = _MESSAGES[code](group, reason)
    if explanation is None and site is not None:
        message = (
            f"The optimizer{at(site)} found no gradient for {listed(group)}: no backward pass came before "
            "it. A step applies the gradients of a backward pass and computes none itself."
        )
        fix = f"Call backward() on the loss before {site}."
    elif site is None:
        message = f"An optimizer was given no gradient for {listed(group)}: {reason}. {message}"
    if reason == "unused":
        # Nothing blocks the path: point at the line that created the variable.
        cut = first.created
    return finding(code, severity, group, site, cut, message, fix, explanation)


def _unread(group: Sequence[Subject], reason: str) -> str:
    meaning = Absence(reason).meaning if reason in _WORDS else reason
    said = (
        f"The program asks for the gradient of {listed(group)}, and there is none: {reason}, which means "
        f"that {meaning}."
    )
    if reason == "unruled":
        # The loss may well depend on it, but the operation has no rule for the derivative.
        return f"{said} The operation is the one{at(group[0].cut)}: its value depends on its operands."
    if reason not in ("unused", "dead_end"):
        return said
    return f"{said} The loss stays the same whatever {plural(group, 'it holds', 'they hold')}."


def _whole(group: Sequence[Subject], _: str) -> str:
    first = group[0]
    source = line_at(first.created)
    written = f", `{source}`" if source else ""
    kind = "true or false" if first.dtype == "bool" else "whole numbers"
    return (
        f"{listed(group)} {plural(group, 'has', 'have')} held {kind} ({first.dtype}) since "
        f"{plural(group, 'its', 'their')} creation{at(first.created)}{written}. Such values cannot change "
        f"by a fraction, so no loss has a slope along {plural(group, 'it', 'them')}: the requested "
        f"gradient is {first.words.no_gradient}."
    )


def _no_slope(group: Sequence[Subject], reason: str) -> str:
    what = (
        "values turn into integers or booleans" if reason == "discrete" else "values are flat between jumps"
    )
    return (
        f"Every path to {listed(group)} passes{at(group[0].cut)}, where {what}. A small change of "
        f"{plural(group, 'the variable', 'the variables')} does not change its result, so the gradient is "
        f"{group[0].words.no_gradient} ({reason})."
    )


def _stopped(group: Sequence[Subject], _: str) -> str:
    barrier = group[0].words.barrier_in(line_at(group[0].cut))
    return (
        f"Every path from the loss to {listed(group)} meets the {barrier}{at(group[0].cut)}. The value "
        f"passes it but the gradient does not, so this loss does not train {plural(group, 'it', 'them')}."
    )


def _outside(group: Sequence[Subject], _: str) -> str:
    explanation = group[0].explanation
    notes = [step.note for step in explanation.path if step.note] if explanation is not None else []
    when = next(
        (note for note in notes if note.startswith("computed ")), f"computed {group[0].words.unrecorded}"
    )
    if group[0].words.silence in when:
        return (
            f"The path from {listed(group)} to the loss was computed{at(group[0].cut)}, "
            f"{when.removeprefix('computed ')}. Results computed there count as constants."
        )
    return (
        f"The path from {listed(group)} to the loss was computed{at(group[0].cut)}, "
        f"{when.removeprefix('computed ')}. A tape records operations between its opening and its "
        "closing, and treats other results as constants."
    )


def _escaped(group: Sequence[Subject], _: str) -> str:
    return (
        f"A value computed from {listed(group)} left the record{at(group[0].cut)} as a number or an array, "
        "and came back as plain data. The value is right, but its history is gone: the gradient is "
        f"{group[0].words.no_gradient}."
    )


def _assigned(group: Sequence[Subject], _: str) -> str:
    return (
        f"The path to {listed(group)} leads through the assignment{at(group[0].cut)}. An assignment stores "
        "a value, not what it was computed from, so the gradient ends there."
    )


def _frozen(group: Sequence[Subject], _: str) -> str:
    first = group[0]
    return first.words.asked_of_frozen(listed(group), len(group) > 1, first.flag, at(first.created))


FLOATS = ("float", "bfloat", "complex")
"""How the names of dtypes begin whose values have a slope."""
_WORDS = {word.value for word in Absence}
_MESSAGES = {
    "PS101": _unread,
    "PS103": _whole,
    "PS105": _no_slope,
    "PS106": _stopped,
    "PS107": _outside,
    "PS108": _escaped,
    "PS109": _assigned,
    "PS110": _frozen,
}


@diagnosis(420)
def unfed(seen: Evidence) -> list[Finding]:
    """Returns a finding for each optimizer whose variables had no gradient in any of its steps.

    Only if other passes give them gradients, or none was requested: otherwise the cause has its own finding.
    """
    found = []
    for fact, one in seen.of(Unfed):
        held = [each for each in one.held if each.found or not each.asked]
        if seen.error is not None or not held or len(held) < len(one.held):
            continue
        names, them = listed(held), plural(held, "it", "them")
        if fact.frozen:
            found.append(_frozen_since(fact, held))
            continue
        message = (
            f"{fact.by}{at(fact.site)} has stepped {fact.steps} times, and {names} had no gradient in any of "
            f"these steps: it moves nothing."
        )
        fix = f"Call backward() on a loss that is computed from {names} before {fact.site or 'the step'}."
        forgotten = uncalled(fact.site, "backward")
        if forgotten is not None:
            message, fix = call_it(message, fix, forgotten)
        elif fact.asked is not None:
            message += f" The backward pass before it{at(fact.asked)} gives {them} none."
            fix = (
                f"Compute the loss of {fact.asked} from {names}, without item(), detach() or a new tensor on "
                "the way."
            )
        found.append(finding("PS102", "warning", held, fact.site, fact.asked, message, fix))
    return found


def _frozen_since(fact: Unfed, held: Sequence[Subject]) -> Finding:
    """Returns the finding on an optimizer whose variables were frozen after it was made, and stayed so."""
    names, them = listed(held), plural(held, "it", "them")
    message = (
        f"{fact.by}{at(fact.site)} has stepped {fact.steps} times and moves nothing: {names} "
        f"{plural(held, 'was', 'were')} trainable when it was made{at(fact.made)}, but "
        f"{plural(held, 'is', 'are')} frozen ({held[0].flag}) in each of these steps."
    )
    loss = f"the loss of {fact.asked} is computed" if fact.asked is not None else "the loss is computed"
    stay, step = plural(held, "it is", "they are"), fact.site or "the step"
    fix = f"{held[0].words.watch_before(them, loss)} If {stay} to stay frozen, leave out {step}."
    return finding("PS102", "warning", held, fact.site, fact.made, message, fix)


@diagnosis(410)
def refused(seen: Evidence) -> list[Finding]:
    """Returns a finding for the step that an optimizer refused because every gradient was None."""
    refusal = seen.refusal
    if refusal is None:
        return []
    cause = next((one.cut for one in seen.absent if one.cut is not None), None)
    message = (
        f"An optimizer was given gradients that are all None, so it refused the step{at(refusal.site)}. "
        f"{listed(seen.absent)} {plural(seen.absent, 'keeps its value', 'keep their values')}."
        if seen.absent
        else "An optimizer was given gradients that are all None, so it refused the step."
    )
    fix = f"Fix the path that ends{at(cause)}." if cause else "Fix the path that the finding above names."
    return [finding("PS102", "error", seen.absent, refusal.site, cause, message, fix)]
