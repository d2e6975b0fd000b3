"""A report as text for a terminal: what went wrong, what was found, then a row for each variable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from penstock.errors import NoGradientsError
from penstock.flow.explanation import Explanation, path_rows
from penstock.flow.report.data import Names, user_frames
from penstock.flow.seen import Finding, Report, Subject, Writer
from penstock.flow.source import line_at

ALIKE = 6
"""So many variables of one family that fared alike are shown as one row."""
FEW = 8
"""More rows than this are shown without shapes rather than on two lines each, where the width is short."""
STEPS = 8
"""A path of more steps than this is shown without its middle."""

_COLOURS = {"flows": "green", "frozen": "cyan", "unused": "yellow", "dead_end": "yellow"}
_LEGEND = "T trainable   R read in a tape   G gradient   O in an optimizer   W written"


def show(report: Report, stream: TextIO, all_variables: bool = False, width: int | None = None) -> None:
    """Writes a report to a stream, as wide as the terminal or `width`."""
    console = Console(file=stream, width=width, highlight=False)
    with console.capture() as capture:
        console.print(Page(report, console, all_variables).render())
    text = capture.get().replace("…", "...") if _knows_little(console) else capture.get()
    stream.write(text.encode(console.encoding, "replace").decode(console.encoding))
    stream.flush()


class Page:
    """One report on one console."""

    def __init__(self, report: Report, console: Console, all_variables: bool) -> None:
        self.report, self.console, self.all_variables = report, console, all_variables
        self.names = Names(report.script)
        self.doubled: set[str] = set()
        self.plain = _knows_little(console)

    def render(self) -> RenderableType:
        """Returns the whole page."""
        report = self.report
        parts: list[RenderableType] = [Text(), self.title()]
        if report.error is not None:
            parts += [Text(), self.failure(report.error)]
        for finding in report.findings:
            if finding.code != "PS102" or report.error is None:
                parts += [Text(), self.finding(finding)]
        subjects = report.subjects if self.all_variables else report.variables
        if subjects:
            parts += [Text(), self.variables(subjects), Text(), Text(_LEGEND, "dim")]
        return Group(*parts, *self.barriers(), *self.notes(), Text(), self.verdict())

    def title(self) -> RenderableType:
        """Returns the lines at the top."""
        report = self.report
        counts = f"{_many(report.steps, 'step')}, {_many(len(report.variables), 'variable')}"
        counts += ", stopped there" if report.stopped else ""
        title = Text.assemble(("penstock check ", "dim"), (report.script, "bold"))
        rule = Rule(title, align="left", style="dim", characters="-" if self.plain else "─")
        return Group(rule, Text(counts, "dim"))

    # -- what went wrong ------------------------------------------------------------------------------------

    def failure(self, error: BaseException) -> RenderableType:
        """Returns what the script failed with, and where in the user's code."""
        steps = self.report.steps
        after = f"after {_many(steps, 'step')}" if steps else "before its first step was over"
        parts: list[RenderableType] = [Text(f"The script failed {after}.", "bold red")]
        for frame in user_frames(error)[-3:]:
            parts.append(Text.assemble("  ", (f"{self.names.short(frame)}, in {frame.function}", "dim")))
            if source := line_at(frame):
                parts.append(_indented(source, indent=4))
        if isinstance(error, SyntaxError):
            parts.append(Text(f"  line {error.lineno}", "dim"))
        lines = self.names.shorten(str(error)).splitlines() or [""]
        if isinstance(error, NoGradientsError):
            # The reasons follow as findings.
            lines = lines[:1]
        head = Text.assemble((type(error).__name__, "red"), ": " if lines[0] else "", lines[0])
        parts.append(_indented(Text("\n").join([head, *map(Text, lines[1:])])))
        return Group(*parts)

    def finding(self, finding: Finding) -> RenderableType:
        """Returns one finding: its code, what is the matter, the path, what to type."""
        colour = "red" if finding.severity == "error" else "yellow"
        head = Text.assemble(
            (f"{finding.code} {finding.name}", f"bold {colour}"),
            "  ",
            (self.names.short(finding.site), "dim"),
        )
        parts: list[RenderableType] = [head, _indented(self.names.shorten(finding.message))]
        if finding.explanation is not None:
            parts.append(_indented(self.path(finding.explanation), indent=4))
            parts += [_indented(self.names.shorten(note)) for note in finding.explanation.notes]
        parts.append(_indented(self.names.shorten(finding.fix), "green"))
        return Group(*parts)

    def path(self, explanation: Explanation) -> RenderableType:
        """Returns the path of an explanation, a row for each step."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, overflow="ellipsis")
        grid.add_column(no_wrap=True, style="dim")
        grid.add_column(style="yellow")
        for what, site, note in path_rows(explanation.path, "<- " if self.plain else "← ", STEPS):
            grid.add_row(what, self.names.short(site), self.names.shorten(note))
        return grid

    # -- the variables --------------------------------------------------------------------------------------

    def variables(self, subjects: Sequence[Subject]) -> RenderableType:
        """Returns the table of variables, in the most telling form that fits the width."""
        families = _families(subjects, self.all_variables)
        paths = [subject.path for subject in subjects]
        self.doubled = {path for path in paths if paths.count(path) > 1}
        layouts = ["full", "single", "tight"] + (["short"] if len(families) > FEW else [])
        for layout in layouts:
            table = self.table(families, layout)
            unbounded = self.console.options.update(max_width=1000)
            if Measurement.get(self.console, unbounded, table).maximum <= self.console.width:
                return table
        return self.table(families, "double")

    def table(self, families: Sequence[Sequence[Subject]], layout: str) -> Table:
        """Returns the table in one of its forms: "full", "single", "tight", "short", or of "double" lines."""
        padding = 1 if layout == "tight" else 2
        table = Table(box=None, padding=(0, padding, 0, 0), header_style="dim", pad_edge=False)
        lines = layout != "double"
        table.add_column("variable", overflow="fold", no_wrap=lines)
        if layout in ("full", "single", "tight"):
            table.add_column("", style="dim", no_wrap=True)
        if layout == "full":
            table.add_column("created", style="dim", no_wrap=True)
        table.add_column("T R G O W", no_wrap=True)
        table.add_column("gradient", overflow="fold", no_wrap=lines)
        table.add_column("written by", overflow="fold", no_wrap=lines)
        table.add_column("times", justify="right", no_wrap=True)
        table.add_column("mean change" if self.plain else "mean |Δ|", justify="right", no_wrap=True)
        if layout == "full":
            table.add_column("total change" if self.plain else "total |Δ|", justify="right", no_wrap=True)
        for family in families:
            table.add_row(*self.row(family, layout))
        return table

    def row(self, family: Sequence[Subject], layout: str) -> list[Text]:
        """Returns the cells of one variable, or of one family that fared alike."""
        subject = family[0]
        name, spec = subject.path, f"{subject.dtype}[{', '.join(map(str, subject.shape))}]"
        if len(family) > 1:
            name, spec = subject.path.partition("/")[0] + "/*", _many(len(family), "variable")
        bits = Text(subject.bits if self.plain else subject.bits.replace("1", "●").replace("0", "·"))
        gradient = Text(subject.gradient, _COLOURS.get(subject.gradient, "red"))
        if subject.cut is not None:
            gradient.append(("\n" if layout == "double" else " ") + self.names.short(subject.cut), "dim")
        writers = [_together([member.writers[key] for member in family]) for key in subject.writers]
        by = Text("\n").join(Text.assemble(w.by, " ", (self.names.short(w.site), "dim")) for w in writers)
        times = Text("\n".join(str(w.times // len(family)) for w in writers))
        mean = Text("\n".join(_number(w.mean) for w in writers))
        total = Text("\n".join(_number(w.total) for w in writers))
        written = [by if writers else Text("-", "dim"), times, mean]
        created = self.names.short(subject.created) if len(family) == 1 else ""
        if layout != "full" and name in self.doubled:
            spec += f" {self.names.short(subject.created)}"
        if layout == "double":
            return [Text.assemble((name, "bold"), (f"\n{spec}", "dim")), bits, gradient, *written]
        if layout == "short":
            return [Text(name, "bold"), bits, gradient, *written]
        if layout in ("single", "tight"):
            return [Text(name, "bold"), Text(spec), bits, gradient, *written]
        return [Text(name, "bold"), Text(spec), Text(created), bits, gradient, *written, total]

    # -- the rest -------------------------------------------------------------------------------------------

    def barriers(self) -> list[RenderableType]:
        """Returns what each stop_gradient does."""
        if not self.report.barriers:
            return []
        grid = Table.grid(padding=(0, 2, 0, 0))
        for _ in range(3):
            grid.add_column()
        for barrier in self.report.barriers:
            blocked = Text("blocks " + ", ".join(barrier.blocks))
            if not barrier.blocks:
                blocked = Text("blocks nothing", "yellow")
            grid.add_row("stop_gradient", Text(self.names.short(barrier.site), "dim"), blocked)
        return [Text(), grid]

    def notes(self) -> list[RenderableType]:
        """Returns lines on variables that were frozen on the way, and on those that optimizers keep."""
        frozen: dict[int, list[str]] = {}
        kept: dict[str, int] = {}
        for subject in self.report.subjects:
            if subject.owner:
                kept[subject.owner] = kept.get(subject.owner, 0) + 1
            elif subject.gradient == "frozen" and subject.frozen_after is not None:
                frozen.setdefault(subject.frozen_after, []).append(subject.path)
        lines = [f"Frozen after step {step}: {', '.join(paths)}." for step, paths in frozen.items()]
        if kept and not self.all_variables:
            listed = ", ".join(f"{_many(count, 'variable')} of {owner}" for owner, count in kept.items())
            lines.append(f"Not listed: {listed}, for its own use (--all lists them).")
        return [Text(), *(Text(line, "dim") for line in lines)] if lines else []

    def verdict(self) -> RenderableType:
        """Returns the last line."""
        report = self.report
        if report.error is not None:
            return Text("The script failed.", "bold red")
        if report.findings:
            return Text(f"{_many(len(report.findings), 'finding')}.", "bold yellow")
        return Text("Nothing to say.", "bold green")


def _knows_little(console: Console) -> bool:
    """Returns whether a console has letters only."""
    return not console.encoding.lower().startswith("utf")


def _indented(content: RenderableType, style: str = "", indent: int = 2) -> RenderableType:
    return Padding(
        Text(content, style) if isinstance(content, str) else content, (0, 0, 0, indent), expand=False
    )


def _many(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "?"


def _together(writers: Sequence[Writer]) -> Writer:
    first = writers[0]
    times, total = sum(one.times for one in writers), sum(one.total for one in writers)
    return Writer(first.by, first.site, first.terms, times, total)


def _families(subjects: Sequence[Subject], all_variables: bool) -> list[list[Subject]]:
    """Groups variables: many of one family (`encoder/...`) that fared alike are together, others alone."""
    fates: dict[object, list[Subject]] = {}
    for subject in subjects:
        family, slash, _ = subject.path.partition("/")
        writers = tuple((key, writer.times) for key, writer in subject.writers.items())
        fate: object = (family, subject.bits, subject.gradient, subject.cut, writers)
        fates.setdefault(subject.order if all_variables or not slash else fate, []).append(subject)
    groups = []
    for members in fates.values():
        groups += [members] if len(members) >= ALIKE else [[one] for one in members]
    return sorted(groups, key=lambda group: group[0].order)
