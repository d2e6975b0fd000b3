"""The answer to "why is there no gradient?", and how it prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from penstock.trace.source_site import Site

LONGEST = 12
"""A path of more rows than this is shown without its middle."""
HIDDEN = "…"
"""Represents an operand that has no name."""
HOLE = "\0"
NESTED_WIDTH = 48
"""Operations of one line are written as one expression if it is not longer than this."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: its operation and `inputs`, its name, its line, and a remark.

    `spec` is the shape and dtype of its result; the path continues to input number `along`. `template` is an
    operator as it was typed, with braces for the inputs: "{} ** 2".
    """

    operation: str
    inputs: tuple[str, ...]
    name: str | None
    spec: str
    site: Site | None
    note: str = ""
    along: int | None = None
    template: str = ""

    def __str__(self) -> str:
        if self.template:
            return self.template.format(*self.inputs)
        return f"{self.operation}({', '.join(self.inputs)})" if self.inputs else self.operation


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer of `explain`. `str()` gives it as text.

    `reason` is "flows" or one of the words of `penstock.Absence`; `target` and `source` are the subjects of
    the question. `path` leads backwards from the target, to the source if a path exists. `cut` is the
    line that the reason is about, if it has one, and `cuts` has every line at which a path ends; `fix` is
    what to type. `headline` is a summary in one sentence, `notes` adds more. `origin` is the name of the
    Variable from which the source was computed, and the line, if the program may mistake one for the other.
    """

    target: str
    source: str
    reason: str
    path: tuple[Step, ...]
    cut: Site | None
    cuts: tuple[Site, ...]
    fix: str
    headline: str
    notes: tuple[str, ...] = ()
    origin: tuple[str, Site | None] | None = None

    def __str__(self) -> str:
        rows = [(what, str(site or ""), note) for what, site, note in path_rows(self.path)]
        wide = max((len(what) for what, _, _ in rows), default=0)
        far = max((len(site) for _, site, _ in rows), default=0)
        lines = [f"  {what:<{wide}}  {site:<{far}}  {note}".rstrip() for what, site, note in rows]
        return "\n".join([self.headline, *lines, *self.notes, *([self.fix] if self.fix else [])])

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from penstock.trace.html import table

        rows = [(what, str(site or ""), note) for what, site, note in path_rows(self.path)]
        below = [*self.notes, *([self.fix] if self.fix else [])]
        return table(f"{self.reason}: {self.headline}", ("path", "line", ""), rows, below)


def path_rows(
    steps: Sequence[Step], arrow: str = "← ", longest: int = LONGEST
) -> list[tuple[str, Site | None, str]]:
    """Returns a path as rows of operation, line and remark; a long one without its middle."""
    lines = _nested(steps)
    shown = set(range(len(lines)))
    if len(lines) > longest:
        marked = {i for i in shown if lines[i][1].note}
        ends = {*range(longest // 2), *range(len(lines) - longest // 3, len(lines))}
        shown = ends | marked | {i + 1 for i in marked if i + 1 < len(lines)}
    rows: list[tuple[str, Site | None, str]] = []
    previous = -1
    for i in sorted(shown):
        text, step = lines[i]
        if i > previous + 1:
            left_out = i - previous - 1
            rows.append((f"{arrow}{left_out} more step{'s' * (left_out > 1)}", None, ""))
        previous = i
        start = arrow if i else f"{step.name} = " if step.name else ""
        rows.append((start + text, step.site, step.note))
    return rows


def _nested(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    """Joins operations of one line into one expression, as on the line, if it stays short."""
    found: list[tuple[str, Step]] = []
    innermost = None
    for step in steps:
        text = _with_hole(step)
        if found and innermost is not None:
            outer, first = found[-1]
            same_line = first.site == step.site and not first.note and not step.note
            text = f"({text})" if step.template and innermost.template else text
            fits = HOLE in outer and len(outer) + len(text) <= NESTED_WIDTH
            if same_line and fits and step.inputs and step.name is None:
                found[-1] = (outer.replace(HOLE, text), first)
                innermost = step
                continue
        innermost = step
        found.append((_with_hole(step), step))
    return [(text.replace(HOLE, HIDDEN), step) for text, step in found]


def _with_hole(step: Step) -> str:
    """Returns a step as text, with a hole for the input along which the path continues, if it has no name."""
    if step.along is None or step.inputs[step.along] != HIDDEN:
        return str(step)
    inputs = [HOLE if i == step.along else one for i, one in enumerate(step.inputs)]
    return str(replace(step, inputs=tuple(inputs)))
