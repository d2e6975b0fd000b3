"""Terms of a loss that train nothing, and barriers that block nothing."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.absence import Absence
from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed, opened, plural
from penstock.flow.report_model import Barrier, Finding, Subject, Term
from penstock.flow.source import line_at


@diagnosis(430)
def dead_terms(seen: Evidence) -> list[Finding]:
    """Returns a finding for each term that reaches none of the requested variables.

    Unless a barrier cuts it, a term is skipped if the loss trains nothing at all, or if another finding
    reports the same cause for each of its variables.
    """
    severity = "warning" if seen.refusal is None else "error"
    groups: dict[tuple[object, ...], list[tuple[Term, list[Subject]]]] = {}
    for term in seen.terms:
        blocked = [one for one in term.blocked if one.trainable and not one.owner]
        if term.reaches or not (blocked or term.unasked):
            continue
        if not blocked and all(one.graded or one.found for one in term.unasked):
            # Their gradients are applied later, or come from another loss: other findings cover their
            # updates.
            continue
        told = all(one.asked and not one.found and one.cut == term.cut for one in blocked)
        nothing = not any(one.found for one in term.asked)
        # The program decides what a tape watches.
        if term.word == "unwatched" or (term.word != "stopped" and (nothing or (blocked and told))):
            continue
        # A gradient that updates nothing may be the purpose itself, and the differentiated value not a loss.
        meant = not blocked and not any(one.writers for one in term.asked) and seen.refusal is None
        key = term.site, term.word, term.cut, not blocked, meant
        groups.setdefault(key, []).append((term, blocked))
    return [_dead(group, "note" if key[-1] else severity, seen.barriers) for key, group in groups.items()]


def _dead(group: Sequence[tuple[Term, list[Subject]]], severity: str, barriers: Sequence[Barrier]) -> Finding:
    """Returns the finding on terms of one line that train nothing for the same cause."""
    term = group[0][0]
    blocked = list(dict.fromkeys(one for _, some in group for one in some))
    unasked = [] if blocked else list(dict.fromkeys(one for each, _ in group for one in each.unasked))
    names = f"The term `{term.name}` of the loss{at(term.site)} trains nothing. It"
    if len(group) > 1:
        names = f"{len(group)} terms of the loss{at(term.site)}, such as `{term.name}`, train nothing. They"
    message = _message(term, names, len(group) > 1, blocked, unasked)
    cause = term.cut if blocked else None
    fix = _fix(term, blocked, unasked)
    if blocked and term.word == "stopped":
        fix += opened(barriers, term.cut, blocked)
    return finding("PS302", severity, blocked or unasked, term.site, cause, message, fix)


def _message(
    term: Term, names: str, several: bool, blocked: Sequence[Subject], unasked: Sequence[Subject]
) -> str:
    are = "are" if several else "is"
    if not blocked:
        add = "add numbers" if several else "adds a number"
        they = "they" if several else "it"
        return (
            f"{names} would train {listed(unasked)}, but the program does not ask for the gradient of "
            f"{plural(unasked, 'it', 'them')}: {they} only {add} to the loss."
        )
    barrier = term.words.barrier_in(line_at(term.cut))
    if term.word == "stopped":
        return (
            f"{names} {are} computed from {listed(blocked)}, but the {barrier}{at(term.cut)} is on every "
            f"path to {plural(blocked, 'it', 'them')}."
        )
    meaning = Absence(term.word).meaning if term.word else "no path is open"
    return (
        f"{names} {are} computed from {listed(blocked)}, but no gradient gets there{at(term.cut)}: "
        f"{term.word}, which means that {meaning}."
    )


def _fix(term: Term, blocked: Sequence[Subject], unasked: Sequence[Subject]) -> str:
    if not blocked:
        return f"Ask for the gradient of {listed(unasked)} too, or leave the term out."
    if term.word == "stopped":
        return (
            f"Remove the {term.words.barrier_in(line_at(term.cut))}{at(term.cut)}. To keep a network from "
            f"being trained by this loss, {term.words.keep_from()}: then the path through it stays open."
        )
    return f"Open the path{at(term.cut)}, or leave the term out of the loss."


@diagnosis(440)
def repeated_terms(seen: Evidence) -> list[Finding]:
    """Returns a finding for each term that a line adds to a loss that already contains it."""
    found = []
    for one in seen.twice:
        held = [each for each in one.variables if each.trainable and not each.owner]
        if not held:
            continue
        first, last = one.added[0], one.added[-1]
        message = (
            f"`{one.name}`{at(one.made)} is in the loss more than once: it is added{at(first)} and "
            f"again{at(last)}. Its gradient for {listed(held)} counts as many times."
        )
        fix = f"Add it once. To give it more weight, write a factor: 2.0 * {one.name}."
        found.append(finding("PS303", "warning", held, last, one.made, message, fix))
    return found


@diagnosis(520)
def idle_barriers(seen: Evidence) -> list[Finding]:
    """Returns a note for each stop_gradient that blocks no gradient at all."""
    found = []
    for barrier in seen.barriers:
        if barrier.blocks or barrier.computed or not barrier.words.idle_barriers:
            continue
        message = (
            f"The {barrier.words.barrier}{at(barrier.site)} blocks nothing: its operand depends on no "
            "trainable variable, so every gradient would be the same without it."
        )
        fix = (
            f"Remove it. Only a {barrier.words.variable} is ever trained, and a {barrier.words.variable} "
            "that no optimizer gets stays unchanged."
        )
        found.append(finding("PS301", "note", [], barrier.site, barrier.site, message, fix))
    return found
