"""The findings of a check: runs the diagnoses, one after another, over its evidence."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.diagnoses import (
    copies,
    course,
    gradients,
    losses,
    names,
    numbers,
    ownership,
    passes,
    traces,
    updates,
)
from penstock.flow.diagnoses.evidence import Evidence
from penstock.flow.report_model import Finding

SEVERITIES = ("error", "warning", "note")


def findings(seen: Evidence) -> list[Finding]:
    """Returns one finding for each cause, the worst first."""
    found = [
        *names.rebound(seen),
        *names.displaced(seen),
        *names.lost(seen),
        *numbers.not_finite(seen),
        *updates.unaccounted(seen),
        *ownership.stale(seen),
        *gradients.missing(seen),
        *ownership.unowned(seen),
        *traces.left_out(seen),
        *traces.passed_over(seen),
        *traces.untrainable(seen),
        *ownership.moved_while_frozen(seen),
        *ownership.frozen_state(seen),
        *ownership.applied_again(seen),
        *ownership.wasted(seen),
        *ownership.collected(seen),
        *ownership.idle(seen),
        *ownership.misplaced(seen),
        *passes.strayed(seen),
        *passes.measured(seen),
        *passes.inferring(seen),
        *passes.clipped(seen),
        *passes.unlimited(seen),
        *passes.unscheduled(seen),
        *passes.unequal(seen),
        *passes.unkept(seen),
        *copies.undone(seen),
        *copies.trained_copies(seen),
        *copies.unfollowed(seen),
        *copies.freeze_left_behind(seen),
        *copies.untied(seen),
        *copies.shared(seen),
        *course.gone(seen),
        *course.emptied(seen),
        *course.never_written(seen),
        *course.undone(seen),
        *course.limited(seen),
        *course.summed(seen),
        *course.unfollowed(seen),
        *course.unrun(seen),
        *gradients.refused(seen),
        *gradients.unfed(seen),
        *losses.dead_terms(seen),
        *losses.repeated_terms(seen),
        *numbers.tiny_updates(seen),
        *numbers.vanishing(seen),
        *numbers.exploding(seen),
        *updates.recreated(seen),
        *updates.skipped(seen),
        *updates.two_writers(seen),
        *updates.overtaken(seen),
        *losses.idle_barriers(seen),
        *updates.flags(seen),
        *numbers.zero_gradients(seen),
    ]
    # A missing gradient for a tensor that has taken a Variable's name is the same mistake.
    renamed = {name for one in found if one.code == "PS104" for name in one.variables}
    told = [
        one
        for one in found
        if one.code not in ("PS101", "PS412") or not one.variables or not renamed.issuperset(_meant(one))
    ]
    return sorted(told, key=lambda one: SEVERITIES.index(one.severity))


def _meant(found: Finding) -> Sequence[str]:
    """Returns the Variables that a finding is about, also if tensors have taken their places."""
    origin = found.explanation.origin if found.explanation is not None else None
    return found.variables if origin is None else [origin[0]]


__all__ = ["Evidence", "findings"]
