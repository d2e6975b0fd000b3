"""The byte code of functions of a program: with the functions inside, the names in it, what it writes."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator
from types import CodeType

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


def writes_outside(step: dis.Instruction, code: CodeType) -> bool:
    """Returns whether an instruction of the code changes something that is not a local of its function."""
    outer = step.opname == "STORE_DEREF" and step.argval in code.co_freevars
    return outer or step.opname in _WRITES


__all__ = ["codes", "names", "writes_outside"]
