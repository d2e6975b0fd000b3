"""A report as text for a terminal: what went wrong, what was found, then a row for each variable."""

from __future__ import annotations

import math
import re
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
from penstock.flow.report import sizes
from penstock.flow.report.data import Names
from penstock.flow.report.groups import patterns
from penstock.flow.report.moved import amount, moved, verdict
from penstock.flow.seen import Barrier, Finding, Report, Subject, Writer
from penstock.flow.source import line_at, user_frames
from penstock.flow.words import NATIVE
from penstock.trace.site import Site

ALIKE = 6
"""So many variables of one family that fared alike are shown as one row."""
FEW = 8
"""More rows than this are shown without shapes rather than on two lines each, where the width is short."""
STEPS = 8
"""A path of more steps than this is shown without its middle."""
ROWS = 40
"""Of a longer table so many rows are shown, what fared ill first of all; the others are counted."""
FINDINGS = 20
"""So many findings are shown in full; the others are counted."""
LINES = 12
"""So many terms, and so many barriers, are shown; the others are counted."""
NAMES = 4
"""So many variables of one term or barrier are named; the others are counted."""

_BLANKS = re.compile(r"[ \t]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)

_COLOURS = {"flows": "green", "zero": "yellow", "frozen": "cyan", "unused": "yellow", "dead_end": "yellow"}
_SEVERITIES = {"error": "red", "warning": "yellow", "note": "cyan"}
_LEGEND = "T trainable   R {read}   G gradient   O in an optimizer   W written"


def show(report: Report, stream: TextIO, all_variables: bool = False, width: int | None = None) -> None:
    """Writes a report to a stream, as wide as the terminal or `width`."""
    console = Console(file=stream, width=width, highlight=False)
    with console.capture() as capture:
        console.print(Page(report, console, all_variables).render())
    text = _BLANKS.sub(r"\1", capture.get())
    if _knows_little(console):
        text = text.replace("…", "...")
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
        # The step that an optimizer has refused stands at the top already, as what the script failed with.
        findings = [one for one in report.findings if one.code != "PS102" or report.error is None]
        for finding in findings[:FINDINGS]:
            parts += [Text(), self.finding(finding)]
        if len(findings) > FINDINGS:
            more = many(len(findings) - FINDINGS, "more finding")
            parts += [Text(), Text(f"{more}: --format json has all of them.", "dim")]
        subjects = report.subjects if self.all_variables else report.variables
        if subjects:
            parts += [
                Text(),
                self.variables(subjects),
                Text(),
                Text(_LEGEND.format(read=reading(subjects)), "dim"),
            ]
        return Group(
            *parts,
            *self.moved(subjects),
            *self.sizes(),
            *self.terms(),
            *self.barriers(),
            *self.skipped(),
            *self.clipped(),
            *self.notes(),
            Text(),
            self.verdict(),
        )

    def title(self) -> RenderableType:
        """Returns the lines at the top."""
        report = self.report
        counts = f"{many(report.steps, 'step')}, {many(len(report.variables), 'variable')}"
        counts += ", stopped there" if report.stopped else ""
        title = Text.assemble((f"{command(report)} ", "dim"), (report.script, "bold"))
        rule = Rule(title, align="left", style="dim", characters="-" if self.plain else "─")
        return Group(rule, Text(counts, "dim"))

    # -- what went wrong ------------------------------------------------------------------------------------

    def failure(self, error: BaseException) -> RenderableType:
        """Returns what the script failed with, and where in the user's code."""
        report, steps = self.report, self.report.steps
        after = f"after {many(steps, 'step')}" if steps else "before its first step was over"
        parts: list[RenderableType] = [Text(f"The {whole(report)} failed {after}.", "bold red")]
        for frame in user_frames(error)[-3:]:
            parts.append(Text.assemble("  ", (f"{self.names.short(frame)}, in {frame.function}", "dim")))
            if source := line_at(frame):
                parts.append(_indented(source, indent=4))
        if isinstance(error, SyntaxError):
            where = Site(error.filename or "", error.lineno or 0, "")
            cell = self.names.short(where) if self.names.parts(where)[1] else f"line {error.lineno}"
            parts.append(Text(f"  {cell}", "dim"))
        lines = self.names.shorten(str(error)).splitlines() or [""]
        if isinstance(error, NoGradientsError):
            # The reasons follow as findings.
            lines = lines[:1]
        head = Text.assemble((type(error).__name__, "red"), ": " if lines[0] else "", lines[0])
        parts.append(_indented(Text("\n").join([head, *map(Text, lines[1:])])))
        return Group(*parts)

    def finding(self, finding: Finding) -> RenderableType:
        """Returns one finding: its code, what is the matter, the path, what to type."""
        colour = _SEVERITIES[finding.severity]
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
        families = _most_telling(_families(subjects, self.all_variables))
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
            name, spec = subject.path.partition("/")[0] + "/*", many(len(family), "variable")
        bits = Text(subject.bits if self.plain else subject.bits.replace("1", "●").replace("0", "·"))
        gradient = Text(subject.gradient, _COLOURS.get(subject.gradient, "red"))
        if subject.cut is not None:
            gradient.append(("\n" if layout == "double" else " ") + self.names.short(subject.cut), "dim")
        writers = [_together([member.writers[key] for member in family]) for key in subject.writers]
        by = Text("\n").join(Text.assemble(w.by, " ", (self.names.short(w.site), "dim")) for w in writers)
        times = Text("\n".join(w.said(w.times // len(family)) for w in writers))
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

    def moved(self, subjects: Sequence[Subject]) -> list[RenderableType]:
        """Returns how much each cause has moved each variable, and what came of replaying the writes."""
        conservation = self.report.conservation
        if conservation is None:
            return []
        families = _most_telling(_families(subjects, self.all_variables))
        causes, _ = moved(subjects)
        said = Text(verdict(conservation), "dim" if conservation.holds else "bold red")
        if not causes:
            return [Text(), said]
        note = Text("Mean norms of what each cause has added, which add up as vectors do.", "dim")
        table = self.movements(families, causes, True)
        unbounded = self.console.options.update(max_width=1000)
        if Measurement.get(self.console, unbounded, table).maximum > self.console.width:
            table = self.movements(families, [one for one in causes if one != "rounding"], False)
        return [Text(), table, Text(), note, said]

    def sizes(self) -> list[RenderableType]:
        """Returns how large values, gradients and changes were, by layer."""
        rows = sizes.rows(self.report.sizes)
        if not rows:
            return []
        grid = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
        grid.add_column("sizes", overflow="fold")
        for name in sizes.COLUMNS if not self.plain else sizes.PLAIN:
            grid.add_column(name, justify="right", no_wrap=True)
        for row in rows[:LINES]:
            names = _named(patterns(row.subjects, self.report.subjects))
            grid.add_row(names, *sizes.cells(row))
        return [Text(), grid, *self._rest(len(rows), "more layer")]

    def movements(self, families: Sequence[Sequence[Subject]], causes: Sequence[str], full: bool) -> Table:
        """Returns a row for each writer of each family, named by its line alone unless it is `full`."""
        table = Table(box=None, padding=(0, 2 if full else 1, 0, 0), header_style="dim", pad_edge=False)
        table.add_column("variable" if full else "moved", overflow="fold")
        table.add_column("moved by" if full else "by", style="dim", no_wrap=True)
        for cause in causes:
            table.add_column(cause, justify="right", no_wrap=True)
        for family in families:
            name = family[0].path if len(family) == 1 else family[0].path.partition("/")[0] + "/*"
            for key in family[0].writers:
                writer = _together([member.writers[key] for member in family])
                if writer.split:
                    where = self.names.short(writer.site)
                    by = f"{writer.by} {where}" if full else where or writer.by
                    amounts = [amount(writer.means, cause) for cause in causes]
                    table.add_row(Text(name, "bold"), by, *amounts)
                    name = ""
        return table

    # -- the rest -------------------------------------------------------------------------------------------

    def terms(self) -> list[RenderableType]:
        """Returns what each term of a sum trains; a loss that is one term has its rows above."""
        terms = self.report.terms
        if all(term.alone and term.word in ("", "frozen") for term in terms):
            return []
        grid = Table.grid(padding=(0, 2, 0, 0))
        for _ in range(3):
            grid.add_column(overflow="fold")
        for term in terms[:LINES]:
            parts = [f"trains {self._some(term.reaches)}" if term.reaches else ""]
            parts.append(f"leaves {self._some(term.unasked)} unasked" if term.unasked else "")
            where = f" {self.names.short(term.cut)}" if term.cut is not None else ""
            parts.append(f"{self._some(term.blocked)} {term.word}{where}" if term.blocked else "")
            said = ", ".join(filter(None, parts))
            fate = Text(said) if term.reaches else Text(f"trains nothing: {said}", "yellow")
            if term.weight == 0.0:
                fate = Text("trains nothing: its weight is 0", "yellow")
            elif (share := sizes.share_said(term, terms)) is not None:
                fate.append(share, "dim")
            shares = sizes.by_group(term, terms, self.report.subjects)
            if shares and term.weight:
                most = [f"{sizes.percent(share)} of {name}" for name, share in shares[:NAMES]]
                fate.append("; gradients: " + ", ".join(most), "dim")
            name = term.name if len(term.name) <= WIDEST else term.name[: WIDEST - 1] + "…"
            grid.add_row(f"term {name}", Text(self.names.short(term.site), "dim"), fate)
        return [Text(), grid, *self._rest(len(terms), "more term")]

    def _some(self, subjects: Sequence[Subject]) -> str:
        return _named(patterns(subjects, self.report.subjects))

    def _rest(self, count: int, noun: str) -> list[RenderableType]:
        return [Text(f"{many(count - LINES, noun)}.", "dim")] if count > LINES else []

    def barriers(self) -> list[RenderableType]:
        """Returns what each stop_gradient does, and what would change without it."""
        barriers = self.report.barriers
        if not barriers:
            return []
        grid = Table.grid(padding=(0, 2, 0, 0))
        for _ in range(3):
            grid.add_column(overflow="fold")
        for barrier in barriers[:LINES]:
            said = Text(f"blocks {_named(barrier.blocks)}") if barrier.blocks else _NOTHING.copy()
            if barrier.blocks:
                said.append(f"; {without_it(barrier)}", "dim")
            grid.add_row(barrier.words.barrier, Text(self.names.short(barrier.site), "dim"), said)
        return [Text(), grid, *self._rest(len(barriers), "more barrier")]

    def skipped(self) -> list[RenderableType]:
        """Returns which updates were left out; a line without any other is a finding already."""
        lines = [one for one in self.report.skipped if not one.always]
        if not lines:
            return []
        grid = Table.grid(padding=(0, 2, 0, 0))
        for _ in range(3):
            grid.add_column(overflow="fold")
        for one in lines[:LINES]:
            said = Text(self.names.shorten(one.said))
            grid.add_row("left out", Text(self.names.short(one.site), "dim"), said)
        return [Text(), grid, *self._rest(len(lines), "more line")]

    def clipped(self) -> list[RenderableType]:
        """Returns how often each line has clipped gradients."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        for _ in range(3):
            grid.add_column(overflow="fold")
        for one in self.report.clips[:LINES]:
            said = f"{one.by} changed gradients in {one.active} of the {many(one.times, 'step')} measured"
            grid.add_row("clipping", Text(self.names.short(one.site), "dim"), said)
        return [Text(), grid, *self._rest(len(self.report.clips), "more line")] if self.report.clips else []

    def notes(self) -> list[RenderableType]:
        """Returns lines on variables that were frozen on the way, and on those that optimizers keep."""
        frozen: dict[int, list[str]] = {}
        kept: dict[str, int] = {}
        for subject in self.report.subjects:
            if subject.owner:
                kept[subject.owner] = kept.get(subject.owner, 0) + 1
            elif subject.gradient == "frozen" and subject.frozen_after is not None:
                frozen.setdefault(subject.frozen_after, []).append(subject.path)
        lines = [
            f"{one.subject.path}: {one.rows} of {one.of} rows were never read." for one in self.report.unread
        ] + [
            f"Frozen {f'after step {step}' if step else 'before the first step'}: {_named(paths)}."
            for step, paths in frozen.items()
        ]
        shown = self.report.subjects if self.all_variables else self.report.variables
        families = _families(shown, self.all_variables)
        if len(families) > ROWS:
            hidden = sum(map(len, families)) - sum(map(len, _most_telling(families)))
            lines.append(f"Not shown: {many(hidden, 'more variable')} (--format json has all of them).")
        if self.report.passed_over:
            paths = f"{self.report.passed_over} of {many(self.report.paths, 'path')}"
            lines.append(f"Not looked into: {paths} through the steps, for their number. Writes are counted.")
        if kept and not self.all_variables:
            listed = ", ".join(f"{many(count, 'variable')} of {owner}" for owner, count in kept.items())
            lines.append(f"Not listed: {listed}, for its own use (--all lists them).")
        if before := [one.path for one in shown if not one.created.line]:
            lines.append(f"It is not known which lines made {_named(before)}.")
        lines += map(self.names.shorten, self.report.remarks)
        return [Text(), *(Text(line, "dim") for line in lines)] if lines else []

    def verdict(self) -> RenderableType:
        """Returns the last line."""
        report = self.report
        if report.error is not None:
            return Text(f"The {whole(report)} failed.", "bold red")
        counts = dict.fromkeys(_SEVERITIES, 0)
        for finding in report.findings:
            counts[finding.severity] += 1
        said = [many(count, severity) for severity, count in counts.items() if count]
        if report.status:
            return Text(f"{', '.join(said)}.", "bold yellow")
        return Text(f"Nothing to mend, {said[0]}." if said else "Nothing to say.", "bold green")


def reading(subjects: Sequence[Subject]) -> str:
    """Says what counts as a read: not every framework has tapes that a program opens."""
    said = {one.words.reading: None for one in subjects}
    return next(iter(said)) if len(said) == 1 else NATIVE.reading


def whole(report: Report) -> str:
    """Returns what to call what was run."""
    return "block" if report.block else "script"


def command(report: Report) -> str:
    """Returns what has made a report."""
    return "penstock watch" if report.block else "penstock check"


def _knows_little(console: Console) -> bool:
    """Returns whether a console has letters only."""
    return not console.encoding.lower().startswith("utf")


_NOTHING = Text("blocks nothing", "yellow")
WIDEST = 32
"""The name of a term is cut to so many letters."""


def _named(names: Sequence[str]) -> str:
    """Returns names for a line: the first few, and how many more there are."""
    more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
    return ", ".join(names[:NAMES]) + more


def without_it(barrier: Barrier) -> str:
    """Says what would be different without a barrier."""
    if barrier.restores:
        return f"without it {_named(barrier.restores)} would have a gradient"
    if barrier.changes:
        return f"without it the gradient of {_named(barrier.changes)} would be another one"
    if barrier.behind_another:
        return "no gradient arrives at it: another cut stands before it"
    return "no gradient is asked for there, so nothing would change without it"


def _most_telling(families: Sequence[list[Subject]]) -> list[list[Subject]]:
    """Returns the rows that are shown of a long table: what fared ill, then what comes first."""
    if len(families) <= ROWS:
        return list(families)
    ill = [one for one in families if one[0].gradient not in ("flows", "frozen")]
    chosen = {id(one) for one in [*ill, *families][:ROWS]}
    return [one for one in families if id(one) in chosen]


def _indented(content: RenderableType, style: str = "", indent: int = 2) -> RenderableType:
    return Padding(
        Text(content, style) if isinstance(content, str) else content, (0, 0, 0, indent), expand=False
    )


def many(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "?"


def _together(writers: Sequence[Writer]) -> Writer:
    first = writers[0]
    times, measured = sum(one.times for one in writers), sum(one.measured for one in writers)
    parts = {cause: sum(one.parts.get(cause, 0.0) for one in writers) for cause in first.parts}
    split = sum(one.split for one in writers)
    total = sum(one.sum for one in writers)
    return Writer(
        first.by, first.site, first.terms, times, total, measured, first.kind, parts=parts, split=split,
        least=first.least,
    )  # fmt: skip


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
