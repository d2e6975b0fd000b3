"""Writes what a check costs: a file of results, one of data, and the table on a page of the documentation."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"


def write(
    stem: str,
    title: str,
    rows: Mapping[str, Mapping[str, float]],
    table: str,
    kinds: str,
    page: str,
    versions: Mapping[str, str | int] | None = None,
    mark: str = "cost",
) -> None:
    """Writes the microseconds of steps in `rows`, and `table`, which shows them in Markdown.

    `stem` names the files of results, `kinds` says what the steps are, `page` is the page below docs, and
    `mark` the name of the comments there between which the table stands. `versions` are those of frameworks,
    by their usual names, and `threads`.
    """
    versions = versions or {}
    about = {
        "date": datetime.now(UTC).date().isoformat(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name.lower(): version for name, version in versions.items()},
    }
    used = [
        f"Python {about['python']}",
        *(f"{name} {one}" for name, one in versions.items() if name != "threads"),
    ]
    used += ["one thread"] if versions.get("threads") == 1 else []
    (RESULTS / f"{stem}.md").write_text(
        f"# {title}\n\n"
        f"Measured on {about['date']}: {about['system']}, {', '.join(used)}.\n"
        "The mean processor time of a step in a stretch, and of all stretches the least.\n\n"
        f"{table}\n\n{kinds}\n",
        encoding="utf-8",
    )
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    text = (DOCS / page).read_text(encoding="utf-8")
    before, after = text.split(begin)[0], text.split(end)[1]
    (DOCS / page).write_text(f"{before}{begin}\n\n{table}\n\n{end}{after}", encoding="utf-8")
    data = json.dumps({"about": about, "microseconds": rows}, indent=1)
    (RESULTS / f"{stem}.json").write_text(f"{data}\n", encoding="utf-8")
