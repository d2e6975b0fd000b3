"""Finds the user's own lines in a program that runs through installed packages."""

from __future__ import annotations

import os
import sys
from types import CodeType, FrameType

from penstock.trace.source_site import Site, is_library, is_library_file, recorded_at

_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")
_TYPED = ("<ipython-input", "<python-input", "<stdin>")
"""A shell's file names for lines that its user has typed."""
_installed: dict[str, bool] = {}


def is_installed(code: CodeType) -> bool:
    """Returns whether code belongs to an installed package, the standard library or Penstock."""
    file = code.co_filename
    found = _installed.get(file)
    if found is None:
        found = _installed[file] = is_library(code) or is_installed_file(file)
    return found


def is_installed_file(file: str) -> bool:
    """Returns whether a file belongs to an installed package, or is none."""
    return any(one in file for one in _PACKAGES) or (file.startswith("<") and not file.startswith(_TYPED))


def is_own(kind: type) -> bool:
    """Returns whether a class is the program's own, and not that of a package or of Python."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return file is not None and not is_library_file(file) and not is_installed_file(file)


def user_frame(depth: int = 1) -> FrameType | None:
    """Returns the innermost frame outside every installed package, from `depth` callers up."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and is_installed(frame.f_code):
        frame = frame.f_back
    return frame


def user_frames(depth: int = 1) -> list[FrameType]:
    """Returns all frames outside installed packages, innermost first."""
    frame: FrameType | None = sys._getframe(depth)
    found = []
    while frame is not None:
        if not is_installed(frame.f_code):
            found.append(frame)
        frame = frame.f_back
    return found


def site_of(frame: FrameType | None) -> Site | None:
    """Returns the line that a frame is running."""
    if frame is None:
        return None
    return recorded_at(frame)


def here(depth: int = 1) -> Site | None:
    """Returns the user's line that led here."""
    return site_of(user_frame(depth + 1))


__all__ = ["here", "is_installed", "is_installed_file", "is_own", "site_of", "user_frame", "user_frames"]
