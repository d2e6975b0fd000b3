"""The findings to report, as selected by options, a table in pyproject.toml and comments in the program."""

from __future__ import annotations

import linecache
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penstock.errors import PenstockError
from penstock.flow.codes import CODES, retired
from penstock.flow.report_model import Finding, Report
from penstock.flow.source import statement_at
from penstock.trace.source_site import Site

_COMMENT = re.compile(r"#\s*penstock:\s*ignore\b(?:\[(?P<codes>[^\]]*)\])?")
_KEYS = ("select", "ignore", "steps")


@dataclass(frozen=True, slots=True)
class Settings:
    """The findings to report: only codes in `select`, if it is not empty, and none in `ignore`.

    `steps` is the number of watched steps; None for all. `origin` is the file with these settings, or "".
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    steps: int | None = None
    origin: str = ""

    def over(self, **given: Any) -> Settings:
        """Returns these settings, replaced by the given ones that are neither None nor empty."""
        chosen = {name: value for name, value in given.items() if value}
        if "select" in chosen or "ignore" in chosen:
            chosen["origin"] = ""
        return replace(self, **chosen)


def codes(texts: Iterable[str], what: str) -> tuple[str, ...]:
    """Returns the codes selected by a comma-separated list of codes, names or prefixes of codes.

    Raises PenstockError for an entry that selects none; `what` names its origin in the message.

    >>> codes(["PS203,two-writers"], "--ignore")
    ('PS203', 'PS202')
    >>> codes(["PS421"], "--ignore")  # a code that was given up for another
    ('PS413',)
    >>> codes(["ps3"], "--select")
    ('PS301', 'PS302', 'PS303')
    """
    found: dict[str, None] = {}
    for given in (part.strip() for text in texts for part in text.split(",")):
        one = retired(given)
        meant = [
            code.code
            for code in CODES.values()
            if one and (code.code.startswith(one.upper()) or code.name == one.lower().replace("_", "-"))
        ]
        if not meant:
            raise PenstockError(
                f"{what}: no finding has the code {one!r}.", remedy=f"The codes are {', '.join(CODES)}."
            )
        found.update(dict.fromkeys(meant))
    return tuple(found)


def settings_near(file: str | Path) -> Settings:
    """Returns the settings in the next pyproject.toml with a table [tool.penstock], from a file's folder up.

    For code typed into a shell or a notebook, which is not a file, the search begins in the working
    directory.

    Raises PenstockError for a table that cannot be read, and for unknown keys and values.
    """
    begin = Path(file).resolve() if Path(file).is_file() else Path.cwd() / "typed"
    for folder in begin.parents:
        where = folder / "pyproject.toml"
        if not where.is_file():
            continue
        try:
            tools = tomllib.loads(where.read_text(encoding="utf-8")).get("tool", {})
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise PenstockError(
                f"{where} cannot be read: {error}.",
                remedy="Fix the file; penstock looks there for settings.",
            ) from None
        if "penstock" in tools:
            return _settings(tools["penstock"], str(where))
    return Settings()


def _settings(table: Any, where: str) -> Settings:
    if not isinstance(table, dict):
        raise PenstockError(f"{where}: tool.penstock is {table!r}.", remedy="Write a table: [tool.penstock].")
    for key in table:
        if key not in _KEYS:
            raise PenstockError(
                f"{where}: [tool.penstock] has no key {key!r}.", remedy=f"The keys are {', '.join(_KEYS)}."
            )
    chosen = {}
    for key in ("select", "ignore"):
        given = table.get(key, [])
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise PenstockError(
                f"{where}: {key} in [tool.penstock] is {given!r}.",
                remedy=f'Write a list of codes: {key} = ["PS203"].',
            )
        chosen[key] = codes(given, f"{where}: {key} in [tool.penstock]")
    steps = table.get("steps")
    if steps is not None and (type(steps) is not int or steps < 1):
        raise PenstockError(
            f"{where}: steps in [tool.penstock] is {steps!r}.",
            remedy="Write a whole number of at least 1: steps = 20.",
        )
    return Settings(chosen["select"], chosen["ignore"], steps, where)


def choose(report: Report, settings: Settings) -> Report:
    """Removes ignored findings from a report, and adds a remark that says so. Returns the report."""
    silenced: list[str] = []
    report.findings = _chosen(report, report.findings, settings, silenced)
    report.asides = _chosen(report, report.asides, settings, silenced)
    if silenced:
        report.remarks.append(f"Left out: {', '.join(dict.fromkeys(silenced))}.")
    return report


def _chosen(
    report: Report, found: Sequence[Finding], settings: Settings, silenced: list[str]
) -> list[Finding]:
    """Returns the findings to report; adds to `silenced` the reasons why the others are left out."""
    kept = []
    for one in found:
        if one.code in settings.ignore or (settings.select and one.code not in settings.select):
            silenced.append(f"{one.code} by {_short(settings.origin) or 'an option'}")
        elif line := _commented(report, one):
            silenced.append(f"{one.code} by the comment at {line}")
        else:
            kept.append(one)
    return kept


def _short(origin: str) -> str:
    return Path(origin).name if origin else ""


def _commented(report: Report, finding: Finding) -> Site | None:
    """Returns the line whose comment silences a finding, if there is one."""
    for site in (finding.site, finding.cause):
        for line, comment in _comments(site):
            given = comment["codes"]
            if given is None:
                return line
            try:
                meant = codes([given], str(line))
            except PenstockError as error:
                report.remarks.append(f"{error.fact} The comment there ignores nothing.")
                continue
            if finding.code in meant:
                return line
    return None


def _comments(site: Site | None) -> Iterator[tuple[Site, re.Match[str]]]:
    """Yields the comments on the lines of the statement that a site belongs to."""
    if site is None:
        return
    statement = statement_at(site)
    lines = range(site.line, site.line + 1)
    if statement is not None and not hasattr(statement, "body"):
        lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    for number in lines:
        comment = _COMMENT.search(linecache.getline(site.file, number))
        if comment is not None:
            yield Site(site.file, number, site.function), comment


__all__ = ["Settings", "choose", "codes", "settings_near"]
