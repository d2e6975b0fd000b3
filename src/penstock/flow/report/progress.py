"""One line on the terminal that says how far a long run has come, and keeps out of the script's way."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO

CLEAR = "\r\x1b[2K"
PAUSE = 0.1
"""Seconds between two drawings of the line."""


class _Guarded:
    """A stream that takes the progress line away before anything else is written."""

    def __init__(self, stream: TextIO, line: _Line) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        """Writes text where the progress line was."""
        self._line.give_way(text)
        return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        """Writes lines one after another."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _Line:
    """The line: drawn from time to time, and only while the script's own output stands at a line's start."""

    def __init__(self, stream: TextIO) -> None:
        from rich.console import Console

        self.stream = stream
        self.console = Console(file=stream)
        self.shown = False
        self.at_start = True
        self.begun = self.last = time.monotonic()

    def __call__(self, steps: int) -> None:
        """Draws the line, unless it has just been drawn."""
        now = time.monotonic()
        if now - self.last < PAUSE or not self.at_start:
            return
        from rich.text import Text

        self.last = now
        rate = steps / (now - self.begun)
        pace = f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.1f} a second"
        text = Text.assemble((f"{steps:,} steps recorded", "bold"), (f", {pace}", "dim"))
        self.take_away()
        self.console.print(text, end="", no_wrap=True, overflow="ellipsis", crop=True)
        self.stream.flush()
        self.shown = True

    def take_away(self) -> None:
        """Clears the line."""
        if self.shown:
            self.stream.write(CLEAR)
            self.stream.flush()
            self.shown = False

    def give_way(self, text: str) -> None:
        """Makes room for what the script is about to write."""
        self.take_away()
        if text:
            self.at_start = text.endswith("\n")


@contextlib.contextmanager
def progress_line(stream: TextIO) -> Iterator[Callable[[int], None] | None]:
    """Yields a function that shows the number of steps on a terminal; None where `stream` is no terminal."""
    if not stream.isatty():
        yield None
        return
    line = _Line(stream)
    before = sys.stdout, sys.stderr
    if sys.stdout.isatty():
        sys.stdout = _Guarded(sys.stdout, line)
    sys.stderr = _Guarded(sys.stderr, line)
    try:
        yield line
    finally:
        sys.stdout, sys.stderr = before
        line.take_away()
