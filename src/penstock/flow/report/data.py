"""A report as data: dictionaries and lists that become JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from penstock.flow.report import sizes
from penstock.flow.report.groups import patterns
from penstock.flow.report_model import Barrier, Conservation, Finding, Report, Skipped, Subject, Term, Writer
from penstock.flow.source import user_frames
from penstock.trace.source_site import Site, cell_of, display_file

LONGEST_NAME = 28


class Names:
    """The names of files: the script as on the command line, others by their short path."""

    def __init__(self, script: str) -> None:
        self.script = script
        self._known: dict[str, str] = {}

    def file(self, file: str) -> str:
        """Returns the name of a file."""
        found = self._known.get(file)
        if found is None:
            same = same_file(file, self.script)
            found = self.script if same else display_file(file)
            self._known[file] = found
        return found

    def short(self, site: Site | None) -> str:
        """Returns a site in short form: a line of the script by its number alone."""
        if site is None:
            return ""
        if not site.line:
            return site.file
        file, cell = self.parts(site)
        if file == self.script:
            return f"cell {cell}, line {site.line}" if cell else f"line {site.line}"
        if cell:
            return f"{file} cell {cell}, line {site.line}"
        return f"{file if len(file) <= LONGEST_NAME else '…/' + Path(file).name}:{site.line}"

    def shorten(self, text: str) -> str:
        """Returns a text with the script's lines given by their numbers alone."""
        pattern = re.escape(display_file(str(Path(self.script).resolve()))) + r":(\d+)"
        also = re.escape(self.script) + r":(\d+)"
        if self.script.endswith(".ipynb"):
            own = f"(?:{re.escape(display_file(str(Path(self.script).resolve())))}|{re.escape(self.script)})"
            text = re.sub(rf"{own} cell (\d+), line (\d+)", r"cell \1, line \2", text)
        return re.sub(also, r"line \1", re.sub(pattern, r"line \1", text))

    def place(self, site: Site | None) -> dict[str, Any] | None:
        """Returns a site as data."""
        if site is None or not site.line:
            return None
        file, cell = self.parts(site)
        return {"file": file, "cell": cell, "line": site.line} if cell else {"file": file, "line": site.line}

    def parts(self, site: Site) -> tuple[str, int | None]:
        """Returns the name of a site's file, and the number of the cell in a notebook."""
        cell = cell_of(site.file)
        if cell is None:
            return self.file(site.file), None
        return self.file(cell[0]) if cell[0] else self.script, cell[1]


def as_data(report: Report, all_variables: bool = False) -> dict[str, Any]:
    """Returns a report as dictionaries and lists; optimizers' own state only with `all_variables`."""
    names = Names(report.script)
    subjects = report.subjects if all_variables else report.variables
    found = {
        "script": report.script,
        "steps": report.steps,
        "variables": [_variable(subject, names) for subject in subjects],
        "terms": [_term(term, report.subjects, names) for term in report.terms],
        "barriers": [_barrier(barrier, names) for barrier in report.barriers],
        "skipped": [_skipped(one, names) for one in report.skipped],
        "sizes": sizes.as_data(report),
        "unread_rows": [
            {"variable": one.subject.path, "rows": one.rows, "of": one.of} for one in report.unread
        ],
        "clipped": [
            {
                "by": one.by,
                **(names.place(one.site) or {"file": None, "line": None}),
                "clipped": one.active,
                "measured": one.times,
            }
            for one in report.clips
        ],
        "findings": [_finding(finding, names) for finding in report.findings],
        "error": _error(report.error, names),
        "paths": {"distinct": report.paths, "passed_over": report.passed_over},
    }
    if report.framework is not None:
        found["framework"] = dict(zip(("name", "version"), report.framework, strict=True))
    if report.costs:
        found["distributions"] = [cost.data() for cost in report.costs]
    if report.asides:
        found["asides"] = [_finding(finding, names) for finding in report.asides]
    if remarks := [*(one.line for one in report.asides), *report.remarks]:
        found["remarks"] = remarks
    if report.conservation is not None:
        found["conservation"] = _conservation(report.conservation, names)
    return found


