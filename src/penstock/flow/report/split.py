"""The figure of a split: the share of each cause in each variable's change, step by step."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.flow.causes import CAUSES
from penstock.flow.report.plot import ABOVE, COLUMNS, _matplotlib, _name_ends

if TYPE_CHECKING:
    from penstock.flow.ledger import Entry

COLOURS = {
    "gradient": "#0072B2", "scale": "#56B4E9", "momentum": "#D55E00", "clip": "#CC79A7", "decay": "#009E73",
    "assign": "#E69F00", "state": "#8A6D3B", "load": "#6A3D9A", "constraint": "#7F7F7F",
    "rounding": "#B0B0B0",
}  # fmt: skip
"""A colour for each cause, from Okabe and Ito's palette (2008) as far as possible."""
CHANGE = "#000000"
NEGLIGIBLE = 1e-3
"""Rounding is drawn if it is larger than this part of the largest other cause."""


def draw_split(written: Mapping[str, Sequence[Entry]], path: Any, title: str | None) -> Any:
    """Returns a figure with a panel for each variable, and writes it to a file if a path is given."""
    figure_class = _matplotlib()
    columns = min(COLUMNS, len(written))
    rows = math.ceil(len(written) / columns)
    figure = figure_class(figsize=(1.4 + 4.2 * columns, 0.6 + 3.6 * rows), dpi=150, layout="constrained")
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    ends = []
    for number, (panel, (variable, entries)) in enumerate(zip(panels, written.items())):
        lines, signed = series(entries)
        ends.append(_panel(panel, variable, lines, signed))
        panel.set_xlabel("step" if number + columns >= len(written) else "")
    for panel in panels[len(written) :]:
        panel.set_visible(False)
    if title:
        figure.suptitle(title, fontsize=13)
    figure.draw_without_rendering()
    for panel, (labels, last) in zip(panels, ends):
        _name_ends(panel, labels, last)
    if path is not None:
        figure.savefig(path)
    return figure


def series(entries: Sequence[Entry]) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], bool]:
    """Returns steps and the change in each, by cause and in total; and whether it is signed.

    Several writes of a step are added up. A single real number has a sign; of arrays the norm is taken.
    Causes that never added anything are left out.
    """
    signed = all(
        entry.added is not None and entry.before.size == 1 and entry.before.dtype.kind != "c"
        for entry in entries
    )
    sums: dict[str, dict[int, float]] = {}
    for entry in entries:
        parts = dict(entry.parts or {})
        whole = entry.change
        if signed:
            assert entry.added is not None
            parts = {cause: float(np.asarray(part).sum()) for cause, part in entry.added.items()}
            whole = float(np.asarray(entry.after, float).sum() - np.asarray(entry.before, float).sum())
        for cause, value in [*parts.items(), ("change", whole)]:
            steps = sums.setdefault(cause, {})
            steps[entry.step] = steps.get(entry.step, 0.0) + value
    large = max(abs(value) for cause in sums if cause != "rounding" for value in sums[cause].values())
    if max(map(abs, sums.get("rounding", {0: 0.0}).values())) <= NEGLIGIBLE * large:
        sums.pop("rounding", None)
    order = [cause for cause in CAUSES if any(sums.get(cause, {}).values())]
    if len(order) != 1:
        order.append("change")
    return {one: (np.array(list(sums[one])), np.array(list(sums[one].values()))) for one in order}, signed


def _panel(
    panel: Any, variable: str, lines: Mapping[str, tuple[np.ndarray, np.ndarray]], signed: bool
) -> tuple[list[tuple[float, str, str]], int]:
    ends = []
    for cause, (steps, values) in lines.items():
        colour = COLOURS.get(cause, CHANGE)
        whole = cause == "change"
        style = {"linestyle": (0, (4, 3)), "linewidth": 1.1} if whole else {"linewidth": 1.8}
        panel.plot(steps, values, color=colour, marker="o" if len(steps) == 1 else None, **style)
        ends.append((float(values[-1]), colour, cause))
    first = min(int(steps[0]) for steps, _ in lines.values())
    last = max(int(steps[-1]) for steps, _ in lines.values())
    if signed:
        panel.axhline(0.0, color="#888888", linewidth=0.8, zorder=0)
    else:
        panel.set_ylim(bottom=0.0)
    panel.set_title(variable, fontsize=12, loc="left", y=ABOVE)
    panel.set_title("added" if signed else "norm of the change", fontsize=9, loc="right", color="#444444")
    panel.grid(color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=9)
    panel.xaxis.get_major_locator().set_params(integer=True)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    panel.set_xlim(first - 0.5 if first == last else first, last + 0.5 if first == last else last)
    return ends, last


__all__ = ["draw_split", "series"]
