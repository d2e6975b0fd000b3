"""The terminal that a report is written to: its width, and whether it wants colours, bold and dim."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any, TextIO

from penstock.streams import streams_kept

if TYPE_CHECKING:
    from rich.console import Console


def console(stream: TextIO, width: int | None = None) -> Console:
    """Returns a console for a stream, as wide as the terminal or `width`.

    If NO_COLOR is set and not empty, it writes plain text: bold and dim are left out too.
    """
    with streams_kept():
        from rich.console import Console

    # Text in memory is for a program, or for a notebook, which sets FORCE_COLOR.
    read = isinstance(stream, io.StringIO) and not stream.isatty()
    letters = os.environ.get("NO_COLOR") or read
    plain: dict[str, Any] = {"color_system": None} if letters else {}
    # In a notebook, Rich would display the text instead of writing it.
    return Console(file=stream, width=width, highlight=False, force_jupyter=False, **plain)


__all__ = ["console"]
