"""A report as workflow commands, with which GitHub annotates lines of a change.

The syntax is that of https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
"""

from __future__ import annotations

from penstock.flow.report.data import Names
from penstock.flow.report_model import Report
from penstock.flow.source import user_frames
from penstock.trace.source_site import Site

_WORDS = {"error": "error", "warning": "warning", "note": "notice"}


def as_github(report: Report) -> str:
    """Returns a line for each finding and for skipped updates, and one for the script's error.

    Returns an empty text if there is nothing to report.
    """
    names = Names(report.script)
    lines = []
    if report.error is not None:
        frames = user_frames(report.error)
        text = f"{type(report.error).__name__}: {report.error}"
        lines.append(_command("error", frames[-1] if frames else None, "the script failed", text, names))
    for one in report.findings:
        title = f"{one.code} {one.name}"
        place = one.site or one.cause
        text = f"{names.shorten(one.message)} {names.shorten(one.fix)}"
        lines.append(_command(_WORDS[one.severity], place, title, text, names))
    for skipped in report.skipped:
        if not skipped.always:
            lines.append(_command("notice", skipped.site, "left out", names.shorten(skipped.said), names))
    return "\n".join(lines)


def _command(word: str, site: Site | None, title: str, text: str, names: Names) -> str:
    place = {}
    if site is not None:
        place["file"], cell = names.parts(site)
        if cell:
            # Lines in a notebook's cells are not lines of its file.
            title += f" in {names.short(site)}"
        else:
            place["line"] = str(site.line)
    given = ",".join(f"{key}={_escaped(value, True)}" for key, value in {**place, "title": title}.items())
    return f"::{word} {given}::{_escaped(text, False)}"


def _escaped(text: str, is_property: bool) -> str:
    """Escapes characters that would end a command, or one of its properties, in GitHub's way."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if is_property else text
