"""The figure of a training run: values against steps, each line named at its end, even constant ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.flow.trajectories import Trajectory
from penstock.trace.source_site import Site, here

LINES = 12
"""A variable of more elements than this is drawn as its mean, with a band from the least to the greatest."""
COLUMNS = 3
"""How many panels are side by side."""
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette (2008), which colour-blind readers can tell apart."""
ALIKE = 20.0
"""Panels share a scale unless the values of one are this many times larger than those of another."""
BESIDE = "#555555"
ABOVE = 1.055
"""The place of a panel's name, in heights of the panel."""
GAP = 1.25
"""The least distance of two labels, in heights of their letters."""
LETTERS = 10.0
"""The height of labels, in points."""


def draw(trajectories: Sequence[Trajectory], path: Any, beside: Mapping[str, Any], title: str | None) -> Any:
    """Returns a figure of these trajectories, and writes it to a file if a path is given.

    Scalars share one panel; if any variable has several elements, each variable has its own panel.
    """
    figure_class = _matplotlib()
    single = all(one.values.ndim == 1 for one in trajectories)
    groups = [list(trajectories)] if single else [[one] for one in trajectories]
    columns = min(COLUMNS, len(groups))
    rows = math.ceil(len(groups) / columns)
    size = (8.0, 4.5) if single else (1.2 + 3.7 * columns, 0.6 + 3.6 * rows)
    figure = figure_class(figsize=size, dpi=150, layout="constrained")
    panels = figure.subplots(rows, columns, sharex=True, sharey=_alike(trajectories), squeeze=False).flat
    last = max(int(one.steps[-1]) for one in trajectories)
    shared = {name: np.asarray(_array(value)) for name, value in beside.items()}
    labels = []
    for number, (panel, group) in enumerate(zip(panels, groups)):
        labels.append(_panel(panel, group, number, last, shared, single))
        panel.set_xlabel("step" if number + columns >= len(groups) else "")
        panel.set_ylabel("value" if number % columns == 0 else "")
    for panel in list(panels):
        panel.set_visible(False)
    if title:
        figure.suptitle(title, fontsize=13)
    figure.draw_without_rendering()
    for panel, ends in zip(figure.axes, labels):
        _name_ends(panel, ends, last)
    if path is not None:
        figure.savefig(path)
    return figure


