"""Passes with unintended effects: evaluations that write, gradients left behind or not retained."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.diagnoses.diagnosis import diagnosis
from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed
from penstock.flow.noted import Clipped, Inferring, Measured, Strayed, Unequal, Unkept, Unlimited, Unscheduled
from penstock.flow.report_model import Finding

FAR = 1.5
"""If the counts of elements differ by this factor, one part of a batch has that much more weight than
another."""


@diagnosis(260)
def unkept(seen: Evidence) -> list[Finding]:
    """Returns a finding for each intermediate result whose gradient is read but not retained."""
    found = []
    for fact, one in seen.of(Unkept):
        name = one.held[0].path
        message = (
            f"The gradient of {name!r} is read{at(fact.read)} and is None. {name!r} is an intermediate "
            f"result, made{at(fact.made)}. The backward pass stores gradients only in values that were not "
            f"computed, such as a {one.held[0].words.variable}."
        )
        fix = one.held[0].words.keep_gradient(name)
        found.append(finding("PS412", "warning", one.held, fact.read, fact.made, message, fix))
    return found


@diagnosis(200)
def measured(seen: Evidence) -> list[Finding]:
    """Returns a finding for each pass that only evaluates, but writes the statistics of layers."""
    found = []
    for fact, one in seen.of(Measured):
        held = one.held
        words = held[0].words
        since = f", set{at(fact.switched)}" if fact.switched is not None else ""
        message = (
            f"The pass{at(fact.site)} trains nothing: its result is only read{at(fact.looked)}. But it "
            f"writes {listed(held)}, so evaluating the model changes it: its layers are in training "
            f"mode{since}."
        )
        severity = "note" if fact.again else "warning"
        cause = fact.switched or fact.site
        found.append(
            finding("PS413", severity, held, fact.site, cause, message, words.measure(fact.switched))
        )
    return found


@diagnosis(210)
def inferring(seen: Evidence) -> list[Finding]:
    """Returns a finding for each pass that still trains in inference mode after an evaluation."""
    found = []
    for fact, one in seen.of(Inferring):
        held = one.held
        message = (
            f"The pass{at(fact.site)} trains {listed(held)} with layers in inference mode. They were "
            f"switched{at(fact.switched)}, after training had begun in training mode, and nothing has "
            "switched them back: dropout is off, and statistics do not change."
        )
        fix = held[0].words.back(fact.switched)
        found.append(finding("PS413", "warning", held, fact.site, fact.switched, message, fix))
    return found


@diagnosis(220)
def clipped(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that clips gradients of a scaled loss."""
    found = []
    for fact, one in seen.of(Clipped):
        message = (
            f"The gradients of {listed(one.held)} are clipped{at(fact.site)} while they are still those of "
            f"the scaled loss{at(fact.asked)}. The bound is meant for unscaled gradients, which are "
            "smaller by the scale: after the division by the scale almost nothing is left of them."
        )
        fix = one.held[0].words.unscale(fact.site)
        found.append(finding("PS419", "warning", one.held, fact.site, fact.asked, message, fix))
    return found


@diagnosis(230)
def unlimited(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that limits gradients without an effect on any update."""
    found = []
    for fact, one in seen.of(Unlimited):
        held, limited = one.held, fact.limited
        head = f"The gradients of {listed(held)} are clipped{at(limited)}, "
        if fact.late:
            message = head + f"after {fact.by}{at(fact.site)} has applied them: the bound changes no update."
            fix = f"Clip between the backward pass and the update: move {limited} before {fact.site}."
        elif fact.early:
            message = head + (
                f"when there are none yet: a later backward pass computes them, and {fact.by}{at(fact.site)} "
                "applies them unclipped."
            )
            fix = f"Clip between the backward pass and the update: move {limited} just before {fact.site}."
        else:
            message = head + (
                f"but nothing uses the result: {fact.by}{at(fact.site)} applies the gradients as they were."
            )
            fix = f"Give the clipped gradients to {fact.by}{at(fact.site)}."
        found.append(finding("PS429", "warning", held, limited, fact.site, message, fix))
    return found


@diagnosis(240)
def unscheduled(seen: Evidence) -> list[Finding]:
    """Returns a finding for each schedule of learning rates that does not keep step with the updates."""
    found = []
    for fact, one in seen.of(Unscheduled) if seen.error is None else ():
        if fact.never:
            message = (
                f"The schedule made{at(fact.scheduled)} never steps, while {fact.by}{at(fact.site)} makes "
                "updates: the learning rate keeps its first value."
            )
            fix = f"Call its step() after the update{at(fact.site)}, or once in each epoch."
        else:
            message = (
                f"The schedule steps{at(fact.scheduled)} before {fact.by}{at(fact.site)} makes its first "
                "update: no update has the first learning rate of the schedule."
            )
            fix = f"Step the schedule after the update: move {fact.scheduled} after {fact.site}."
        found.append(finding("PS430", "warning", one.held, fact.scheduled, fact.site, message, fix))
    return found


@diagnosis(190)
def strayed(seen: Evidence) -> list[Finding]:
    """Returns a finding for each pass whose gradients stayed uncleared and were applied with others."""
    found = []
    for fact, one in seen.of(Strayed):
        held = one.held
        why = (
            "It ran with layers in inference mode, and the pass whose gradients it is added to did not."
            if fact.inference
            else f"When it is called{at(fact.called)}, no update follows it, unlike when it is "
            f"called{at(fact.usual)}."
        )
        message = (
            f"{fact.by}{at(fact.site)} applies gradients of {listed(held)} that were left by another pass, "
            f"the backward pass{at(fact.asked)}. {why} Nothing has cleared them, and the next step has "
            "added its own."
        )
        fix = held[0].words.leave_none(fact.asked)
        cause = fact.asked if fact.inference else fact.called or fact.asked
        found.append(finding("PS405", "warning", held, fact.asked, cause, message, fix))
    return found


@diagnosis(250)
def unequal(seen: Evidence) -> list[Finding]:
    """Returns a finding for gradients of means over unequal numbers, added up as if they were equal."""
    found = []
    for fact, one in seen.of(Unequal):
        held = one.held
        if max(fact.counts) < FAR * max(min(fact.counts), 1):
            continue
        counts = _counted(fact.counts)
        message = (
            f"The backward passes of the loss{at(fact.site)} are added up in the gradients of "
            f"{listed(held)}. Each is a mean over the elements that a condition selects ({counts} "
            "elements), and all have the same weight: an element counts for more in a part with few of "
            "them, unlike in the whole batch."
        )
        fix = (
            "Take the sum of each part, and divide it by the total number of elements in all parts: loss = "
            "errors.sum() / count."
        )
        found.append(finding("PS419", "warning", held, fact.site, fact.site, message, fix))
    return found


def _counted(counts: Sequence[int]) -> str:
    said = [str(one) for one in counts]
    return f"{', '.join(said[:-1])} and {said[-1]}"
