"""A report as text for a terminal: errors, findings, then a row for each variable."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TextIO

from penstock.errors import NoGradientsError
from penstock.flow.explanation import Explanation, path_rows
from penstock.flow.report import sizes, terminal
from penstock.flow.report.data import Names
from penstock.flow.report.groups import Row, called, rows
from penstock.flow.report.moved import amount, moved, verdict
from penstock.flow.report.sentences import (
    command,
    fate_of,
    listing,
    many,
    reading,
    remarks,
    whole,
    without_it,
)
from penstock.flow.report_model import Finding, Report, Subject
from penstock.flow.source import line_at, user_frames
from penstock.streams import streams_kept
from penstock.trace.source_site import Site

with streams_kept():
    from rich.console import Console, Group, RenderableType
    from rich.measure import Measurement
    from rich.padding import Padding
    from rich.rule import Rule
    from rich.table import Table
    from rich.text import Text

SHARES = 3
"""For how many layers a line gives the part of their gradient that a term contributes."""
FEW = 8
"""More rows than this are shown without shapes rather than on two lines each, where the width is short."""
STEPS = 8
"""A path of more steps than this is shown without its middle."""
ROWS = 40
"""How many rows of a longer table are shown, those with problems first; the others are counted."""
FINDINGS = 20
"""How many findings are shown in full; the others are counted."""
LINES = 12
"""How many terms, and how many barriers, are shown; the others are counted."""
NARROW = 60
"""On a narrower terminal the columns of a table become separate lines."""
NARROWEST = 16
"""The shortest line when names of variables are broken."""

_BLANKS = re.compile(r"[ \t]+((?:\x1b\[[0-9;]*m)*)$", re.MULTILINE)

_COLOURS = {"flows": "green", "zero": "yellow", "frozen": "cyan", "unused": "yellow", "dead_end": "yellow"}
_SEVERITIES = {"error": "red", "warning": "yellow", "note": "cyan"}
_LEGEND = "T trainable   R {read}   G gradient   O in an optimizer   W written"


def show(report: Report, stream: TextIO, all_variables: bool = False, width: int | None = None) -> None:
    """Writes a report to a stream, as wide as the terminal or `width`."""
    console = terminal.console(stream, width)
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
        self.wide = 1000
        self.plain = _knows_little(console)
        self.narrow = console.width < NARROW

    def render(self) -> RenderableType:
        """Returns the whole page."""
        report = self.report
        parts: list[RenderableType] = [Text(), self.title()]
        if report.error is not None:
            parts += [Text(), self.failure(report.error)]
        # The step that an optimizer refused is at the top already, as the script's error.
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
        script = "standard input" if report.script.endswith("<stdin>") else report.script
        title = Text.assemble((f"{command(report)} ", "dim"), (script, "bold"))
        rule = Rule(title, align="left", style="dim", characters="-" if self.plain else "─")
        return Group(rule, Text(counts, "dim"))

    # -- what went wrong ------------------------------------------------------------------------------------

    def failure(self, error: BaseException) -> RenderableType:
        """Returns the script's error, and its place in the user's code."""
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
        """Returns one finding: its code, the problem, the path, what to type."""
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
        """Returns the table of variables, in the most informative form that fits the width."""
        families = _most_telling(rows(subjects, self.all_variables))
        counts = Counter(family.name for family in families)
        self.doubled = {name for name, count in counts.items() if count > 1}
        unbounded = self.console.options.update(max_width=1000)
        layouts = ["full", "single", "tight"] + (["short"] if len(families) > FEW else [])
        for layout in layouts:
            table = self.table(families, layout)
            if Measurement.get(self.console, unbounded, table).maximum <= self.console.width:
                return table
        table = self.table(families, "double")
        over = Measurement.get(self.console, unbounded, table).maximum - self.console.width
        if over > 0 and self.narrow:
            return self.blocks(families)
        if over > 0:
            longest = max(max(len(one.name), len(one.spec)) for one in families)
            self.wide = max(NARROWEST, longest - over)
            table = self.table(families, "double")
            if Measurement.get(self.console, unbounded, table).maximum > self.console.width:
                return self.blocks(families)
        return table

    def blocks(self, families: Sequence[Row]) -> RenderableType:
        """Returns a few lines for each variable, if the terminal is too narrow for a table."""
        parts: list[RenderableType] = []
        for family in families:
            bits, gradient, *_ = self.row(family, "short")[1:]
            parts.append(Text(family.name, "bold", overflow="fold"))
            parts.append(_indented(Text(family.spec, "dim")))
            parts.append(_indented(Text.assemble(bits, "  ", gradient)))
            for writer in family.writers:
                said = Text.assemble(writer.by, " ", (self.names.short(writer.site), "dim"))
                said.append(f", {writer.said(writer.times // len(family.members))} times")
                said.append(f", {'mean change' if self.plain else 'mean |Δ|'} {_number(writer.mean)}")
                parts.append(_indented(said))
        return Group(*parts)

    def table(self, families: Sequence[Row], layout: str) -> Table:
        """Returns the table in one of its forms: "full", "single", "tight", "short", or of "double" lines."""
        padding = 1 if layout == "tight" else 2
        table = Table(box=None, padding=(0, padding, 0, 0), header_style="dim", pad_edge=False)
        lines = layout != "double"
        table.add_column("variable", overflow="fold", no_wrap=True)
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

    def row(self, family: Row, layout: str) -> list[Text]:
        """Returns the cells of one variable, or of a group with the same result."""
        subject, name, spec, writers = family.first, family.name, family.spec, family.writers
        bits = Text(subject.bits if self.plain else subject.bits.replace("1", "●").replace("0", "·"))
        gradient = Text(subject.gradient, _COLOURS.get(subject.gradient, "red"))
        if subject.cut is not None:
            gradient.append(("\n" if layout == "double" else " ") + self.names.short(subject.cut), "dim")
        by = Text("\n").join(Text.assemble(w.by, " ", (self.names.short(w.site), "dim")) for w in writers)
        times = Text("\n".join(w.said(w.times // len(family.members)) for w in writers))
        mean = Text("\n".join(_number(w.mean) for w in writers))
        total = Text("\n".join(_number(w.total) for w in writers))
        written = [by if writers else Text("-", "dim"), times, mean]
        created = self.names.short(subject.created) if family.alone or name in self.doubled else ""
        if layout != "full" and name in self.doubled:
            spec += f" {self.names.short(subject.created)}"
        if layout == "double":
            lines = [Text(line, "bold") for line in broken(name, self.wide)]
            lines += [Text(line, "dim") for line in broken(spec, self.wide)]
            return [Text("\n").join(lines), bits, gradient, *written]
        if layout == "short":
            return [Text(name, "bold"), bits, gradient, *written]
        if layout in ("single", "tight"):
            return [Text(name, "bold"), Text(spec), bits, gradient, *written]
        return [Text(name, "bold"), Text(spec), Text(created), bits, gradient, *written, total]

    def moved(self, subjects: Sequence[Subject]) -> list[RenderableType]:
        """Returns how far each cause has moved each variable, and the result of replaying the writes."""
        conservation = self.report.conservation
        if conservation is None:
            return []
        moving = [row for row in rows(subjects, self.all_variables) if any(one.split for one in row.writers)]
        families = _most_telling(moving)
        causes, _ = moved(subjects)
        said = Text(verdict(conservation), "dim" if conservation.holds else "bold red")
        if not causes:
            return [Text(), said]
        note = Text("Mean norms of the changes by each cause; the changes add up as vectors do.", "dim")
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
        if self.narrow:
            columns = sizes.COLUMNS if not self.plain else sizes.PLAIN
            parts: list[RenderableType] = [Text(), Text("sizes", "dim")]
            for row in rows[:LINES]:
                names = listing(called([one.path for one in row.subjects], self.report.subjects))
                values = zip(columns, sizes.cells(row), strict=True)
                said = ", ".join(f"{column.strip()} {value}" for column, value in values)
                parts += [Text(names), _indented(said)]
            return [*parts, *self._rest(len(rows), "more layer")]
        grid = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
        grid.add_column("sizes", overflow="fold")
        for name in sizes.COLUMNS if not self.plain else sizes.PLAIN:
            grid.add_column(name, justify="right", no_wrap=True)
        for row in rows[:LINES]:
            names = listing(called([one.path for one in row.subjects], self.report.subjects))
            grid.add_row(names, *sizes.cells(row))
        return [Text(), grid, *self._rest(len(rows), "more layer")]

    def movements(self, families: Sequence[Row], causes: Sequence[str], full: bool) -> Table:
        """Returns a row for each writer of each family, named by its line alone unless it is `full`."""
        table = Table(box=None, padding=(0, 2 if full else 1, 0, 0), header_style="dim", pad_edge=False)
        table.add_column("variable" if full else "moved", overflow="fold")
        table.add_column("moved by" if full else "by", style="dim", no_wrap=True)
        for cause in causes:
            table.add_column(cause, justify="right", no_wrap=True)
        for family in families:
            name = family.name
            for writer in family.writers:
                if writer.split:
                    where = self.names.short(writer.site)
                    by = f"{writer.by} {where}" if full else where or writer.by
                    amounts = [amount(writer.means, cause) for cause in causes]
                    table.add_row(Text(name, "bold"), by, *amounts)
                    name = ""
        return table

    # -- the rest -------------------------------------------------------------------------------------------

    def terms(self) -> list[RenderableType]:
        """Returns the variables that each term of a sum trains; a loss of one term has its rows above."""
        terms = self.report.terms
        if all(term.alone and term.word in ("", "frozen") for term in terms):
            return []
        grid = self.lines(wraps=False)
        for term in terms[:LINES]:
            idle = not term.reaches or term.weight == 0.0
            fate = Text(fate_of(term, self.report.subjects, self.names), "yellow" if idle else "")
            if not idle and (share := sizes.share_said(term, terms)) is not None:
                fate.append(share, "dim")
            shares = sizes.by_group(term, terms, self.report.subjects)
            if shares and term.weight:
                most = [f"{sizes.percent(share)} of {name}" for name, share in shares[:SHARES]]
                fate.append("; gradients: " + ", ".join(most), "dim")
            name = term.name if len(term.name) <= WIDEST else term.name[: WIDEST - 1] + "…"
            grid.add_row(f"term {name}", Text(self.names.short(term.site), "dim"), fate)
        return [Text(), grid, *self._rest(len(terms), "more term")]

    def lines(self, wraps: bool = True) -> Lines:
        """Returns a table of lines: a name, the place, and a description."""
        return Lines(wraps, self.narrow)

    def _rest(self, count: int, noun: str) -> list[RenderableType]:
        return [Text(f"{many(count - LINES, noun)}.", "dim")] if count > LINES else []

    def barriers(self) -> list[RenderableType]:
        """Returns what each stop_gradient does, and what would change without it."""
        barriers = self.report.barriers
        if not barriers:
            return []
        grid = self.lines()
        for barrier in barriers[:LINES]:
            blocks = listing(called(barrier.blocks, self.report.subjects))
            said = Text(f"blocks {blocks}") if blocks else _NOTHING.copy()
            if blocks:
                said.append(f"; {without_it(barrier, self.report.subjects)}", "dim")
            grid.add_row(barrier.words.barrier, Text(self.names.short(barrier.site), "dim"), said)
        return [Text(), grid, *self._rest(len(barriers), "more barrier")]

    def skipped(self) -> list[RenderableType]:
        """Returns the skipped updates; a line without any other update is a finding already."""
        lines = [one for one in self.report.skipped if not one.always]
        if not lines:
            return []
        grid = self.lines()
        for one in lines[:LINES]:
            said = Text(self.names.shorten(one.said))
            grid.add_row("left out", Text(self.names.short(one.site), "dim"), said)
        return [Text(), grid, *self._rest(len(lines), "more line")]

    def clipped(self) -> list[RenderableType]:
        """Returns how often each line has clipped gradients."""
        grid = self.lines()
        for one in self.report.clips[:LINES]:
            said = f"{one.by} changed gradients in {one.active} of the {many(one.times, 'step')} measured"
            grid.add_row("clipping", Text(self.names.short(one.site), "dim"), said)
        return [Text(), grid, *self._rest(len(self.report.clips), "more line")] if self.report.clips else []

    def notes(self) -> list[RenderableType]:
        """Returns lines on variables that were frozen during the run, and on optimizers' state."""
        shown = self.report.subjects if self.all_variables else self.report.variables
        lines = remarks(self.report, shown, self.all_variables, self.names)
        families = rows(shown, self.all_variables)
        if len(families) > ROWS:
            hidden = len(shown) - sum(len(one.members) for one in _most_telling(families))
            lines.insert(0, f"Not shown: {many(hidden, 'more variable')} (--format json has all of them).")
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
        return Text(f"No problems, {said[0]}." if said else "No problems found.", "bold green")


