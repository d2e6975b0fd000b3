"""A progress line on the terminal for long runs, which keeps out of the way of the script's output."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

from penstock.streams import streams_kept

if TYPE_CHECKING:
    from rich.text import Text

CLEAR = "\r\x1b[2K"
PAUSE = 0.1
"""Seconds between two drawings of the line."""


class _Turns:
    """One thread at a time writes to the terminal: none draws between another's clearing and writing."""

    def __init__(self) -> None:
        self.lock = threading.RLock()

    def renew(self) -> None:
        """Forgets a thread that was writing when this process was forked: it does not exist here."""
        self.lock = threading.RLock()


turns = _Turns()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=turns.renew)


class Guarded:
    """A stream that clears the progress line before anything else is written."""

    def __init__(self, stream: TextIO, line: Line) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        """Writes text where the progress line was."""
        with turns.lock:
            self._line.give_way(text)
            return self._stream.write(text)

    def writelines(self, lines: Any) -> None:
        """Writes lines one after another."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Line:
    """The line: drawn only while the script's own output is at the start of a line."""

    def __init__(self, stream: TextIO) -> None:
        from penstock.flow.report import terminal

        self.stream = stream
        self.console = terminal.console(stream)
        self.shown = False
        self.at_start = True
        self._before: tuple[Any, Any] | None = None

    def draw(self, text: Text) -> None:
        """Draws the line over the previous one, cut at the terminal's width."""
        with turns.lock:
            if not self.at_start:
                return
            self.take_away()
            self.shown = True  # before it is, so that an interrupt half-way leaves nothing
            self.console.print(text, end="", no_wrap=True, overflow="ellipsis", crop=True)
            self.stream.flush()

    def take_away(self) -> None:
        """Clears the line."""
        if self.shown:
            self.stream.write(CLEAR)
            self.stream.flush()
            self.shown = False

    def give_way(self, text: str) -> None:
        """Makes room for the script's next output."""
        self.take_away()
        if text:
            self.at_start = text.endswith("\n")

    def begin(self) -> None:
        """Makes all other output to the terminal clear the line first."""
        self._before = sys.stdout, sys.stderr
        if sys.stdout is not None and sys.stdout.isatty():
            sys.stdout = Guarded(sys.stdout, self)
        sys.stderr = Guarded(sys.stderr, self)

    def end(self) -> None:
        """Clears the line for good."""
        if self._before is not None:
            out, err = self._before
            self._before = None
            # Keep a stream that the script has put in their place in the meantime.
            if isinstance(sys.stdout, Guarded) and sys.stdout._line is self:
                sys.stdout = out
            if isinstance(sys.stderr, Guarded) and sys.stderr._line is self:
                sys.stderr = err
        self.take_away()


@contextlib.contextmanager
def progress_line(stream: TextIO) -> Iterator[Callable[[int], None] | None]:
    """Yields a function that shows the number of steps on a terminal; None if `stream` is not a terminal."""
    if not stream.isatty():
        yield None
        return
    with streams_kept():
        from rich.text import Text

    line = Line(stream)
    begun = last = time.monotonic()

    def show(steps: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < PAUSE:
            return
        last = now
        rate = steps / (now - begun)
        pace = f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.1f} a second"
        line.draw(Text.assemble((f"{steps:,} steps recorded", "bold"), (f", {pace}", "dim")))

    line.begin()
    try:
        yield show
    finally:
        line.end()
