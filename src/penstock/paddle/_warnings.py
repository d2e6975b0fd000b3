"""Warnings as Paddle shows them: each text once, whatever lines of the program lead to it."""

from __future__ import annotations

import warnings
from types import FrameType

from penstock.trace.source_site import user_frame

_registry: dict[object, object] = {}
"""What `warnings` notes of the texts that were shown, by text, category and line; it empties it itself."""
_lines: dict[tuple[str, type[Warning]], int] = {}
"""The line on which each text was last shown."""


def warn(text: str, category: type[Warning] = UserWarning, frame: FrameType | None = None) -> None:
    """Warns on the user's line, or on that of `frame`, unless the text was shown before on any line.

    Paddle warns on a line of its own, which Python's filters count. So filters that are set later, such as
    those of `warnings.catch_warnings`, let a text be shown again, as there.
    """
    frame = frame or user_frame()
    line, known = frame.f_lineno, _lines.get((text, category))
    if known is not None and _registry.get((text, category, known)):
        _registry[text, category, line] = True
    _lines[text, category] = line
    warnings.warn_explicit(text, category, frame.f_code.co_filename, line, registry=_registry)


__all__ = ["warn"]
