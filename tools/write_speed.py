"""Writes the tables of speed into README.md and docs/speed.md, from what was measured last.

python tools/write_speed.py

A ratio comes from `benchmarks/results/latest.json`, which `make bench` writes. What that has not
measured comes from the records after it in `RECORDS`, and its row is marked.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import targets  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results"
RECORDS = ("latest", "small_steps", "dialects", "whole")
PAGES = (ROOT / "README.md", ROOT / "docs" / "speed.md")
BLOCK = re.compile(r"(?s)(<!-- speed: begin -->\n).*?(<!-- speed: end -->)")


BOUNDS = {(workload, own, other): (most, words) for workload, own, other, most, words in targets.RATIOS}


@dataclass(frozen=True)
class Ratio:
    """One row: a step of ours beside a peer's, by their names in a record."""

    step: str
    peer: str
    workload: str
    own: str
    other: str
    short: bool = False  # whether the README has it, too

    @property
    def bound(self) -> tuple[float, str]:
        """The most that the ratio is to be, as a number and in words: that of `benchmarks/targets.py`."""
        return BOUNDS.get((self.workload, self.own, self.other), targets.OF_ANY_PEER)


TWO, LOOP, HAND = "two scalars", "penstock loop", "a hand-written `jax.jit`"
PLAIN = f"{TWO}, plain loop"
CLASSIFIER = "784-128-10 classifier with Adam, plain loop"
RATIOS = (
    Ratio(PLAIN, "TensorFlow eager", "two_scalars", LOOP, "tensorflow eager", True),
    Ratio(PLAIN, "PyTorch eager", "two_scalars", LOOP, "torch eager", True),
    Ratio(PLAIN, "PaddlePaddle eager", "two_scalars", LOOP, "paddle eager"),
    Ratio(PLAIN, "HIPS autograd", "two_scalars", LOOP, "autograd eager"),
    Ratio(PLAIN, HAND, "two_scalars", LOOP, "jax jit", True),
    Ratio(f"{TWO}, `@ps.step`", HAND, "two_scalars", "penstock step", "jax jit"),
    Ratio(CLASSIFIER, HAND, "mlp", LOOP, "jax jit", True),
    Ratio(CLASSIFIER, "PyTorch eager", "mlp", LOOP, "torch eager", True),
    Ratio(CLASSIFIER, "PyTorch, a pure step compiled", "mlp", LOOP, "torch pure"),
    Ratio("two convolutions, plain loop", "TensorFlow's function", "cnn", LOOP, "tensorflow function"),
    *(
        Ratio(f"{workload.replace('_', ' ')}, {whose}", "the native loop", workload, own, f"{LOOP}_unwaited")
        for workload in ("two_scalars", "three_weights", "actor_critic")
        for whose, own in (
            ("TensorFlow's own program", "penstock.tensorflow eager"),
            ("Paddle's own program", "penstock.paddle eager"),
            ("a TensorFlow 1 session", "penstock.tensorflow session"),
        )
    ),
)


def records() -> dict[str, dict[str, Any]]:
    """Returns the records by name, those that are there, in the order in which they are asked."""
    files = {name: RESULTS / f"{name}.json" for name in RECORDS}
    return {name: json.loads(file.read_text()) for name, file in files.items() if file.exists()}


def median(record: dict[str, Any], workload: str, name: str) -> float | None:
    """Returns the median time of a row of a record over its rounds; None where there is none."""
    for row in record["workloads"].get(workload, ()):
        if f"{row['framework']} {row['mode']}" == name and row["runs"] and not row["failure"]:
            return float(statistics.median(run["median"] for run in row["runs"]))
    return None


def figure(ratio: float, most: float = float("inf")) -> str:
    """Returns a ratio in three digits, and whether it misses its aim."""
    shown = f"{ratio:.3f}" if ratio < 1 else f"{ratio:.2f}"
    return shown + (" (missed)" if ratio > most else "")


def row(one: Ratio, known: dict[str, dict[str, Any]], before: str) -> tuple[str, str] | None:
    """Returns a line of a table and the record that it comes from; None where nothing has measured it."""
    for name, record in known.items():
        mine, theirs = (median(record, one.workload, which) for which in (one.own, one.other))
        if mine is not None and theirs is not None:
            mark = "" if name == next(iter(known)) else "\\*"
            step = "" if one.step == before else one.step
            most, words = one.bound
            cells = (step, one.peer, figure(mine / theirs, most) + mark, words)
            return "| " + " | ".join(cells) + " |", name
    return None


def table(known: dict[str, dict[str, Any]], short: bool) -> str:
    """Returns the table, and what it was measured on."""
    up = "" if short else "../"
    lines, used, before = [], [], ""
    for one in RATIOS:
        found = row(one, known, before) if one.short or not short else None
        if found is not None:
            lines.append(found[0])
            used.append(found[1])
            before = one.step
    first = next(iter(known))
    about = known[first]["about"]
    others = sorted({name for name in used if name != first}, key=RECORDS.index)
    more = ", ".join(f"[{name}]({up}benchmarks/results/{name}.md)" for name in others)
    quick = median(known[first], "import", "penstock import")
    text = (
        f"Times of one iteration, ours by theirs: medians of {about['rounds']} rounds on {about['cores']} "
        f"cores, {about['date']} ([all rows]({up}benchmarks/results/{first}.md)"
        + (", [how](docs/speed.md))." if short else ").")
        + (f" Rows with \\* were measured apart: {more}." if others else "")
        + (f" `import penstock` takes {quick:.2f} s, and does not import JAX." if quick else "")
        + ("" if short else first_steps(known[first]))
    )
    return "\n".join(
        [*wrapped(text), "", "| step | beside | ratio | aim |", "| --- | --- | --- | --- |", *lines]
    )


def first_steps(record: dict[str, Any]) -> str:
    """Returns a sentence on the first step of a new program."""
    rows = [row for name in record["workloads"] if name != "import" for row in record["workloads"][name]]
    own = [row["runs"] for row in rows if (row["framework"], row["mode"]) == ("penstock", "loop")]
    took = sorted(1000 * statistics.median(run.get("first", 0.0) for run in runs) for runs in own if runs)
    if not took or not took[-1]:
        return ""
    return (
        f" The first step of a new program took {took[0]:.1f} to {took[-1]:.1f} ms, including the modules "
        "that it is the first to import."
    )


def wrapped(text: str) -> list[str]:
    """Returns a paragraph in lines of 120 characters at most, links whole."""
    lines = [""]
    for word in re.findall(r"\S*\[[^\]]*\]\([^)]*\)\S*|\S+", text):
        if len(lines[-1]) + len(word) >= 120:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def written(page: Path, text: str, known: dict[str, dict[str, Any]]) -> str:
    """Returns the text of a page with its table as the records have it."""
    made = table(known, short=page.name == "README.md")
    found, count = BLOCK.subn(lambda block: f"{block[1]}{made}\n{block[2]}", text)
    if count != 1:
        raise SystemExit(f"{page}: there is no block between <!-- speed: begin --> and <!-- speed: end -->.")
    return found


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(written(page, page.read_text(encoding="utf-8"), records()), encoding="utf-8")