def _conservation(conservation: Conservation, names: Names) -> dict[str, Any]:
    return {
        "writes": conservation.writes,
        **({"passed_over": conservation.passed_over} if conservation.passed_over else {}),
        "holds": conservation.holds,
        "failed": [
            {"variable": subject.path, "step": step, "by": by, **(names.place(site) or {})}
            for subject, (by, site), step in conservation.failed
        ],
        "unrecorded": [
            {"variable": one.subject.path, "after_step": one.steps, "change": _finite(one.change)}
            for one in conservation.unrecorded
        ],
    }


def as_json(report: Report, all_variables: bool = False) -> str:
    """Returns a report as JSON text."""
    return json.dumps(as_data(report, all_variables), indent=2, ensure_ascii=False, allow_nan=False)


def _variable(subject: Subject, names: Names) -> dict[str, Any]:
    found = {
        "path": subject.path,
        "shape": list(subject.shape),
        "dtype": subject.dtype,
        "trainable": subject.trainable,
        "created": names.place(subject.created),
        "bits": subject.bits,
        "gradient": subject.gradient,
        "cut": names.place(subject.cut),
        "writes": [_writer(writer, names) for writer in subject.writers.values()],
    }
    if subject.frozen_after is not None and not subject.trainable:
        found["frozen_after"] = subject.frozen_after
    if subject.owner:
        found["owner"] = subject.owner
    return found


def _writer(writer: Writer, names: Names) -> dict[str, Any]:
    place = names.place(writer.site) or {"file": None, "line": None}
    parts = {"parts": {cause: _finite(mean) for cause, mean in writer.means.items()}} if writer.split else {}
    return {
        "by": writer.by,
        **place,
        "times": writer.times,
        **({"at_least": True} if writer.least else {}),
        "terms": list(writer.terms),
        "change": {"mean": _finite(writer.mean), "total": _finite(writer.total)},
        **parts,
    }


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _barrier(barrier: Barrier, names: Names) -> dict[str, Any]:
    place = names.place(barrier.site) or {"file": None, "line": None}
    return {
        **place,
        "blocks": barrier.blocks,
        "changes": barrier.changes,
        "restores": barrier.restores,
        "verdict": barrier.verdict,
    }


def _term(term: Term, subjects: Sequence[Subject], names: Names) -> dict[str, Any]:
    place = names.place(term.site) or {"file": None, "line": None}
    return {
        "term": term.name,
        **place,
        "reaches": patterns(term.reaches, subjects),
        "blocked": patterns(term.blocked, subjects),
        "unasked": patterns(term.unasked, subjects),
        "reason": term.word or None,
        "cut": names.place(term.cut),
        "weight": _finite(term.weight),
        "share": _finite(term.share),
        "gradients": {one.path: _finite(size) for one, size in term.gradients},
    }


def _skipped(skipped: Skipped, names: Names) -> dict[str, Any]:
    first = skipped.first
    assert first is not None
    return {
        "by": skipped.by,
        **(names.place(skipped.site) or {"file": None, "line": None}),
        "skipped": len(skipped.steps),
        "updates": skipped.times,
        "steps": skipped.steps,
        "not_finite": skipped.origins,
        "scale": None if skipped.scale is None else [_finite(one) for one in skipped.scale],
        "first": {
            "step": first.step,
            "variables": list(first.variables),
            "value": str(first.value),
            "cause": first.cause,
            "origin": names.place(first.origin),
        },
    }


def _finding(finding: Finding, names: Names) -> dict[str, Any]:
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "variables": list(finding.variables),
        **(names.place(finding.site) or {"file": None, "line": None}),
        "cause_line": finding.cause.line if finding.cause else None,
        "message": finding.message,
        "fix": finding.fix,
    }


def _error(error: BaseException | None, names: Names) -> dict[str, Any] | None:
    if error is None:
        return None
    frames = user_frames(error)
    if (
        isinstance(error, SyntaxError)
        and names.parts(where := Site(error.filename or "", error.lineno or 0, ""))[1]
    ):
        frames = [where]
    place = (
        names.place(frames[-1]) if frames else {"file": names.script, "line": getattr(error, "lineno", None)}
    )
    return {"type": type(error).__name__, "message": str(error), **(place or {})}


def same_file(file: str, script: str) -> bool:
    """Returns whether two names mean the same file."""
    try:
        return Path(file).resolve() == Path(script).resolve()
    except OSError:
        return file == script
