"""Sentences shared by the text for terminals and the page for browsers."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.report.data import Names
from penstock.flow.report.groups import called, named
from penstock.flow.report_model import Barrier, Report, Subject, Term
from penstock.flow.words import NATIVE

NAMES = 4
"""How many variables of one term or barrier are named; the others are counted."""


def many(count: int, noun: str) -> str:
    """Returns a count with its noun."""
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def listing(names: Sequence[str]) -> str:
    """Returns names for a line: the first few, and how many more there are."""
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + more


def fate_of(term: Term, every: Sequence[Subject], names: Names) -> str:
    """Says which variables a term trains, would train, or does not reach, and why."""

    def some(subjects: Sequence[Subject]) -> str:
        return listing(named(subjects, every))

    if term.weight == 0.0:
        return "trains nothing: its weight is 0"
    where = f" {names.short(term.cut)}" if term.cut is not None else ""
    parts = [f"trains {some(term.reaches)}" if term.reaches else ""]
    parts.append(f"would train {some(term.unasked)}, but no gradient is requested" if term.unasked else "")
    parts.append(f"{some(term.blocked)} {term.word}{where}" if term.blocked else "")
    said = "; ".join(filter(None, parts))
    return said if term.reaches else f"trains nothing: {said}"


def without_it(barrier: Barrier, subjects: Sequence[Subject]) -> str:
    """Says what would be different without a barrier."""
    if barrier.restores:
        return f"without it {_them(barrier, barrier.restores, subjects)} would have a gradient"
    if barrier.changes:
        changed = _them(barrier, barrier.changes, subjects)
        whose = "their gradient" if changed == "they" else f"the gradient of {changed}"
        return f"without it {whose} would differ"
    if barrier.behind_another:
        return "no gradient arrives at it: another cut comes before it"
    return "no gradient is requested there, so nothing would change without it"


def _them(barrier: Barrier, paths: Sequence[str], subjects: Sequence[Subject]) -> str:
    """Returns variables by name, or by a word if they are all that the barrier blocks, and many."""
    if len(paths) > NAMES and set(paths) == set(barrier.blocks):
        return "they"
    return listing(called(paths, subjects))


def remarks(report: Report, shown: Sequence[Subject], every: bool, names: Names) -> list[str]:
    """Returns the sentences below the tables: variables frozen during the run, rows that are not shown."""
    frozen: dict[int, list[str]] = {}
    kept: dict[str, int] = {}
    for subject in report.subjects:
        if subject.owner:
            kept[subject.owner] = kept.get(subject.owner, 0) + 1
        elif subject.gradient == "frozen" and subject.frozen_after is not None:
            frozen.setdefault(subject.frozen_after, []).append(subject.path)
    lines = [f"{one.subject.path}: {one.rows} of {one.of} rows were never read." for one in report.unread]
    for step, paths in frozen.items():
        when = f"after step {step}" if step else "before the first step"
        lines.append(f"Frozen {when}: {listing(called(paths, shown))}.")
    if report.passed_over:
        told = f"{report.passed_over} of {many(report.paths, 'path')}"
        lines.append(
            f"Not analysed: {told} through the steps, because there are too many. Their writes are counted."
        )
    if kept and not every:
        told = ", ".join(f"{many(count, 'variable')} of {owner}" for owner, count in kept.items())
        lines.append(f"Not listed: {told}, for internal use (--all lists them).")
    if before := [one.path for one in shown if not one.created.line]:
        lines.append(f"It is unknown which lines created {listing(called(before, shown))}.")
    return [*lines, *map(names.shorten, [*(one.line for one in report.asides), *report.remarks])]


def reading(subjects: Sequence[Subject]) -> str:
    """Says what counts as a read: not every framework has explicit tapes."""
    said = {one.words.reading: None for one in subjects}
    return next(iter(said)) if len(said) == 1 else NATIVE.reading


def whole(report: Report) -> str:
    """Returns the word for the program: a script, a notebook or a block."""
    return "block" if report.block else "script"


def command(report: Report) -> str:
    """Returns the command that made a report."""
    return "penstock watch" if report.block else "penstock check"


__all__ = ["command", "fate_of", "listing", "many", "reading", "remarks", "whole", "without_it"]
