"""Writes the tables of what is said of pairs of programs, one wrong and one right.

python tools/write_pairs.py          writes docs/pairs.md, of the pairs in tests/programs/pairs
python tools/write_pairs.py tensorflow   writes the table of the manual in docs/frameworks.md
python tools/write_pairs.py FOLDER   writes another table of that page, of pairs of PyTorch programs

A pair of tests/programs/pairs is one file, in a folder named after its vocabulary. Lines that end in
"# wrong" belong to the wrong program alone, lines that end in "# right" to the right one. "guilty" stands on
the line that is to blame. The first line names the code of the finding and patterns of its variables:
"# PS106: encoder/*". With "?" in place of the code, there is no rule for the mistake yet.

FOLDER has a folder for each pair, with wrong.py, right.py and case.json, of which `framework` and, below
`expect`, `word` (the kind of mistake), `line` and `variables` are read. It needs a Python that has PyTorch.
Each program is run under `penstock check --with torch`, four at a time.

The programs of the manual need a Python that has TensorFlow, and run in this process.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE, OWN_PAGE = ROOT / "docs" / "frameworks.md", ROOT / "docs" / "pairs.md"
OWN = ROOT / "tests" / "programs" / "pairs"
VOCABULARIES = {"penstock": [], "tensorflow": ["--as", "tensorflow"], "paddle": ["--as", "paddle"]}
BEGIN, END = "<!-- pairs: begin -->", "<!-- pairs: end -->"
MANUAL = "<!-- tensorflow pairs: begin -->", "<!-- tensorflow pairs: end -->"


@dataclass(frozen=True)
class Pair:
    """The two programs of a file, the code and the variables of the finding, the line that is to blame.

    `code` is "" if there is no rule yet.
    """

    name: str
    vocabulary: str
    code: str
    variables: tuple[str, ...]
    wrong: str
    right: str

    @property
    def guilty(self) -> int:
        """The line of the wrong program that is to blame."""
        lines = enumerate(self.wrong.splitlines(), 1)
        return next(number for number, line in lines if "guilty" in line.partition("#")[2])


def pair_of(file: Path) -> Pair:
    """Returns the pair that a file holds."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    code, _, patterns = lines[0].lstrip("# ").partition(":")
    halves = ["".join(one for one in lines if f"# {other}" not in one) for other in ("right", "wrong")]
    code = "" if code == "?" else code
    return Pair(file.stem.replace("_", " "), file.parent.name, code, tuple(patterns.split()), *halves)


def own_pairs() -> list[Pair]:
    """Returns the pairs of this project, by vocabulary and name."""
    return [pair_of(file) for word in VOCABULARIES for file in sorted((OWN / word).glob("*.py"))]


def said_of(program: Path, options: Sequence[str] = ("--with", "torch")) -> list[dict[str, Any]]:
    """Returns what a check says of a program."""
    command = [sys.executable, "-W", "ignore", "-m", "penstock", "check", *options, "--format", "json"]
    done = subprocess.run([*command, str(program)], capture_output=True, text=True, check=False, timeout=600)
    if "{\n" not in done.stdout:
        raise SystemExit(f"{program} was not checked: {done.stderr}")
    # What the program prints itself comes before.
    report = json.loads(done.stdout[re.search(r"^\{$", done.stdout, re.MULTILINE).start() :])  # type: ignore[union-attr]
    found: list[dict[str, Any]] = report["findings"]
    return found


