"""Passes that leave something behind, or nothing: what measures and moves, gradients unmeant or unkept."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.diagnoses.evidence import Evidence, at, finding, listed
from penstock.flow.noted import Clipped, Inferring, Measured, Strayed, Unequal, Unkept
from penstock.flow.report_model import Finding

FAR = 1.5
"""Counts of elements that differ by this factor weigh one part of a batch more than another by so much."""


def unkept(seen: Evidence) -> list[Finding]:
    """Returns a finding for each intermediate result whose gradient was asked for and is not kept."""
    found = []
    for fact, one in seen.of(Unkept):
        name = one.held[0].path
        message = (
            f"The gradient of {name!r} is read{at(fact.read)} and is None. {name!r} is an intermediate "
            f"result, made{at(fact.made)}. The backward pass goes through it, and leaves gradients only in "
            f"what was not computed, such as a {one.held[0].words.variable}."
        )
        fix = one.held[0].words.keep_gradient(name)
        found.append(finding("PS412", "warning", one.held, fact.read, fact.made, message, fix))
    return found


def measured(seen: Evidence) -> list[Finding]:
    """Returns a finding for each pass that is only looked at, and writes the statistics of layers."""
    found = []
    for fact, one in seen.of(Measured):
        held = one.held
        words = held[0].words
        since = f", put there{at(fact.switched)}" if fact.switched is not None else ""
        message = (
            f"The pass{at(fact.site)} trains nothing: its result is read{at(fact.looked)}, and that is all. "
            f"It writes {listed(held)} all the same, so evaluating the model changes it: "
            f"its layers are in training mode{since}."
        )
        severity = "note" if fact.again else "warning"
        cause = fact.switched or fact.site
        found.append(
            finding("PS413", severity, held, fact.site, cause, message, words.measure(fact.switched))
        )
    return found


def inferring(seen: Evidence) -> list[Finding]:
    """Returns a finding for each pass that trains in the mode in which something else was measured."""
    found = []
    for fact, one in seen.of(Inferring):
        held = one.held
        message = (
            f"The pass{at(fact.site)} trains {listed(held)} with layers in inference mode. They were put "
            f"there{at(fact.switched)}, after training had begun in training mode, and nobody has put them "
            "back: dropout is off, and statistics stand still."
        )
        fix = held[0].words.back(fact.switched)
        found.append(finding("PS413", "warning", held, fact.site, fact.switched, message, fix))
    return found


def clipped(seen: Evidence) -> list[Finding]:
    """Returns a finding for each line that clips gradients of a scaled loss."""
    found = []
    for fact, one in seen.of(Clipped):
        message = (
            f"The gradients of {listed(one.held)} are clipped{at(fact.site)} while they are those of the "
            f"scaled loss{at(fact.asked)}. The bound is meant for true gradients, which are smaller by the "
            "scale: what is left of these is next to nothing once the scale is taken out."
        )
        fix = one.held[0].words.unscale(fact.site)
        found.append(finding("PS419", "warning", one.held, fact.site, fact.asked, message, fix))
    return found


def strayed(seen: Evidence) -> list[Finding]:
    """Returns a finding for each pass whose gradients were left lying, and applied by a step of others."""
    found = []
    for fact, one in seen.of(Strayed):
        held = one.held
        why = (
            "It ran with layers in inference mode, and what it is added to did not."
            if fact.inference
            else f"Called{at(fact.called)}, it is never followed by an update of its own, as it is when "
            f"called{at(fact.usual)}."
        )
        message = (
            f"{fact.by}{at(fact.site)} applies gradients of {listed(held)} that another pass has left, "
            f"the backward pass{at(fact.asked)}. {why} Nobody has cleared them, and the next step has "
            "added its own."
        )
        fix = held[0].words.leave_none(fact.asked)
        cause = fact.asked if fact.inference else fact.called or fact.asked
        found.append(finding("PS405", "warning", held, fact.asked, cause, message, fix))
    return found


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
            f"{listed(held)}. Each is a mean over what a condition has chosen, {counts} elements, and "
            "all weigh alike: an element counts for more where few were chosen, unlike in the whole batch."
        )
        fix = (
            "Take the sum of each part, and divide it by the number of elements in all parts together: "
            "loss = errors.sum() / count."
        )
        found.append(finding("PS419", "warning", held, fact.site, fact.site, message, fix))
    return found


def _counted(counts: Sequence[int]) -> str:
    said = [str(one) for one in counts]
    return f"{', '.join(said[:-1])} and {said[-1]}"
