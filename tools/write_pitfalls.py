"""Writes the table of docs/pitfalls.md: what frameworks say of each mistake, and what Penstock says.

The table is made of tests/programs/pitfalls: `entries.toml`, and the first line of each program, which
tests/test_pitfalls.py holds against what `penstock check` finds. With --check nothing is written; the exit
status says whether the table is that of the programs.
"""

import argparse
import re
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE / "tests"))

from pitfalls import DIALECTS, ENTRIES, claims, programs  # noqa: E402

PAGE = HERE / "docs" / "pitfalls.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
FRAMEWORKS = {
    "tensorflow": "TensorFlow", "keras": "Keras", "torch": "PyTorch", "jax": "JAX", "paddle": "Paddle",
}  # fmt: skip
VOCABULARIES = {"native": "native", "tensorflow": "TensorFlow", "paddle": "Paddle", "torch": "PyTorch"}


def said(program: str) -> str:
    """Returns what Penstock says of a program, in a few letters."""
    words = []
    for claim in claims(program):
        head = claim.split()[0]
        if head == "refused:":
            words.append(f"refused ({claim.split()[1]})")
        elif head == "told:":
            words.append("a line")
        elif claim == "nothing":
            words.append("nothing")
        else:
            words.append(head.split("|")[0])
    return ", ".join(dict.fromkeys(words))


def penstock(entry: str) -> str:
    """Returns what Penstock says in each vocabulary, those that agree together."""
    answers: dict[str, list[str]] = {}
    for name, word in VOCABULARIES.items():
        program = f"{name}/{entry}"
        if program in programs(*DIALECTS):
            answers.setdefault(said(program), []).append(word)
    text = "; ".join(f"{answer} ({', '.join(names)})" for answer, names in answers.items())
    why = ENTRIES[entry].get("why", "")
    return f"{text}. {why}" if text and why else text or why


def table() -> str:
    """Returns the table."""
    rows = ["| | mistake | " + " | ".join(FRAMEWORKS.values()) + " | Penstock |"]
    rows.append("| --: |" + " :-- |" * (len(FRAMEWORKS) + 2))
    for entry, told in ENTRIES.items():
        cells = [told[name] or "-" for name in FRAMEWORKS]
        rows.append(f"| {int(entry)} | {told['title']} | " + " | ".join(cells) + f" | {penstock(entry)} |")
    return "\n".join(rows)


def main() -> int:
    """Writes the table, or looks whether it is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(f"{BEGIN}\n.*?\n{END}", re.DOTALL)
    wanted = pattern.sub(lambda found: f"{BEGIN}\n\n{table()}\n\n{END}", page)
    if options.check:
        if wanted != page:
            print("docs/pitfalls.md is not what the programs say: run python tools/write_pitfalls.py")
        return int(wanted != page)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
