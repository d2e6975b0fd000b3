"""The progress of `paddle.Model` on the terminal: a bar that is drawn again, or a line every few steps."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Any

import numpy as np


class ProgressBar:
    """A bar (`verbose` 1) or lines (2, 3) with the number of the step, values, and the time of a step."""

    def __init__(self, num: int | None = None, width: int = 30, verbose: int = 1, name: str = "step") -> None:
        terminal = shutil.get_terminal_size()[0] or 80
        self._num, self._verbose, self.name = num, verbose, name
        self._width = min(width, min(int(terminal * 0.6), terminal - 50))
        self._shown_width = 0
        self._start = time.time()
        out = sys.stdout
        self._redraws = bool(getattr(out, "isatty", lambda: False)()) or os.name == "posix"

    def update(self, current: int, values: Any = ()) -> None:
        """Goes to a step; `values` are pairs of names and numbers, or lists of numbers."""
        each = (time.time() - self._start) / current if current else 0.0
        if self._verbose == 1:
            self._draw(current, values, each)
        elif self._verbose in (2, 3):
            sys.stdout.write(f"{self._place(current)}{_shown(values)}{self._duration(each)}\n")
        sys.stdout.flush()

    def _place(self, current: int) -> str:
        if self._num:
            return f"{self.name} {current:{len(str(self._num))}d}/{self._num}"
        return f"{self.name} {current:3}"

    def _draw(self, current: int, values: Any, each: float) -> None:
        sys.stdout.write("\b" * self._shown_width + "\r" if self._redraws else "\n")
        bar = self._place(current)
        if self._num is not None:
            full = int(self._width * current / self._num)
            end = ">" if current < self._num else "="
            bar += " [" + ("=" * (full - 1) + end if full > 0 else "") + "." * (self._width - full) + "]"
        info = _shown(values)
        if self._num is not None and current < self._num:
            info += f" - ETA: {_clock(int(each * (self._num - current)))}"
        info += self._duration(each)
        width = len(bar) + len(info)
        info += " " * max(0, self._shown_width - width)
        self._shown_width = width
        over = self._num is None or current >= self._num
        sys.stdout.write(bar + info + ("\n" if over else ""))

    def _duration(self, each: float) -> str:
        if each >= 1 or each == 0:
            return f" - {each:.0f}s/{self.name}"
        if each >= 1e-3:
            return f" - {each * 1e3:.0f}ms/{self.name}"
        return f" - {each * 1e6:.0f}us/{self.name}"


def _clock(seconds: int) -> str:
    if seconds > 3600:
        return f"{seconds // 3600}:{seconds % 3600 // 60:02}:{seconds % 60:02}"
    return f"{seconds // 60}:{seconds % 60:02}" if seconds > 60 else f"{seconds}s"


def _shown(values: Any) -> str:
    shown = ""
    for name, value in values:
        shown += f" - {name}:"
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, np.ndarray) and one.size == 1 and one.dtype.kind == "f":
                one = one.item()
            if isinstance(one, float | np.floating):
                large = abs(float(one)) > 1e-3
                shown += f" {one:.4f}" if large else f" {one:.4e}"
            else:
                shown += f" {one}"
    return shown


__all__ = ["ProgressBar"]
