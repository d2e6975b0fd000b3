"""A report as one page for a browser: everything is in the file, nothing is loaded from anywhere."""

from __future__ import annotations

import linecache
import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from penstock.flow.causes import MEANINGS
from penstock.flow.explanation import Explanation, path_rows
from penstock.flow.report import sizes
from penstock.flow.report.data import Names, same_file
from penstock.flow.report.groups import Row, called, rows
from penstock.flow.report.moved import amount, moved, verdict
from penstock.flow.report.picture import picture
from penstock.flow.report.sentences import (
    command,
    fate_of,
    many,
    reading,
    remarks,
    whole,
    without_it,
)
from penstock.flow.report_model import Barrier, Finding, Report, Term, Writer
from penstock.flow.source import user_frames
from penstock.trace.source_site import Site

AROUND = 2
"""How many lines are shown above and below a line of interest."""
LONGEST = 600
"""A script of more lines than this is not printed on the page."""
ROWS = 300
"""The most rows of a table of variables; the others are counted."""
FEW = 12
"""A page with fewer entries than this has no search field."""
MEMBERS = 5_000
"""How many variables the groups of one table list; the others are counted."""

_LETTERS = "TRGOW"
_BITS = ("trainable", "read in a tape", "gradient", "in an optimizer", "written")


def as_page(report: Report) -> str:
    """Returns the page as the text of an HTML file."""
    return Sheet(report).render()


