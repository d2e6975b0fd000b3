"""Writes the table of docs/frameworks.md: what is said of pairs of PyTorch programs, one wrong and one right.

python tools/write_torch_pairs.py FOLDER

FOLDER has a folder for each pair, with wrong.py, right.py and case.json, of which `framework` and, below
`expect`, `word` (the kind of mistake), `line` and `variables` are read. It needs a Python that has PyTorch.
Each program is run under `penstock check --with torch`, four at a time.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[1] / "docs" / "frameworks.md"
BEGIN, END = "<!-- pairs: begin -->", "<!-- pairs: end -->"


def said_of(program: Path) -> list[dict[str, Any]]:
    """Returns what a check says of a program, notes left out."""
    command = [sys.executable, "-m", "penstock", "check", "--with", "torch", "--format", "json", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if not done.stdout:
        raise SystemExit(f"{program} was not checked: {done.stderr}")
    return [one for one in json.loads(done.stdout)["findings"] if one["severity"] != "note"]


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
    wrong, right = said_of(folder / "wrong.py"), said_of(folder / "right.py")
    hits = [one for one in wrong if any(is_meant(name, expected["variables"]) for name in one["variables"])]
    line = place_of(expected["line"], hits)
    codes = ", ".join(dict.fromkeys(one["code"] for one in wrong)) or "nothing"
    named = "yes" if hits else "no"
    others = ", ".join(dict.fromkeys(one["code"] for one in right)) or "nothing"
    if "harmless" in folder.name:
        named = line = "there is none"
    kind = expected["word"].replace("_", " ")
    return [str(number), kind, codes, named, line, others], bool(hits) and line != "no"


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
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    table = "\n".join(lines)
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
