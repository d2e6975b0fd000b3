"""The user's lines behind JAX's equations, and whether an inner program is a function of JAX itself."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType
from typing import Any
from weakref import ref

import jax

from penstock.frameworks.places import is_installed
from penstock.trace.source_site import PACKAGE, Site

_HOME = os.path.join(os.path.dirname(os.path.realpath(jax.__file__)), "")
MOST = 10_000
"""For how many lines of equations the answer is remembered."""
_known: dict[tuple[CodeType, int], Site | None] = {}


def line_of(equation: Any) -> Site | None:
    """Returns the user's innermost line behind an equation; None if it has none."""
    traceback = equation.source_info.traceback
    if traceback is None:
        return None
    codes, instructions = traceback.raw_frames()
    for code, at in zip(codes, instructions, strict=True):
        if is_installed(code):
            continue
        key = code, at
        if key not in _known:
            if len(_known) >= MOST:
                _known.clear()
            line = type(traceback).code_addr2line(code, at)
            _known[key] = Site(code.co_filename, line, code.co_name, None, (ref(code), at))
        return _known[key]
    return None


def is_typed() -> bool:
    """Returns whether the program itself has called the function of JAX that is running."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_HOME, PACKAGE)):
        frame = frame.f_back
    return frame is not None and not is_installed(frame.f_code)


def is_typed_in(equation: Any) -> bool:
    """Returns whether the program itself has called the function of JAX that made an equation."""
    traceback = equation.source_info.traceback
    if traceback is None:
        return False
    codes, _ = traceback.raw_frames()
    outside = [code for code in codes if not code.co_filename.startswith((_HOME, PACKAGE))]
    return bool(outside) and not is_installed(outside[0])


def is_of_jax(jaxpr: Any) -> bool:
    """Returns whether a program is a function of JAX itself: its lines are those of its first trace."""
    info = getattr(jaxpr, "debug_info", None)
    where = getattr(info, "func_src_info", None) or ""
    _, _, file = where.partition(" at ")
    return not file or os.path.realpath(file.rpartition(":")[0]).startswith(_HOME)


__all__ = ["is_of_jax", "is_typed", "is_typed_in", "line_of"]
