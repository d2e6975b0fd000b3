"""Diagnoses and their order."""

from __future__ import annotations

from collections.abc import Callable

from penstock.flow.diagnoses.evidence import Evidence
from penstock.flow.report_model import Finding

Diagnosis = Callable[[Evidence], list[Finding]]
_by_place: dict[int, Diagnosis] = {}


def diagnosis(place: int) -> Callable[[Diagnosis], Diagnosis]:
    """Lets a function look for findings. Equally severe ones are in the order of their places.

    The places so far are ten apart. The file of a diagnosis is named in flow/findings.py.
    """

    def placed(function: Diagnosis) -> Diagnosis:
        if place in _by_place:
            raise AssertionError(f"place {place} is that of {_by_place[place].__name__}, too")
        _by_place[place] = function
        return function

    return placed


def in_order() -> list[Diagnosis]:
    """Returns all diagnoses by their places."""
    return [_by_place[place] for place in sorted(_by_place)]
