"""The entries of a ledger as a table: one line for each write, or for each writer if there are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from penstock.flow.causes import CAUSES, summary
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.flow.ledger import Entry

LISTED = 24
"""A ledger of more entries than this prints one line for each writer of each variable instead."""


def as_text(entries: Sequence[Entry], unrecorded: Sequence[Entry], every: Sequence[Entry]) -> str:
    """Returns the table of some entries; below it the result of replaying `every` split entry."""
    if not entries:
        text = "The ledger is empty: nothing was written."
    else:
        causes = [cause for cause in CAUSES if any(entry.parts and cause in entry.parts for entry in entries)]
        if len(entries) <= LISTED:
            header = ("step", "variable", "by", "where", "|change|", *causes)
            lines = [(*_line(entry), *_parts([entry], causes)) for entry in entries]
            text = _table([header, *lines], "><<<>" + ">" * len(causes))
        else:
            groups: dict[tuple[str, str, Site | None], list[Entry]] = {}
            for entry in entries:
                groups.setdefault((entry.variable, entry.by, entry.site), []).append(entry)
            header = ("variable", "by", "where", "steps", "times", "mean |change|", *causes)
            lines = [(*_group(group), *_parts(group, causes)) for group in groups.values()]
            text = _table([header, *lines], "<<<>>>" + ">" * len(causes))
    return "\n".join([text, *_unrecorded(unrecorded), *_replayed(every)])


def _line(entry: Entry) -> tuple[str, ...]:
    return str(entry.step), entry.variable, entry.by, str(entry.site or ""), f"{entry.change:.4g}"


def _group(entries: Sequence[Entry]) -> tuple[str, ...]:
    one, last = entries[0], entries[-1].step
    steps = f"{one.step}–{last}" if one.step != last else str(last)
    mean = sum(entry.change for entry in entries) / len(entries)
    return one.variable, one.by, str(one.site or ""), steps, str(len(entries)), f"{mean:.4g}"


def _parts(entries: Sequence[Entry], causes: Sequence[str]) -> tuple[str, ...]:
    """Returns the mean norm of each part; a dot marks a cause that these writes do not have."""
    means = summary([entry.parts for entry in entries if entry.parts is not None])
    return tuple(f"{means[cause]:.3g}" if cause in means else "·" for cause in causes)


def _unrecorded(entries: Sequence[Entry]) -> list[str]:
    return [
        f"There is no record that {entry.variable!r} changed by {entry.change:.4g} "
        f"{('before the first step was over' if not entry.step else f'after step {entry.step}')}."
        for entry in entries
    ]


def _replayed(entries: Sequence[Entry]) -> list[str]:
    """Returns a line on the result of replaying these entries, if they were split."""
    split = [entry for entry in entries if entry.replayed is not None]
    failed = [entry for entry in split if not entry.replayed]
    if not split:
        return []
    writes = f"{len(split)} write{'' if len(split) == 1 else 's'}, optimizers' own state included"
    if not failed:
        return [f"Replayed: {writes}; the parts of each add up to the new value, to the last bit."]
    one = failed[0]
    return [
        f"Replayed: {writes}; the parts of {len(failed)} do not add up to the new value, "
        f"first those of {one.variable!r} in step {one.step}."
    ]


def _table(rows: Sequence[tuple[str, ...]], alignments: str) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:{side}{wide}}" for cell, side, wide in zip(row, alignments, widths, strict=True)
        ).rstrip()
        for row in rows
    )
