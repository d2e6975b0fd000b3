"""Scripts on the command line: their own options, and standard input as a script."""

from __future__ import annotations

import ast
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from penstock.errors import PenstockError
from penstock.running import STANDARD_INPUT, trees


def own_options(script: str, folder: str | None = None) -> set[str]:
    """Returns the options of a script, or of a module next to it that it imports, by name: "--steps".

    Nothing is run. An option is a text that begins with two hyphens, as in argparse and click, or the name in
    a call of absl's `DEFINE_...`. Options read by other means are not found.
    """
    found: set[str] = set()
    for _, tree in trees(Path(script), Path(folder or Path(script).parent)):
        for node in ast.walk(tree):
            match node:
                case ast.Constant(value=str(text)) if text.startswith("--") and " " not in text:
                    found.update(text.split("/"))
                case ast.Call(
                    func=ast.Attribute(attr=called) | ast.Name(id=called),
                    args=[ast.Constant(value=str(name)), *_],
                ) if called.startswith("DEFINE_"):
                    found.add(f"--{name}")
    return found


@contextlib.contextmanager
def standard_input(scripts: list[str]) -> Iterator[None]:
    """Reads the script `-` from standard input, as a file whose name says where it is from.

    Raises PenstockError for `-` together with other scripts, and at a terminal.
    """
    if "-" not in scripts:
        yield
        return
    if len(scripts) > 1:
        raise PenstockError(
            "- means the script from standard input, and other scripts are given too.",
            remedy="Check it in a separate call.",
        )
    if sys.stdin is None or sys.stdin.isatty():
        raise PenstockError(
            "- means the script from standard input, which is a terminal.",
            remedy="Redirect a program to it: penstock check - < train.py",
        )
    data = getattr(sys.stdin, "buffer", None)
    text = data.read() if data is not None else sys.stdin.read().encode()
    with tempfile.TemporaryDirectory(prefix="penstock-") as folder:
        file = Path(folder, STANDARD_INPUT)
        file.write_bytes(text)
        scripts[0] = os.fspath(file)
        yield


__all__ = ["own_options", "standard_input"]