class Lines:
    """Rows of three cells: next to each other, or, on a narrow terminal, the last below the others."""

    def __init__(self, wraps: bool, narrow: bool) -> None:
        self.narrow = narrow
        self.grid = Table.grid(padding=(0, 2, 0, 0))
        self.parts: list[RenderableType] = []
        for always in (False, False, True):
            self.grid.add_column(overflow="fold", no_wrap=not (wraps or always))

    def add_row(self, what: str, where: Text, said: Text | str) -> None:
        """Adds a row."""
        if self.narrow:
            self.parts += [Text.assemble(what, "  ", where), _indented(said)]
        else:
            self.grid.add_row(what, where, said)

    def __rich__(self) -> RenderableType:
        return Group(*self.parts) if self.narrow else self.grid


def _knows_little(console: Console) -> bool:
    """Returns whether a console is limited to plain characters."""
    return not console.encoding.lower().startswith("utf")


def broken(text: str, width: int) -> list[str]:
    """Returns a name in lines of at most this many letters, broken between its parts.

    >>> broken("net.layer2..3.0.downsample.*.weight", 24)
    ['net.layer2..3.0.', '  downsample.*.weight']
    """
    lines = [""]
    for piece in re.split(r"(?<=[/, ])|(?<=[^.]\.)(?!\.)", text):
        if lines[-1].strip() and len(lines[-1] + piece.rstrip()) > width:
            lines.append("  ")
        while len(lines[-1] + piece.rstrip()) > width:
            room = width - len(lines[-1])
            lines[-1:] = [lines[-1] + piece[:room], "  "]
            piece = piece[room:]
        lines[-1] += piece
    return [line.rstrip() for line in lines]


_NOTHING = Text("blocks nothing", "yellow")
WIDEST = 32
"""The most letters of a term's name."""


def _most_telling(families: Sequence[Row]) -> list[Row]:
    """Returns the rows to show of a long table: those with problems, then the first ones."""
    if len(families) <= ROWS:
        return list(families)
    ill = [one for one in families if one.first.gradient not in ("flows", "frozen")]
    chosen = {id(one) for one in [*ill, *families][:ROWS]}
    return [one for one in families if id(one) in chosen]


def _indented(content: RenderableType, style: str = "", indent: int = 2) -> RenderableType:
    return Padding(
        Text(content, style) if isinstance(content, str) else content, (0, 0, 0, indent), expand=False
    )


def _number(value: float) -> str:
    return f"{value:.3g}" if math.isfinite(value) else "?"