def without_notes(findings: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the findings that end a check with 1."""
    return [one for one in findings if one["severity"] != "note"]


def is_meant(name: str, patterns: Iterable[str]) -> bool:
    """Returns whether a variable is one of those meant, by its own name or by its name in the model."""
    own = name.removesuffix(" (replaced)")
    return any(fnmatch(own, one) or fnmatch(own, f"*.{one}") for one in patterns)


def place_of(line: int, findings: Sequence[dict[str, Any]]) -> str:
    """Returns how findings name a line: as theirs or their cause's, in their text, or not."""
    if any(line in (one["line"], one["cause_line"]) for one in findings):
        return "shown"
    told = re.search(rf"(:|line ){line}\b", json.dumps(findings))
    return "told" if told else "no"


def row(number: int, folder: Path) -> tuple[list[str], bool]:
    """Returns the cells of a pair, and whether the wrong program is named by variable and line."""
    expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expect"]
    wrong, right = (without_notes(said_of(folder / name)) for name in ("wrong.py", "right.py"))
    hits = [one for one in wrong if any(is_meant(name, expected["variables"]) for name in one["variables"])]
    line = place_of(expected["line"], hits)
    codes = ", ".join(dict.fromkeys(one["code"] for one in wrong)) or "nothing"
    named = "yes" if hits else "no"
    others = ", ".join(dict.fromkeys(one["code"] for one in right)) or "nothing"
    if "harmless" in folder.name:
        named = line = "there is none"
    kind = expected["word"].replace("_", " ")
    return [str(number), kind, codes, named, line, others], bool(hits) and line != "no"


def own_row(pair: Pair) -> tuple[list[str], bool]:
    """Returns the cells of a pair of this project, and whether variable and line are named."""
    with tempfile.TemporaryDirectory() as folder:
        said = []
        for text in (pair.wrong, pair.right):
            program = Path(folder) / "program.py"
            program.write_text(text, encoding="utf-8")
            said.append(said_of(program, VOCABULARIES[pair.vocabulary]))
    wrong, right = said
    hits = [one for one in wrong if any(is_meant(name, pair.variables) for name in one["variables"])]
    hits = hits if pair.variables != ("-",) else wrong
    line = place_of(pair.guilty, hits)
    if all(one["severity"] == "note" for one in hits) and pair.variables != ("-",):
        # Something is said of the variable, but not that it is wrong.
        hits, line = [], "no"
    cells = [pair.vocabulary, pair.name, codes_of(wrong), "yes" if hits else "no", line, codes_of(right)]
    return cells, bool(hits) and line != "no"


def codes_of(findings: Sequence[dict[str, Any]]) -> str:
    """Returns the codes of findings; those of notes stand in brackets."""
    said = [f"({one['code']})" if one["severity"] == "note" else one["code"] for one in findings]
    return ", ".join(dict.fromkeys(said)) or "nothing"


def write_own() -> None:
    """Runs the pairs of this project and writes their table."""
    with ThreadPoolExecutor(2) as workers:
        rows = list(workers.map(own_row, own_pairs()))
    lines = [
        "| vocabulary | mistake | said of the wrong one | variable | line | said of the right one |",
        "| :-- | :-- | :-- | :-- | :-- | :-- |",
        *(f"| {' | '.join(cells)} |" for cells, _ in rows),
        "",
        f"{sum(hit for _, hit in rows)} of {len(rows)} are named by variable and line.",
    ]
    put(OWN_PAGE, lines)


def write_manual() -> None:
    """Runs the manual's TensorFlow programs and writes their table."""
    from penstock.flow.check import inspect
    from penstock.flow.codes import CODES
    from penstock.flow.report.data import as_data
    from penstock.flow.tensorflow_pages import TENSORFLOW_PAGES, TENSORFLOW_PROGRAMS
    from penstock.frameworks.tensorflow.source import TensorFlow
    from penstock.running import run_script

    programs = TENSORFLOW_PROGRAMS | {code: page[2:4] for code, page in TENSORFLOW_PAGES.items()}
    lines = ["| code | it is found that | said of the wrong one | said of the right one |"]
    lines.append("| :-- | :-- | :-- | :-- |")
    with tempfile.TemporaryDirectory() as folder:
        for code in sorted(programs):
            said = []
            for text in programs[code]:
                program = Path(folder) / "program.py"
                program.write_text(dedent(text).lstrip(), encoding="utf-8")
                run = partial(run_script, str(program), None, [])
                report = inspect(str(program), run, source=TensorFlow())
                said.append(codes_of(as_data(report)["findings"]))
            lines.append(f"| {code} | {CODES[code].title} | {said[0]} | {said[1]} |")
    put(PAGE, lines, MANUAL)


def put(page: Path, lines: Sequence[str], marks: tuple[str, str] = (BEGIN, END)) -> None:
    """Writes lines between the marks of a page."""
    begin, end = marks
    text = page.read_text(encoding="utf-8")
    before, after = text.split(begin)[0], text.split(end)[1]
    table = "\n".join(lines)
    page.write_text(f"{before}{begin}\n\n{table}\n\n{end}{after}", encoding="utf-8")


def main(folder: Path) -> None:
    """Runs all pairs of a folder and writes the table."""
    pairs = []
    for one in sorted(folder.iterdir()):
        case = one / "case.json"
        if case.exists() and json.loads(case.read_text(encoding="utf-8"))["framework"] == "pytorch":
            pairs.append(one)
    with ThreadPoolExecutor(4) as workers:
        rows = list(workers.map(row, itertools.count(1), pairs))
    lines = [
        "| | kind of mistake | said of the wrong one | variable | line | said of the right one |",
        "| --: | :-- | :-- | :-- | :-- | :-- |",
        *(f"| {' | '.join(cells)} |" for cells, _ in rows),
        "",
        f"{sum(hit for _, hit in rows)} of {len(rows)} are named by variable and line.",
    ]
    put(PAGE, lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["tensorflow"]:
        write_manual()
    elif len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        write_own()
