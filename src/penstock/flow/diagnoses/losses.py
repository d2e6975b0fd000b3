"""Terms of a loss that train nothing, and barriers that block nothing."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed, plural
from penstock.flow.seen import Finding, Subject, Term
from penstock.grad.absence import Absence


def dead_terms(seen: Evidence) -> list[Finding]:
    """Returns a finding for each term that reaches none of the variables which were asked for.

    Unless a barrier cuts it, a term is passed over if the loss trains nothing at all, or if each of its
    variables is known to have no gradient for the same cause.
    """
    found = []
    for term in seen.terms:
        blocked = [one for one in term.blocked if one.trainable and not one.owner]
        if term.reaches or not (blocked or term.unasked):
            continue
        told = all(one.asked and not one.found and one.cut == term.cut for one in blocked)
        nothing = not any(one.found for one in term.asked)
        if term.word != "stopped" and (nothing or (blocked and told)):
            continue
        severity = "warning" if seen.refusal is None else "error"
        cause = term.cut if blocked else None
        message, fix = _message(term, blocked), _fix(term, blocked)
        found.append(finding("PS302", severity, blocked or term.unasked, term.site, cause, message, fix))
    return found


def _message(term: Term, blocked: Sequence[Subject]) -> str:
    head = f"The term `{term.name}` of the loss{at(term.site)} trains nothing. "
    if not blocked:
        return head + (
            f"It would train {listed(term.unasked)}, and no gradient is asked for "
            f"{plural(term.unasked, 'it', 'them')}: it adds a number to the loss, and that is all."
        )
    held = listed(blocked)
    if term.word == "stopped":
        return head + (
            f"It is made of {held}, and the stop_gradient{at(term.cut)} stands on every path to "
            f"{plural(blocked, 'it', 'them')}."
        )
    meaning = Absence(term.word).meaning if term.word else "no path is open"
    return (
        head
        + f"It is made of {held}, and no gradient gets there{at(term.cut)}: {term.word}, since {meaning}."
    )


def _fix(term: Term, blocked: Sequence[Subject]) -> str:
    if not blocked:
        return f"Ask for the gradient of {listed(term.unasked)} too, or leave the term out."
    if term.word == "stopped":
        return (
            f"Remove the stop_gradient{at(term.cut)}. To keep a network from being trained by this loss, "
            "leave its variables out of the sources: the path through it stays open then."
        )
    return f"Open the path{at(term.cut)}, or leave the term out of the loss."


def idle_barriers(seen: Evidence) -> list[Finding]:
    """Returns a note for each stop_gradient behind which no trainable variable stands."""
    found = []
    for barrier in seen.barriers:
        if barrier.blocks or barrier.computed:
            continue
        message = (
            f"The stop_gradient{at(barrier.site)} blocks nothing: no trainable variable stands behind it, so "
            "every gradient would be the same without it."
        )
        fix = (
            "Leave it out. What is no Variable is not trained anyway, and a Variable stays as it is if no "
            "optimizer is given it."
        )
        found.append(finding("PS301", "note", [], barrier.site, barrier.site, message, fix))
    return found
