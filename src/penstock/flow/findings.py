"""What deserves a look: rules over what a check has seen."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.errors import NoGradientsError
from penstock.flow.seen import Finding, Subject
from penstock.trace.site import Site

NAMED = 3
"""So many variables are named in a sentence; the others are counted."""


def findings(
    subjects: Sequence[Subject], absent: Sequence[Subject], error: BaseException | None
) -> list[Finding]:
    """Returns one finding for each cause.

    `absent` are the variables that an optimizer was handed without a gradient; `error` is what the program
    failed with.
    """
    missing = [one for one in subjects if one.asked and not one.found and not one.owner]
    refusal = error if isinstance(error, NoGradientsError) else None
    found = _missing_gradients(missing, "warning" if refusal is None else "error")
    if refusal is not None:
        cause = next((one.cut for one in absent if one.cut is not None), None)
        found.append(
            Finding(
                "PS102",
                "nothing-to-apply",
                "error",
                tuple(one.path for one in absent),
                refusal.site,
                cause,
                "An optimizer was given gradients that are all None, so it refused the step.",
                "Mend the path that ends at the cause.",
            )
        )
    return found


def _missing_gradients(missing: Sequence[Subject], severity: str) -> list[Finding]:
    groups: dict[tuple[str, Site | None, Site | None], list[Subject]] = {}
    for one in missing:
        groups.setdefault((one.gradient, one.cut, one.where_asked), []).append(one)
    found = []
    for (reason, cut, site), group in groups.items():
        explanation = group[0].explanation
        fix = explanation.fix if explanation is not None else "Compute the target with it, or do not ask."
        message = f"A gradient was asked for {_listed(group)}, and there is none: {reason}."
        if site is None:
            message = f"An optimizer was given no gradient for {_listed(group)}: {reason}."
        names = tuple(one.path for one in group)
        found.append(
            Finding("PS101", "missing-gradient", severity, names, site, cut, message, fix, explanation)
        )
    return found


def _listed(subjects: Sequence[Subject]) -> str:
    named = ", ".join(repr(one.path) for one in subjects[:NAMED])
    return named + (f" and {len(subjects) - NAMED} more" if len(subjects) > NAMED else "")
