"""Warnings that a framework gives below a watched call, on the lines that they have without the watch."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import TextIO

from penstock.trace.source_site import PACKAGE

_DISPATCH = os.path.join("torch", "overrides.py")
"""Calls a function mode for a Python function of PyTorch, which the mode then calls again."""


def on_own_lines() -> Callable[[], None]:
    """Shows warnings whose line is one of Penstock's on the line that made the call; returns the undo.

    A framework counts frames to find the line of a warning, and meets those of the watch.
    """
    before = warnings.showwarning

    def show(
        message: Warning | str, category: type[Warning], filename: str, lineno: int,
        file: TextIO | None = None, line: str | None = None,
    ) -> None:  # fmt: skip
        strange = filename.startswith(PACKAGE) or filename.endswith(_DISPATCH)
        frame = _meant(filename, lineno) if strange else None
        if frame is None:
            before(message, category, filename, lineno, file, line)
            return
        registry = frame.f_globals.setdefault("__warningregistry__", {})
        # Filters and "once for each line" go by the line of the call, too.
        warnings.warn_explicit(
            message, category, frame.f_code.co_filename, frame.f_lineno or 1,
            module=frame.f_globals.get("__name__"), registry=registry,
        )  # fmt: skip

    warnings.showwarning = show

    def undo() -> None:
        if warnings.showwarning is show:
            warnings.showwarning = before

    return undo


def _meant(file: str, line: int) -> FrameType | None:
    """Returns the frame that a warning would have without the frames of the watch, as many frames up."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == warnings.__file__:
        frame = frame.f_back
    above = 0
    frames: list[FrameType] = []
    while frame is not None:
        if not above and (frame.f_code.co_filename, frame.f_lineno) == (file, line):
            above = len(frames) + 1
        frames.append(frame)
        frame = frame.f_back
    meant = []
    dispatched = False
    for frame in frames:
        name = frame.f_code.co_filename
        if name.startswith(PACKAGE):
            # Otherwise this line would be thought to have warned already.
            frame.f_globals.pop("__warningregistry__", None)
        elif name.endswith(_DISPATCH):
            dispatched = True
        elif dispatched:
            dispatched = False
        else:
            meant.append(frame)
    return meant[above - 1] if 0 < above <= len(meant) else None


__all__ = ["on_own_lines"]
