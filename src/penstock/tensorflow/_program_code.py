"""The byte code of functions of a program: with the functions inside, what it names, reads and writes.

Three files ask whether the code of a program shows, and each walks it in its own way: `_noticed.py` reads the
code of functions that are found by a name, `keras/_first_calls.py` looks at each value that chains of names
lead to, and `keras/_pure_cells.py` must know every value that is read. They share what a name means.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator
from types import CellType, CodeType, FunctionType
from typing import Any

_WRITES = {"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "DELETE_ATTR"}


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yields the code of a function and of all functions inside it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from codes(one)


@functools.lru_cache(maxsize=1024)
def names(code: CodeType) -> frozenset[str]:
    """Returns the names of globals and attributes in the code of a function, and of those inside it."""
    return frozenset(name for one in codes(code) for name in one.co_names)


@functools.lru_cache(maxsize=1024)
def globals_in(code: CodeType) -> frozenset[str]:
    """Returns the globals and built-ins that the code of a function, and of those inside it, reads."""
    loads = (one for part in codes(code) for one in dis.get_instructions(part))
    return frozenset(one.argval for one in loads if one.opname in ("LOAD_GLOBAL", "LOAD_NAME"))


def around(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yields the globals and the variables of enclosing functions that a function reads, each with its value.

    Built-ins are left out, and so are names without a value.
    """
    code, known = function.__code__, function.__globals__
    for name in globals_in(code) & known.keys():
        yield name, known[name]
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if cell != CellType():
            yield name, cell.cell_contents


def writes_outside(step: dis.Instruction, code: CodeType) -> bool:
    """Returns whether an instruction of the code changes something that is not a local of its function."""
    outer = step.opname == "STORE_DEREF" and step.argval in code.co_freevars
    return outer or step.opname in _WRITES


__all__ = ["around", "codes", "globals_in", "names", "writes_outside"]
