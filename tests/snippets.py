"""The snippets of pages: programs and commands, run in the order in which a page has them."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import warnings
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import penstock as ps
from penstock.cli import main
from penstock.running import run_script

BLOCK = re.compile(
    r'(?ms)^```(?P<kind>python|console|sh)(?: title="(?P<title>[^"\n]+)")?\n(?P<code>.*?)^```$'
    r"(?:\n+```text\n(?P<output>.*?)^```$)?"
)
FOREIGN = {"tensorflow": "tensorflow", "keras": "tensorflow", "paddle": "paddle", "torch": None, "jax": None}
"""For each framework whose programs pages show: the dialect that runs them, none for itself."""
GAP = "[...]"


@dataclass(frozen=True)
class Snippet:
    """A program or a command of a page, the output shown under it, and the line on which it begins."""

    kind: str
    title: str
    code: str
    output: str | None
    line: int

    @property
    def framework(self) -> str | None:
        """The framework in whose words a program is written."""
        found = re.search(r"(?m)^(?:import|from) (\w+)", "\n".join(self._imports()))
        return found[1] if found else None

    def _imports(self) -> list[str]:
        return [
            line
            for line in self.code.splitlines()
            if re.match(rf"(?:import|from) (?:{'|'.join(FOREIGN)})\b", line)
        ]


def snippets(page: str) -> list[Snippet]:
    """Returns the snippets of a page. What is titled "x.py, continued" is a part of x.py."""
    found: list[Snippet] = []
    for one in BLOCK.finditer(page):
        line = page.count("\n", 0, one.start()) + 1
        new = Snippet(one["kind"], one["title"] or "", one["code"], one["output"], line)
        title = new.title.removesuffix(", continued")
        if title == new.title:
            found.append(new)
            continue
        (place,) = [number for number, before in enumerate(found) if before.title == title]
        whole = found[place].code + "\n\n" + new.code
        output = (found[place].output or "") + (new.output or "") or None
        found[place] = replace(found[place], code=whole, output=output)
    return found


def run_program(snippet: Snippet, folder: Path) -> str | None:
    """Runs a program with a folder as the current one; returns its output, or None if it cannot run."""
    file = snippet.title or "example.py"
    (folder / file).write_text(snippet.code, encoding="utf-8")
    dialect = FOREIGN.get(snippet.framework or "")
    if snippet.framework and dialect is None and find_spec(snippet.framework) is None:
        compile(snippet.code, file, "exec")
        return None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        error = run_script(file, dialect, [])
        ps.wait()
    if error is not None:
        raise error
    return printed.getvalue().replace(f"{folder}/", "")


def run_command(line: str, folder: Path) -> str:
    """Runs a command of Penstock with a folder as the current one; returns its output."""
    printed = io.StringIO()
    words = shlex.split(line, comments=True)
    assert words[0] == "penstock", line
    with contextlib.redirect_stdout(printed), warnings.catch_warnings(), contextlib.suppress(SystemExit):
        warnings.simplefilter("ignore")
        main(words[1:])
    return printed.getvalue().replace(f"{folder}/", "")


def run(snippet: Snippet, folder: Path) -> str | None:
    """Runs a snippet; returns its output, or None if nothing here can run it."""
    if snippet.kind == "python":
        return run_program(snippet, folder)
    lines = [line.removeprefix("$ ") for line in snippet.code.splitlines()]
    ours = [line for line in lines if line.startswith("penstock ")]
    return "".join(run_command(line, folder) for line in ours) if len(ours) == len(lines) else None


def blurred(text: str) -> list[str]:
    """The lines of a text without the last digits of fractions, which differ from machine to machine."""
    return [
        re.sub(r" +", " ", re.sub(r"\d+\.\d{3,}(?:e[+-]\d+)?", "#", line)).rstrip()
        for line in text.splitlines()
    ]


def missing(shown: str, printed: str) -> list[str]:
    """The first part of a page's shown output, between `[...]`, that was not printed in this order."""
    have, place = blurred(printed), 0
    pieces = shown.split(f"{GAP}\n")
    if len(pieces) == 1 and blurred(shown) != have:
        return blurred(shown)
    for piece in pieces:
        wanted = blurred(piece)
        starts = range(place, len(have) - len(wanted) + 1)
        found = next((start for start in starts if have[start : start + len(wanted)] == wanted), None)
        if found is None:
            return wanted
        place = found + len(wanted)
    return []
