"""Warns of gradients that are None when an optimizer applies them: once for each line and path."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

from penstock.errors import UpdateWarning
from penstock.trace.engine import engine
from penstock.trace.recorder import Trace
from penstock.trace.source_site import is_library, warn

_FACT = "absent gradients"
MOST = 256
"""How many warnings are remembered, for lines that recur on other paths."""
_told: dict[object, str] = {}


def warn_absent(trace: Trace, frame: FrameType, variables: list[Any], text: Callable[[str], str]) -> None:
    """Warns that variables have no gradient; `text` puts reasons into words, a line each.

    The reasons are computed when a path first reaches the line, and kept for the same variables. If the
    program has observers, they are told each time instead.
    """
    while is_library(frame.f_code) and frame.f_back is not None:
        frame = frame.f_back
    key = frame.f_code, frame.f_lasti, tuple([variable._uid for variable in variables])
    facts = trace.node.facts
    if facts.get(_FACT) == key:
        engine.absences.tell(variables)
        return
    said = text("\n".join(engine.reasons(trace, variables)))
    facts[_FACT] = key
    if not engine.absences and _told.get(key) != said:
        # The first steps of a loop may take different paths from later ones.
        if len(_told) >= MOST:
            _told.clear()
        _told[key] = said
        warn(said, UpdateWarning, frame)


__all__ = ["warn_absent"]
