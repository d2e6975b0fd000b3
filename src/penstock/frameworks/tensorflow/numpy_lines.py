"""The line on which a program hands a value to NumPy, which reads the memory of a tensor unobserved."""

from __future__ import annotations

import ast

from penstock.flow.bindings import mentions
from penstock.flow.source import assigned_name, statements_of
from penstock.trace.source_site import Site

FAR = 40
"""The call is at most this many lines after the value was computed."""
_MODULES = ("np", "numpy", "math", "onp")


def numpy_line(made: Site | None) -> Site | None:
    """Returns the first line from that of a value on that calls a function of NumPy with the value."""
    if made is None:
        return None
    name = assigned_name(made)
    for one in statements_of(made.file):
        site = Site(made.file, one.lineno, made.function)
        if made.line <= one.lineno <= made.line + FAR and _calls_numpy(one):
            own = one.lineno == made.line
            if own or (name is not None and mentions(site, name)):
                return site
    return None


def _calls_numpy(statement: ast.stmt) -> bool:
    """Returns whether a statement without others inside it calls a function of NumPy or of math."""
    if any(isinstance(one, ast.stmt) for one in ast.iter_child_nodes(statement)):
        return False
    for node in ast.walk(statement):
        match node:
            case ast.Call(func=ast.Attribute() as function):
                while isinstance(function.value, ast.Attribute):
                    function = function.value
                if isinstance(function.value, ast.Name) and function.value.id in _MODULES:
                    return True
    return False


__all__ = ["numpy_line"]