def _panel(
    panel: Any,
    group: Sequence[Trajectory],
    number: int,
    last: int,
    beside: Mapping[str, np.ndarray],
    single: bool,
) -> list[tuple[float, str, str]]:
    """Draws one panel; returns the labels of its lines: where each ends, its colour and its text."""
    ends: list[tuple[float, str, str]] = []
    for name, value in beside.items():
        fitting = [one for one in group if one.moved and one.values.shape[1:] == value.shape]
        if fitting and value.size <= LINES:
            for one in value.ravel():
                panel.axhline(float(one), color=BESIDE, linestyle=(0, (4, 3)), linewidth=1.2, zorder=1)
            if single:
                ends.extend((float(one), BESIDE, name) for one in value.ravel())
            else:
                panel.plot([], [], color=BESIDE, linestyle=(0, (4, 3)), linewidth=1.2, label=name)
    for place, one in enumerate(group):
        colour = COLOURS[(place if single else number) % len(COLOURS)]
        ends.extend(_lines(panel, one, colour, last, single))
    if not single:
        # The name has a line of its own: writers have long names, too.
        colour = COLOURS[number % len(COLOURS)]
        panel.set_title(group[0].variable, fontsize=12, loc="left", color=colour, y=ABOVE)
        panel.set_title(story(group[0]), fontsize=9, loc="right", color="#444444", y=1.0)
        if panel.get_legend_handles_labels()[0]:
            panel.legend(fontsize=9, frameon=False, loc="best")
    panel.grid(color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(labelsize=9, labelleft=True, labelbottom=True)
    panel.xaxis.get_major_locator().set_params(integer=True)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    panel.set_xlim(0, max(last, 1))
    return ends


def _lines(panel: Any, one: Trajectory, colour: str, last: int, single: bool) -> list[tuple[float, str, str]]:
    steps = np.append(one.steps, last) if one.steps[-1] < last else one.steps
    values = _drawable(one.values.reshape(len(one.values), -1))
    values = np.concatenate([values, values[-1:]]) if len(steps) > len(values) else values
    width = values.shape[1]
    if width > LINES:
        panel.fill_between(steps, values.min(1), values.max(1), color=colour, alpha=0.2, linewidth=0)
        values = values.mean(1, keepdims=True)
    panel.plot(steps, values, color=colour, linewidth=1.8)
    if single:
        told = story(one)
        return [(float(values[-1, 0]), colour, one.variable + (f"  ({told})" if told else ""))]
    if width > LINES:
        return [(float(values[-1, 0]), colour, f"mean of {width}")]
    shape = one.values.shape[1:]
    if width == 1:
        return []
    squeezed = [axis for axis, length in enumerate(shape) if length > 1]
    return [
        (float(values[-1, i]), colour, str([int(np.unravel_index(i, shape)[axis]) for axis in squeezed]))
        for i in range(width)
    ]


def story(one: Trajectory) -> str:
    """Returns in a few words what moved a variable, or why it did not move.

    >>> story(Trajectory("w", np.array([0]), np.zeros(1), (), "stopped", Site("train.py", 12, "")))
    'constant: stopped at train.py:12'
    """
    if one.moved:
        return ", ".join(dict.fromkeys(f"{by}{_line(site)}" for by, site in one.writers))
    reason = one.gradient if one.gradient not in ("", "flows") else ""
    if not reason:
        return "constant" if not one.writers else "written, constant"
    return f"constant: {reason}" + (f" at {_line(one.cut).strip()}" if one.cut else "")


def _line(site: Site | None) -> str:
    return f" {str(site).rpartition('/')[2]}" if site is not None else ""


def _name_ends(panel: Any, ends: Sequence[tuple[float, str, str]], last: int) -> None:
    """Writes each label next to the end of its line, moved apart where two would overlap."""
    if not ends:
        return
    to_points = 72.0 / panel.figure.dpi
    ordered = sorted((end for end in ends if math.isfinite(end[0])), key=lambda end: end[0])
    heights = [float(panel.transData.transform((0, end[0]))[1]) * to_points for end in ordered]
    for (value, colour, text), height, place in zip(ordered, heights, apart(heights, GAP * LETTERS)):
        panel.annotate(
            text, xy=(max(last, 1), value), xytext=(10, place - height), textcoords="offset points",
            color=colour, fontsize=LETTERS, va="center", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """Returns heights, given in ascending order, moved as little as possible to be `gap` apart.

    Crowded ones are spread around their mean.

    >>> apart([0.0, 10.0, 10.0, 30.0], 4.0)
    [0.0, 8.0, 12.0, 30.0]
    """
    crowds: list[tuple[list[float], float]] = []
    for height in heights:
        members, middle = [height], height
        while crowds and middle - crowds[-1][1] < gap * (len(members) + len(crowds[-1][0])) / 2:
            members = crowds.pop()[0] + members
            middle = sum(members) / len(members)
        crowds.append((members, middle))
    return [
        middle + (i - (len(members) - 1) / 2) * gap for members, middle in crowds for i in range(len(members))
    ]


def _alike(trajectories: Sequence[Trajectory]) -> bool:
    """Returns whether one scale shows every variable: none would be flattened by a much larger one."""
    finite = [
        np.abs(values[np.isfinite(values)]) for values in (_drawable(one.values) for one in trajectories)
    ]
    sizes = [float(values.max()) for values in finite if values.size and values.max() > 0]
    return not sizes or max(sizes) <= ALIKE * min(sizes)


def _drawable(values: np.ndarray) -> np.ndarray:
    return np.abs(values).astype(np.float64) if values.dtype.kind == "c" else values.astype(np.float64)


def _array(value: Any) -> Any:
    return value.numpy() if hasattr(value, "numpy") else value


def _matplotlib() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PenstockError(
            "plot needs matplotlib, which is not installed.",
            remedy="pip install 'penstock[plot]', or use trajectories() and draw them yourself.",
            site=here(),
        ) from None
    return Figure


__all__ = ["draw"]
