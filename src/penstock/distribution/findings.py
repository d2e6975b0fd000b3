"""Findings on a distribution: patterns without effect, batches and weights that are copied."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from penstock.distribution.strategies import ModelParallel
from penstock.flow.codes import CODES
from penstock.flow.report_model import Finding

if TYPE_CHECKING:
    from penstock.distribution.costs import Cost
    from penstock.distribution.placing import Placed, Placing, Run

SHARE = 0.05
"""The share of the bytes that a device holds for variables; smaller copies are not reported."""

Steps = Sequence[tuple["Run", "Cost"]]


def findings(placing: Placing, steps: Steps, variables: Sequence[Placed]) -> list[Finding]:
    """Returns the findings, the worst first."""
    own = [one for one in variables if not one.owner]
    return [
        *_idle_patterns(placing, own),
        *_left_out(placing, own),
        *_gathered(placing, steps),
        *_undivided(placing, steps),
    ]


def _idle_patterns(placing: Placing, variables: Sequence[Placed]) -> Iterator[Finding]:
    """Patterns of a LayoutMap that match no used variable."""
    chosen = placing.distribution
    if not isinstance(chosen, ModelParallel) or not variables:
        return
    paths = [one.path for one in variables]
    for pattern, layout in chosen.layout_map.items():
        if pattern in paths or any(re.search(pattern, path) for path in paths):
            continue
        near = difflib.get_close_matches(pattern, paths, 3, 0.3) or paths[:3]
        yield _finding(
            "PS602",
            "error",
            (),
            layout.site,
            f"The pattern {pattern!r} of the LayoutMap matches no variable's path, so it splits nothing.",
            f"Write a pattern that matches the path you mean; similar paths: {', '.join(map(repr, near))}.",
        )


def _left_out(placing: Placing, variables: Sequence[Placed]) -> Iterator[Finding]:
    """Copied variables whose paths differ only in numbers from one that a pattern splits."""
    chosen = placing.distribution
    if not isinstance(chosen, ModelParallel):
        return
    split: dict[Any, Placed] = {}
    for one in variables:
        if any(one.axes):
            split.setdefault((_series(one.path), one.shape), one)
    missed: dict[str, list[Placed]] = {}
    for one in variables:
        like = split.get((_series(one.path), one.shape))
        if like is not None and not any(one.axes) and chosen.layout_map.pattern_of(one.path) is None:
            missed.setdefault(like.path, []).append(one)
    held = sum(one.bytes_per_device for one in variables)
    for path, left in missed.items():
        if sum(one.bytes for one in left) < SHARE * held:
            continue
        pattern = chosen.layout_map.pattern_of(path)
        assert pattern is not None
        names = tuple(one.path for one in left)
        shown = ", ".join(map(repr, names[:3])) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        size = sum(one.bytes for one in left)
        yield _finding(
            "PS601",
            "warning",
            names,
            chosen.layout_map.sites.get(pattern),
            f"{shown}: copied to every device ({size:,} bytes on each), while {path!r}, of the same shape, "
            f"is split by the pattern {pattern!r}.",
            f"Widen the pattern so that it matches all of them, such as {_widened([path, *names])!r}; or "
            f"declare that the copy is intended: layout_map[{names[0]!r}] = ().",
        )


def _gathered(placing: Placing, steps: Steps) -> Iterator[Finding]:
    """Weights that a pattern splits, but that a step gathers completely on every device."""
    if not isinstance(placing.distribution, ModelParallel):
        # With `shard_weights` that is how it works.
        return
    told: set[str] = set()
    for run, cost in steps:
        for one in cost.whole:
            if one.argument is None or one.argument >= len(run.taken):
                continue
            place = placing.places.get(run.taken[one.argument])
            if (
                place is None
                or place.path in told
                or one.elements != prod(place.shape)
                or not any(place.axes)
            ):
                continue
            told.add(place.path)
            lines = [site for sent in cost.sent if sent.kind == "all-gather" for site in sent.sites]
            wanted = [run.program.steps[number].site for number in one.steps]
            site = next((found for found in wanted if found is not None), lines[0] if lines else cost.site)
            yield _finding(
                "PS604",
                "warning",
                (place.path,),
                site,
                f"The step gathers all of {place.path!r} on every device ({one.size:,} bytes), although "
                f"its layout {place.axes} splits it.",
                "Split it along the axis that this line leaves whole, or split the other operand along the "
                "same axis, so that each device works with its own part.",
            )


def _undivided(placing: Placing, steps: Steps) -> Iterator[Finding]:
    """Training steps that take data, none of which could be split."""
    chosen = placing.distribution
    parts = chosen.num_model_replicas
    if parts == 1:
        return
    told: set[Any] = set()
    split = {run.program.operations for run, _ in steps if any(_divides(shape, parts) for shape in run.data)}
    for run, cost in steps:
        # Data that arrives repeatedly is a batch; data that came once may be a table of constants.
        handed = [shape for shape in run.data if placing.handed[shape] > 1] or list(run.data)
        batches = [shape for shape in handed if shape[0] > 1]
        if not batches or any(_divides(shape, parts) for shape in handed):
            continue
        if run.program.operations in split:
            # The last batch of a pass over the data is often shorter than the others.
            continue
        length = max(shape[0] for shape in batches)
        if (length, cost.site) in told:
            continue
        told.add((length, cost.site))
        below, above = length // parts * parts, -(-length // parts) * parts
        sizes = f"{below} or {above}" if below else f"{above}"
        yield _finding(
            "PS603",
            "warning",
            (),
            cost.site,
            f"The step reads data of shape {', '.join(map(str, batches[:3]))}, and {length} is not "
            f"divisible by the {parts} devices of the axis {chosen.batch_dim_name!r}: every device "
            "computes the whole batch.",
            f"Use batches of {sizes}, or a mesh whose batch axis divides {length}.",
        )


def _divides(shape: tuple[int, ...], parts: int) -> bool:
    return bool(shape) and shape[0] > 0 and shape[0] % parts == 0


def _series(path: str) -> str:
    """Returns a path without its numbers: the common part of a series."""
    return re.sub(r"_?\d+", "", path)


def _widened(paths: Sequence[str]) -> str:
    """Returns a pattern for paths that differ only in numbers."""
    parts = []
    for same in zip(*(path.split("/") for path in paths), strict=True):
        numbered = re.sub(r"_?\d+", "(_?[0-9]+)?", max(same, key=len))
        parts.append(re.escape(same[0]) if len(set(same)) == 1 else numbered)
    return "/".join(parts)


def _finding(code: str, severity: str, paths: tuple[str, ...], site: Any, message: str, fix: str) -> Finding:
    return Finding(code, CODES[code].name, severity, paths, site, None, message, fix)
