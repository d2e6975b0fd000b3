"""What programs that JAX traces do besides their equations: the gradients and updates in them."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import Any

from jax._src import core

Entry = tuple[str, tuple[Any, ...]]
"""The name of one of the reader's methods, and its arguments after the frame."""


@dataclass(slots=True)
class Block:
    """Entries that stand for the equations from `first` up to `last`, which are JAX's own steps of them."""

    first: int
    last: int
    entries: list[Entry]


@dataclass(slots=True, eq=False)
class Script:
    """The blocks of a traced program, in order; `total` is how many equations the program has."""

    blocks: list[Block] = field(default_factory=list)
    total: int = -1

    @property
    def asks(self) -> bool:
        """Whether the program requests gradients."""
        return any(name == "asked" for block in self.blocks for name, _ in block.entries)


class Scripts:
    """The scripts of traced programs, found by the first equation of their jaxprs."""

    def __init__(self) -> None:
        self._open: weakref.WeakKeyDictionary[Any, Script] = weakref.WeakKeyDictionary()
        self._done: dict[Any, Script] = {}

    def of_trace(self, trace: Any) -> Script:
        """Returns the script of a trace that is under way."""
        found = self._open.get(trace)
        if found is None:
            found = self._open[trace] = Script()
        return found

    def finish(self, trace: Any, jaxpr: Any) -> bool:
        """Notes the jaxpr of a trace; returns whether the program requests gradients."""
        script = self._open.pop(trace, None)
        key = _key(jaxpr)
        if script is None or key is None:
            return False
        script.total = len(jaxpr.eqns)
        self._done[key] = script
        return script.asks

    def of(self, jaxpr: Any) -> Script | None:
        """Returns the script of a jaxpr, if its trace has requested or applied anything."""
        found = self._done.get(_key(jaxpr))
        return found if found is not None and found.total == len(jaxpr.eqns) else None


def _key(jaxpr: Any) -> Any:
    for equation in jaxpr.eqns:
        for one in equation.outvars:
            if not isinstance(one, core.DropVar):
                return one
    return None


__all__ = ["Block", "Entry", "Script", "Scripts"]
