"""What a check costs: the processor time of plain and watched steps, and the pages that show it."""

from __future__ import annotations

import contextlib
import gc
import json
import platform
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"


def mean(step: Callable[[], None], warm: int, seconds: float) -> float:
    """Returns the mean processor time of a call in a stretch, after some that do not count."""
    for _ in range(warm):
        step()
    times, began = 0, time.process_time()
    while time.process_time() < began + seconds:
        step()
        times += 1
    return (time.process_time() - began) / times


def least(
    rounds: int,
    watched: Callable[[bool], contextlib.AbstractContextManager[None]],
    seconds_of: Callable[[], float],
) -> dict[str, float]:
    """Returns the least microseconds of some rounds: a step alone, one recorded whole, and one counted.

    `watched(True)` records each step inside, `watched(False)` counts them; `seconds_of` makes a program and
    measures its step.
    """
    found = {"plain": float("inf"), "recording": float("inf"), "counting": float("inf")}
    for _ in range(rounds):
        for kind in found:
            gc.collect()
            with contextlib.nullcontext() if kind == "plain" else watched(kind == "recording"):
                found[kind] = min(found[kind], seconds_of())
    return {kind: 1e6 * seconds for kind, seconds in found.items()}


def table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Returns the microseconds of steps of each kind as a table of Markdown."""
    lines = [
        "| step | plain us | recorded us | x plain | counted us | x plain |",
        "| :--- | -------: | ----------: | ------: | ---------: | ------: |",
    ]
    for name, row in rows.items():
        cells = [name, f"{row['plain']:,.0f}"]
        for kind in ("recording", "counting"):
            cells += [f"{row[kind]:,.0f}", f"{row[kind] / row['plain']:.2f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


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
