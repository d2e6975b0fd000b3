"""The findings of a check: runs the diagnoses, one after another, over its evidence."""

from __future__ import annotations

from collections.abc import Sequence

# Each of these files adds its diagnoses.
from penstock.flow.diagnoses import (  # noqa: F401
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
from penstock.flow.diagnoses.diagnosis import in_order
from penstock.flow.diagnoses.evidence import Evidence
from penstock.flow.report_model import Finding

SEVERITIES = ("error", "warning", "note")


def findings(seen: Evidence) -> list[Finding]:
    """Returns one finding for each cause, the worst first."""
    found = [one for diagnose in in_order() for one in diagnose(seen)]
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
