"""Sizes for reports: how large values, gradients and changes are, by layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from penstock.flow.report.groups import patterns
from penstock.flow.report_model import Report, Subject, Term
from penstock.flow.sizes import Size


@dataclass(frozen=True, slots=True)
class Row:
    """One layer: norms over all its variables, and how many gradients were measured, zero, not finite."""

    subjects: tuple[Subject, ...]
    value: float
    gradient: float
    change: float
    measured: int
    zeros: int
    lost: int

    @property
    def share(self) -> float:
        """The size of a change relative to the values."""
        return self.change / self.value if self.value else math.nan


def rows(sizes: Sequence[Size]) -> list[Row]:
    """Returns a row for each layer, in the order of creation."""
    layers: dict[str, list[Size]] = {}
    for size in sorted(sizes, key=lambda one: one.subject.order):
        one = size.subject
        if not one.owner:
            layers.setdefault(one.words.layer(one.path) or one.path, []).append(size)
    return [_row(group) for group in layers.values()]


def _row(group: Sequence[Size]) -> Row:
    return Row(
        tuple(size.subject for size in group),
        _norm([size.mean for size in group]),
        _norm([size.gradient for size in group]),
        _norm([size.change for size in group]),
        max(size.times for size in group),
        min(size.zeros for size in group),
        max(size.lost for size in group),
    )


def _norm(norms: Sequence[float]) -> float:
    return math.sqrt(sum(one**2 for one in norms))


COLUMNS = "|value|", "|gradient|", "|Δ| / |value|"
PLAIN = "|value|", "|gradient|", "|change| / |value|"
"""The heads of the columns of sizes, and those for a plain terminal."""


def cells(row: Row) -> tuple[str, str, str]:
    """Returns the columns of a row."""
    gradient = said(row.gradient) if row.lost < row.measured else "not finite"
    return said(row.value), gradient, said(row.share)


def share_said(term: Term, terms: Sequence[Term]) -> str | None:
    """Returns the share of a term in a loss of several terms."""
    others = [one for one in terms if not math.isnan(one.share) and one is not term]
    return f", {percent(term.share)} of the loss" if others and math.isfinite(term.share) else None


def percent(share: float) -> str:
    """Returns a share in few digits.

    >>> percent(1.0), percent(0.034), percent(0.00012)
    ('100 %', '3 %', '0.012 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{100 * share:.2g} %"


def by_group(term: Term, terms: Sequence[Term], every: Sequence[Subject]) -> list[tuple[str, float]]:
    """Returns the share of a term in the gradient of each layer, by the name of the layer."""
    layers: dict[str, list[tuple[Subject, float]]] = {}
    for subject, size in term.gradients:
        layers.setdefault(subject.words.layer(subject.path) or subject.path, []).append((subject, size))
    found = []
    for layer, held in layers.items():
        own = _norm([size for _, size in held])
        whole = sum(
            _norm([size for one, size in other.gradients if (one.words.layer(one.path) or one.path) == layer])
            for other in terms
        )
        if whole:
            found.append((patterns([subject for subject, _ in held], every)[0], own / whole))
    return found


def said(number: float) -> str:
    """Returns a size in few digits.

    >>> said(0.012345), said(float("nan"))
    ('0.012', '?')
    """
    return f"{number:.2g}" if math.isfinite(number) else "?"


def as_html(report: Report) -> str:
    """Returns the sizes as a table for a browser, with counts of clipped gradients and unread rows."""
    body = "".join(
        f"<tr><td class=path>{escape(', '.join(patterns(row.subjects, report.subjects)))}"
        + "".join(f"<td class=number>{escape(cell)}" for cell in cells(row))
        + "</tr>"
        for row in rows(report.sizes)
    )
    if not body:
        return ""
    head = "".join(f"<th class=number>{escape(name)}" for name in COLUMNS)
    notes = [f"{one.subject.path}: {one.rows} of {one.of} rows were never read." for one in report.unread] + [
        f"{one.by} at {one.site} changed gradients in {one.active} of {one.times} steps."
        for one in report.clips
    ]
    below = "".join(f"<p class=dim>{escape(note)}</p>" for note in notes)
    return f"<h2>Sizes</h2><table class=sizes><tr><th>variables{head}</tr>{body}</table>{below}"


def as_data(report: Report) -> list[dict[str, Any]]:
    """Returns the sizes of each layer as data."""
    return [
        {
            "variables": patterns(row.subjects, report.subjects),
            "value": _finite(row.value),
            "gradient": _finite(row.gradient),
            "change": _finite(row.change),
            "measured": row.measured,
            "zero": row.zeros,
            "not_finite": row.lost,
        }
        for row in rows(report.sizes)
    ]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


__all__ = [
    "COLUMNS",
    "PLAIN",
    "Row",
    "as_data",
    "as_html",
    "by_group",
    "cells",
    "percent",
    "rows",
    "said",
    "share_said",
]
