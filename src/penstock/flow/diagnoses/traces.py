"""Training steps that were traced before a flag was set, and models without anything to train."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed, plural
from penstock.flow.noted import Outdated, Untrainable
from penstock.flow.report_model import Finding, Subject
from penstock.flow.source import call_at
from penstock.trace.source_site import Site

COMPILED = ("fit", "train_on_batch")
"""Methods that train a compiled model."""


@diagnosis(90)
def left_out(seen: Evidence) -> list[Finding]:
    """Returns a finding for variables that were unfrozen after the step that should train them was traced."""
    found = []
    for fact, one in seen.of(Outdated):
        if not fact.freed:
            continue
        held = one.held
        message = (
            f"{listed(held)} {plural(held, 'was', 'were')} unfrozen{at(fact.flag)}, but the step that is "
            f"called{at(fact.site)} was traced{at(fact.traced)}, before that. It trains the variables that "
            f"were trainable then, and leaves {plural(held, 'it', 'them')} out."
        )
        fix = trace_again(fact.site, fact.flag, held)
        found.append(finding("PS401", "warning", held, fact.site, fact.flag, message, fix))
    return found


@diagnosis(100)
def passed_over(seen: Evidence) -> list[Finding]:
    """Returns a finding for variables that were unfrozen, and that no later update moves, unlike others.

    A variable that is left out without ever being unfrozen may be meant to stay as it is.
    """
    groups: dict[Site | None, list[Subject]] = {}
    for one in late_freed(seen):
        groups.setdefault(one.settings[-1][1], []).append(one)
    found = []
    for flag, held in groups.items():
        asked = next((one.where_found for one in seen.subjects if one.owned and one.where_found), None)
        message = (
            f"{listed(held)} {plural(held, 'was', 'were')} unfrozen{at(flag)}, and the loss depends on "
            f"{plural(held, 'it', 'them')}, but the gradients requested{at(asked)} leave "
            f"{plural(held, 'it', 'them')} out: {plural(held, 'it keeps', 'they keep')} the present value."
        )
        fix = f"Make the list of variables to train after {flag}, or in each step: model.trainable_variables."
        found.append(finding("PS401", "warning", held, asked or flag, flag, message, fix))
    return found


def late_freed(seen: Evidence) -> list[Subject]:
    """Returns the variables that were unfrozen, and did not move when others were trained afterwards."""
    told = told_late(seen)
    latest = max((one.trained_last for one in seen.subjects if one.owned), default=0)
    return [
        one
        for one in seen.subjects
        if one.freed_after is not None
        and one.freed_after < latest
        and one.trainable
        and one.read
        and not (one.asked or one.owner or one.statistic)
        and all(writer.last <= one.freed_after for writer in one.writers.values())
        and one.order not in told
    ]


def told_late(seen: Evidence) -> set[int]:
    """Returns the numbers of the variables that a step leaves out because it was traced too early."""
    return {order for fact, one in seen.of(Outdated) if fact.freed for order in one.variables}


@diagnosis(110)
def untrainable(seen: Evidence) -> list[Finding]:
    """Returns a finding for each call that should train a model whose variables are all frozen."""
    found = []
    for fact, one in seen.of(Untrainable):
        held = one.held
        message = (
            f"The call{at(fact.site)} trains nothing: every variable of its model is frozen "
            f"({held[0].flag}, set{at(fact.flag)}): {listed(held)}. What counts is the flag when the first "
            "call traces the step, not when compile() was called."
        )
        fix = (
            f"Set trainable = True before {fact.site}, and False again before the first step of a model in "
            "which these variables are only passed through."
        )
        found.append(finding("PS432", "warning", held, fact.site, fact.flag, message, fix))
    return found


def outdated(seen: Evidence, group: Sequence[Subject]) -> Outdated | None:
    """Returns the fact that a step which moves these frozen variables was traced before they were frozen."""
    for fact, one in seen.of(Outdated):
        if not fact.freed and any(each.order in one.variables for each in group):
            return fact
    return None


def trace_again(called: Site | None, flag: Site | None, group: Sequence[Subject]) -> str:
    """Says how to make a step go by a flag: `called` is the line that calls the step."""
    if call_at(called, COMPILED) is not None:
        return f"Call compile() again after the flag is set{at(flag)}: fit() uses the flag as it was then."
    return f"Trace the step again after the flag is set{at(flag)}: {group[0].words.trace_again}."


__all__ = [
    "COMPILED", "late_freed", "left_out", "outdated", "passed_over", "told_late", "trace_again",
    "untrainable",
]  # fmt: skip
