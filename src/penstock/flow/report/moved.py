"""The causes of each variable's changes: mean norms by cause, and the result of replaying the writes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from penstock.flow.report_model import CAUSES, Conservation, Subject, Writer


@dataclass(frozen=True, slots=True)
class Moved:
    """One variable and one of its writers; `means` has the mean norm of the change by each cause."""

    subject: Subject
    writer: Writer
    means: dict[str, float]


def moved(subjects: Sequence[Subject]) -> tuple[list[str], list[Moved]]:
    """Returns the causes that occur, in their order, and a row for each writer whose writes were split."""
    rows = [
        Moved(subject, writer, writer.means)
        for subject in subjects
        for writer in subject.writers.values()
        if writer.split
    ]
    return [cause for cause in CAUSES if any(cause in row.means for row in rows)], rows


def amount(means: dict[str, float], cause: str, nothing: str = "·") -> str:
    """Returns the mean norm of a cause in few digits, or `nothing` if the writer has no such cause."""
    if cause not in means:
        return nothing
    return f"{means[cause]:.2g}" if math.isfinite(means[cause]) else "?"


def verdict(conservation: Conservation) -> str:
    """Says the result of replaying every write.

    >>> print(verdict(Conservation(writes=12)))
    Replayed 12 writes: the parts of each add up to the new value, to the last bit.
    """
    of = f" of {conservation.writes + conservation.passed_over}" if conservation.passed_over else ""
    head = f"Replayed {conservation.writes}{of} write{'' if conservation.writes == 1 and not of else 's'}: "
    if conservation.failed:
        return f"{head}the parts of {len(conservation.failed)} do not add up to the new value."
    said = head + "the parts of each add up to the new value, to the last bit."
    if conservation.unrecorded:
        count = len(conservation.unrecorded)
        said += f" {count} other change{('' if count == 1 else 's')} had no record."
    return said


__all__ = ["Moved", "amount", "moved", "verdict"]
