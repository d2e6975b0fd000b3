"""What the user's own source says at a line: the line, the name it assigns to, the numbers written in it."""

from __future__ import annotations

import ast
import linecache
import re
from functools import lru_cache
from typing import Any

import numpy as np

from penstock.trace.site import Site

UNNAMED = re.compile(r"[Vv]ariable(_\d+)?")
"""The paths of variables that were created without a name."""


def line_at(site: Site | None) -> str:
    """Returns the source line at a site, without its indentation; empty where the source is not at hand."""
    return linecache.getline(site.file, site.line).strip() if site is not None else ""


def assigned_name(site: Site | None) -> str | None:
    """Returns the one name that the statement on this line assigns to, if it does that."""
    match _statement(site):
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return str(name)
        case ast.Assign(targets=[ast.Attribute(attr=name)]) | ast.AnnAssign(target=ast.Attribute(attr=name)):
            return str(name)
    return None


def called(variable: Any) -> str:
    """Returns what to call a variable: its path, or the name it was assigned to if nobody named it."""
    path: str = variable.path
    if UNNAMED.fullmatch(path):
        return assigned_name(variable.site) or path
    return path


def stands_in_line(site: Site, number: Any) -> bool:
    """Returns whether a number is written out on a line; True also where the source is not at hand.

    >>> from penstock.trace.site import Site
    >>> stands_in_line(Site("no such file", 1, ""), 2.0)
    True
    """
    statement = _statement(site)
    if statement is None:
        return True
    wanted = np.asarray(number)[()]
    literals = [node.value for node in ast.walk(statement) if isinstance(node, ast.Constant)]
    return any(
        isinstance(literal, int | float | complex)
        and (literal == wanted or wanted.dtype.type(literal) == wanted)
        for literal in literals
    )


def _statement(site: Site | None) -> ast.stmt | None:
    """Returns the innermost statement that a line belongs to."""
    if site is None:
        return None
    return _statements("".join(linecache.getlines(site.file))).get(site.line)


@lru_cache(64)
def _statements(text: str) -> dict[int, ast.stmt]:
    """Returns the innermost statement of each line of a program; of none if it cannot be read."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    found: dict[int, ast.stmt] = {}
    # Outer statements come before those inside them, which then take their lines.
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            found.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), node))
    return found