class Sheet:
    """One report on its way to a page."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.names = Names(report.script)
        self.listed = 0

    def render(self) -> str:
        """Returns the whole page."""
        report = self.report
        here = Path(__file__).parent
        style = (here / "page.css").read_text(encoding="utf-8")
        # The step that an optimizer refused is at the top already, as the script's error.
        told = [one for one in report.findings if one.code != "PS102" or report.error is None]
        parts = [self.head(), self.failure(), *map(self.finding, told)]
        parts += [
            self.flow(),
            self.variables(),
            self.moved(),
            sizes.as_html(report),
            self.barriers(),
            self.skipped(),
            self.source(),
        ]
        script = ""
        if any("<tbody class=group>" in part or "<input id=find" in part for part in parts):
            script = f"<script>\n{(here / 'page.js').read_text(encoding='utf-8')}</script>\n"
        title = escape(f"{command(report)} {report.script}")
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{title}</title>\n<style>\n{style}</style></head>\n<body>\n"
            + "\n".join(part for part in parts if part)
            + "\n<footer>Each code and each word has a page in the manual: "
            "<code>penstock explain PS106</code>, <code>penstock explain stopped</code>.</footer>\n"
            f"{script}</body></html>\n"
        )

    def head(self) -> str:
        """Returns the title, and the result in one line."""
        report = self.report
        chips = [_chip(many(report.steps, "step")), _chip(many(len(report.variables), "variable"))]
        if report.stopped:
            chips.append(_chip("stopped there"))
        if report.error is not None:
            chips.append(_chip(f"the {whole(report)} failed", "error"))
        for severity in ("error", "warning", "note"):
            count = sum(one.severity == severity for one in report.findings)
            if count:
                chips.append(_chip(many(count, severity), severity))
        if not report.findings and report.error is None:
            chips.append(_chip("no problems", "good"))
        title = f"<h1>{command(report)} <code>{escape(report.script)}</code></h1>"
        return f"<header>{title}<p>{''.join(chips)}</p></header>{self.search()}"

    def search(self) -> str:
        """Returns the field that filters findings and variables, if there are many."""
        if len(self.report.variables) + len(self.report.findings) < FEW:
            return ""
        return (
            '<p class=search><input id=find type=search placeholder="Find a variable, a line, a word" '
            'aria-label="Find a variable, a line, a word"> <span id=found class=dim></span></p>'
        )

    # -- what went wrong --------------------------------------------------------------------------------

    def failure(self) -> str:
        """Returns the script's error."""
        error = self.report.error
        if error is None:
            return ""
        frames = user_frames(error)
        text = escape(self.names.shorten(str(error)))
        code = self.lines(frames[-1:], []) if frames else ""
        return (
            f'<article class="error"><h3>{escape(type(error).__name__)}'
            f"<span class=dim>{escape(self.names.short(frames[-1]) if frames else '')}</span></h3>"
            f"{code}<pre>{text}</pre></article>"
        )

    def finding(self, finding: Finding) -> str:
        """Returns one finding: the problem, the lines, the path, what to type."""
        sites = [site for site in (finding.site,) if site is not None]
        causes = [site for site in (finding.cause,) if site is not None]
        return (
            f'<article class="{finding.severity}" id="{finding.code}"><h3>{finding.code} {finding.name}'
            f"{_chip(finding.severity, finding.severity)}<span class=dim>"
            f"{escape(self.names.short(finding.site))}</span></h3>"
            f"<p>{_marked(self.names.shorten(finding.message))}</p>"
            f"{self.lines(sites, causes)}{self.steps(finding.explanation)}"
            f'<p class="fix">{_marked(self.names.shorten(finding.fix))}</p></article>'
        )

    def steps(self, explanation: Explanation | None) -> str:
        """Returns the path of an explanation."""
        if explanation is None:
            return ""
        steps = [
            f"<tr><td class=path>{escape(what)}</td><td class=dim>{escape(self.names.short(site))}</td>"
            f"<td class=remark>{escape(self.names.shorten(note))}</td></tr>"
            for what, site, note in path_rows(explanation.path)
        ]
        notes = "".join(f"<p class=dim>{escape(self.names.shorten(one))}</p>" for one in explanation.notes)
        table = f'<table class="steps">{"".join(steps)}</table>' if steps else ""
        return table + notes

    def lines(self, sites: Sequence[Site], causes: Sequence[Site]) -> str:
        """Returns the source around some lines, those marked and the lines between left out."""
        files = dict.fromkeys(site.file for site in [*causes, *sites])
        parts = []
        for file in files:
            text = linecache.getlines(file)
            here = {site.line for site in sites if site.file == file}
            cause = {site.line for site in causes if site.file == file}
            shown = sorted(
                {
                    number
                    for line in here | cause
                    for number in range(line - AROUND, line + AROUND + 1)
                    if 1 <= number <= len(text)
                }
            )
            rows = []
            for before, number in zip([None, *shown], shown, strict=False):
                if before is not None and number > before + 1:
                    rows.append('<span class="line dim">   ⋯</span>')
                kind = "cause" if number in cause else "here" if number in here else ""
                rows.append(_line(number, text[number - 1], kind))
            if rows:
                parts.append(f'<pre class="source">{"".join(rows)}</pre>')
        return "".join(parts)

    # -- observations -----------------------------------------------------------------------------------

    def flow(self) -> str:
        """Returns the picture of the loss."""
        drawn = picture(self.report, self.names)
        said = "".join(map(self.term, self.report.terms)) if drawn else ""
        table = f"<table class=terms>{said}</table>"
        picture_of = f"<div class=picture>{drawn}</div>"
        return f"<h2>What each term of the loss trains</h2>{picture_of}{table}" if drawn else ""

    def term(self, term: Term) -> str:
        """Returns the picture of one term in words."""
        kind = "" if term.reaches else ' class="none"'
        said = escape(fate_of(term, self.report.subjects, self.names))
        where = escape(self.names.short(term.site))
        return f"<tr><td class=path>{escape(term.name)}<td class=line>{where}<td{kind}>{said}</tr>"

    def variables(self) -> str:
        """Returns the table of variables."""
        subjects = self.report.variables
        if not subjects:
            return ""
        letters = "".join(f"<span>{letter}</span>" for letter in _LETTERS)
        head = (
            f"<tr><th>variable<th>shape<th>created<th class=bits>{letters}<th>gradient<th>written by<th>times"
            "<th>causes<th class=bits>mean |Δ|</tr>"
        )
        shown = rows(subjects)
        body = "".join(map(self.row, shown[:ROWS]))
        more = sum(len(row.members) for row in shown[ROWS:])
        lines = [f"{more} more variables: --format json has all of them."] if more > 0 else []
        lines += remarks(self.report, subjects, False, self.names)
        rest = "".join(f"<p class=dim>{escape(line)}</p>" for line in lines)
        words = (_BITS[0], reading(subjects), *_BITS[2:])
        said = "".join(f"<li><b>{one}</b> {word}</li>" for one, word in zip(_LETTERS, words, strict=True))
        legend = f'<ul class=legend aria-label="What the five letters mean">{said}</ul>'
        table = f'<table class="variables cards"><thead>{head}</thead>{body}</table>'
        return f"<h2>Variables</h2>{legend}{table}{rest}"

    def row(self, row: Row) -> str:
        """Returns the row of one variable, or of a group, with a row below for each of its members."""
        subject, writers = row.first, row.writers
        states = [(letter, bit == "1") for letter, bit in zip(_LETTERS, subject.bits.split(), strict=True)]
        bits = "".join(
            f'<span class="{"on" if on else ""}" data-bit={letter}>{"●" if on else "·"}</span>'
            for letter, on in states
        )
        told = ", ".join(what for what, (_, on) in zip(_BITS, states, strict=True) if on) or "nothing"
        known = subject.gradient in ("flows", "frozen")
        gradient = f'<span class="{subject.gradient if known else "none"}">{escape(subject.gradient)}</span>'
        if subject.cut is not None:
            gradient += f" <span class=dim>{escape(self.names.short(subject.cut))}</span>"
        cells = [
            [
                f"{escape(one.by)} <span class=dim>{escape(self.names.short(one.site))}</span>"
                for one in writers
            ],
            [escape(one.said(one.times // len(row.members))) for one in writers],
            [escape(", ".join(one.terms)) for one in writers],
            [_mean(one) for one in writers],
        ]
        by, times, causes, mean = ("<br>".join(cell) or "–" for cell in cells)
        created = escape(self.names.short(subject.created)) if row.alone else ""
        name = (
            _breakable(row.name)
            if row.alone
            else f"<button aria-expanded=false>{_breakable(row.name)}</button>"
        )
        return (
            f"<tbody class={'one' if row.alone else 'group'}><tr class=head><td class=path>{name}"
            f"{_labelled('shape', escape(row.spec), 'dim')}{_labelled('created', created, 'dim')}"
            f'<td class=bits aria-label="{told}"><div>{bits}</div>{_labelled("gradient", gradient)}'
            f"{_labelled('written by', by)}{_labelled('times', times, 'number')}"
            f"{_labelled('causes', causes)}{_labelled('mean |Δ|', mean, 'number')}</tr>"
            f"{'' if row.alone else self.members(row)}</tbody>"
        )

    def members(self, row: Row) -> str:
        """Returns a short row for each variable of a group, with the facts that differ."""
        found = []
        for one in row.members[: max(0, MEMBERS - self.listed)]:
            shape = f"{one.dtype}[{', '.join(map(str, one.shape))}]"
            mean = "<br>".join(map(_mean, one.writers.values())) or "–"
            found.append(
                f"<tr class=member><td class=path>{_breakable(one.path)}"
                f"{_labelled('shape', escape(shape), 'dim')}"
                f"{_labelled('created', escape(self.names.short(one.created)), 'dim')}<td colspan=5>"
                f"{_labelled('mean |Δ|', mean, 'number')}</tr>"
            )
        self.listed += len(found)
        more = len(row.members) - len(found)
        if more:
            found.append(f"<tr class=member><td class=dim colspan=9>{many(more, 'more variable')}</tr>")
        return "".join(found)

    def moved(self) -> str:
        """Returns how far each cause has moved each variable, as a bar and in numbers."""
        conservation = self.report.conservation
        if conservation is None:
            return ""
        causes, some = moved(self.report.variables)
        said = f'<p class="{"dim" if conservation.holds else "none"}">{escape(verdict(conservation))}</p>'
        if not some:
            return f"<h2>What moved them</h2>{said}"
        columns = "".join(f'<th class="number"><i class="{cause}"></i>{cause}' for cause in causes)
        shown = [(row.name, one) for row in rows(self.report.variables) for one in row.writers if one.split]
        body = "".join(self.movement(name, one, causes) for name, one in shown[:ROWS])
        head = f"<thead><tr><th>variable<th>written by<th>{columns}</tr></thead>"
        means = "".join(f"<li><b>{cause}</b> {escape(MEANINGS[cause])}</li>" for cause in causes)
        legend = f'<ul class=legend aria-label="What the causes mean">{means}</ul>'
        table = f'<table class="moved cards">{head}{body}</table>'
        note = "<p class=dim>Mean norms of the changes by each cause; the bars show their shares.</p>"
        return f"<h2>What moved them</h2>{note}{legend}{table}{said}"

    def movement(self, name: str, writer: Writer, causes: Sequence[str]) -> str:
        """Returns the row of one writer of one variable, or of one group."""
        means = writer.means
        finite = {cause: mean for cause, mean in means.items() if math.isfinite(mean)}
        whole = sum(finite.values())
        bar = "".join(
            f'<i class="{cause}" style="width:{100 * mean / whole:.1f}%" title="{cause} {mean:.3g}"></i>'
            for cause, mean in finite.items()
            if mean > 0
        )
        cells = "".join(_labelled(cause, amount(means, cause), "number") for cause in causes)
        by = f"{escape(writer.by)} <span class=dim>{escape(self.names.short(writer.site))}</span>"
        return (
            f"<tbody class=one><tr><td class=path>{_breakable(name)}{_labelled('written by', by)}"
            f"<td><div class=bar>{bar}</div>{cells}</tr></tbody>"
        )

    def barriers(self) -> str:
        """Returns what each stop_gradient does, and what would change without it."""
        if not self.report.barriers:
            return ""
        body = "".join(map(self.barrier, self.report.barriers))
        head = f"<tr><th>{self.report.barriers[0].words.barrier}<th>blocks<th>without it</tr>"
        return f"<h2>Barriers</h2><table>{head}{body}</table>"

    def barrier(self, barrier: Barrier) -> str:
        """Returns the row of one stop_gradient."""
        blocks = (
            escape(", ".join(called(barrier.blocks, self.report.subjects)))
            if barrier.blocks
            else '<span class="none">nothing</span>'
        )
        said = (
            without_it(barrier, self.report.subjects).removeprefix("without it ")
            if barrier.blocks
            else "every gradient would be the same"
        )
        where = escape(self.names.short(barrier.site))
        return f"<tr><td>{where}<td class=path>{blocks}<td>{escape(said)}</tr>"

    def skipped(self) -> str:
        """Returns the skipped updates, with the non-finite value."""
        lines = [one for one in self.report.skipped if not one.always]
        body = "".join(
            f"<tr><td class=line>{escape(self.names.short(one.site))}"
            f"<td>{escape(self.names.shorten(one.said))}</tr>"
            for one in lines
        )
        return f"<h2>Left out</h2><table>{body}</table>" if body else ""

    def source(self) -> str:
        """Returns the whole script, with marks at the lines that the report mentions."""
        text = linecache.getlines(str(Path(self.report.script).resolve())) or linecache.getlines(
            self.report.script
        )
        if not text or len(text) > LONGEST or self.report.script.endswith(".ipynb"):
            return ""
        marks: dict[int, dict[str, None]] = {}
        kinds: dict[int, str] = {}
        for site, mark, kind in self.marks():
            if site is not None and same_file(site.file, self.report.script):
                marks.setdefault(site.line, {})[mark] = None
                kinds[site.line] = kind or kinds.get(site.line, "")
        rows = [
            _line(number, line, kinds.get(number, ""), " · ".join(marks.get(number, ())))
            for number, line in enumerate(text, 1)
        ]
        return f'<h2>The script</h2><pre class="source">{"".join(rows)}</pre>'

    def marks(self) -> Iterable[tuple[Site | None, str, str]]:
        """Yields the remarks on source lines, and the colour of each line."""
        for subject in self.report.variables:
            for writer in subject.writers.values():
                yield writer.site, f"{writer.by} writes", ""
        for barrier in self.report.barriers:
            yield barrier.site, barrier.verdict, ""
        for finding in self.report.findings:
            yield finding.site, finding.code, "here"
            if finding.cause is not None and finding.cause != finding.site:
                yield finding.cause, f"cause of {finding.code}", "cause"


def _line(number: int, text: str, kind: str, mark: str = "") -> str:
    said = f'<span class="mark">{escape(mark)}</span>' if mark else ""
    code = escape(text.rstrip()) or " "
    return f'<span class="line {kind}">{said}<span class="number">{number}</span>{code}</span>'


def _labelled(label: str, content: str, kind: str = "") -> str:
    """Returns a cell with its label: a narrow page shows the rows of a table as cards."""
    empty = "" if content and content != "–" else " none-here"
    return f'<td class="{kind}{empty}" data-label="{label}"><div>{content}</div>'


def _mean(writer: Writer) -> str:
    return f"{writer.mean:.3g}" if math.isfinite(writer.mean) else "?"


def _breakable(name: str) -> str:
    """Returns a name that a browser may break after each of its parts."""
    return re.sub(r"(/|(?<!\.)\.(?!\.))(?!\*$)", r"\1<wbr>", escape(name))


def _chip(text: str, kind: str = "") -> str:
    return f'<span class="chip {kind}">{escape(text)}</span>'


def _marked(text: str) -> str:
    """Returns text in which words between backquotes are code."""
    pieces = escape(text).split("`")
    if len(pieces) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))
