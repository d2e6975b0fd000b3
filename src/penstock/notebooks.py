"""Notebooks as programs: the cells of code, in order, each under its own file name."""

from __future__ import annotations

import ast
import json
import linecache
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from penstock.errors import PenstockError

SUFFIX = ".ipynb"
_RUN = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cells that begin with one of these are run without that line; cells with another magic are not Python."""
_MAGIC = re.compile(r"^(?P<blank>\s*)(?:[%!?]|[\w.]+\?{1,2}\s*$)")


def cells_of(file: str | Path) -> list[tuple[int, str]]:
    """Returns the number, counted from 1 over all cells, and the text of each cell of code.

    Lines for IPython or for the shell (`%matplotlib inline`, `!pip install x`) are replaced by `pass`, so
    that the lines keep their numbers. Raises PenstockError for a file that is not a notebook.
    """
    try:
        cells = json.loads(Path(file).read_text(encoding="utf-8"))["cells"]
        texts = [(one["cell_type"], one["source"]) for one in cells]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PenstockError(
            f"{file} cannot be read as a notebook: {type(error).__name__}: {error}.",
            remedy="Save it as a notebook of version 4, or as a Python file.",
        ) from None
    found = []
    for number, (kind, source) in enumerate(texts, 1):
        text = source if isinstance(source, str) else "".join(source)
        if kind == "code":
            found.append((number, _plain(text)))
    return found


def _plain(text: str) -> str:
    """Returns a cell without the lines that only IPython understands."""
    if text.lstrip().startswith("%%"):
        blank, _, rest = text.partition("%%")
        first, _, body = rest.partition("\n")
        if f"%%{first.split()[0] if first.split() else ''}" not in _RUN:
            return ""
        text = f"{blank}pass\n{body}"
    try:
        ast.parse(text)
    except SyntaxError:
        lines = [_MAGIC.sub(r"\g<blank>pass  # ", line) for line in text.split("\n")]
        return "\n".join(lines)
    return text


def text_of(file: str | Path) -> str:
    """Returns a notebook as one program, for reading and not for running."""
    return "\n".join(text for _, text in cells_of(file))


def compiled(file: str | Path) -> Iterator[CodeType]:
    """Yields the code of each cell; its lines can be shown by the name under which it is compiled."""
    where = os.path.abspath(file)
    for number, text in cells_of(file):
        name = f"{where} cell {number}"
        linecache.cache[name] = len(text), None, [f"{line}\n" for line in text.split("\n")], name
        yield compile(text, name, "exec", dont_inherit=True)


__all__ = ["SUFFIX", "cells_of", "compiled", "text_of"]
