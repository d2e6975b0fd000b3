"""The progress of training on the terminal: a bar that is drawn again, or a line for each epoch."""

from __future__ import annotations

import logging
import os
import sys
import time
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow.keras._defaults import interactive

INTERVAL = 0.05
"""Seconds between two drawings of a bar."""


@named("tf.keras.utils.Progbar")
class Progbar:
    """A progress bar, with values behind it: `verbose` is 0 for none, 1 for a bar, 2 for a line at the end.

    Values are averaged over the steps, except those named in `stateful_metrics`; with `stateless_metrics`,
    only those named there are averaged.

    >>> from penstock import tensorflow as tf
    >>> bar = tf.keras.utils.Progbar(2, verbose=0)
    >>> bar.add(1)
    """

    def __init__(
        self, target: int | None, width: int = 20, verbose: int = 1, interval: float = INTERVAL,
        stateful_metrics: Any = None, stateless_metrics: Any = None, unit_name: str = "step",
    ) -> None:  # fmt: skip
        self.target, self.width, self.verbose = target, width, verbose
        self.interval, self.unit_name = interval, unit_name
        self._stateful = None if stateful_metrics is None else set(stateful_metrics)
        if self._stateful is None and stateless_metrics is None:
            self._stateful = set()
        self._stateless = set(stateless_metrics or ())
        self._values: dict[str, tuple[float, float]] = {}
        self._start = self._drawn_at = time.time()
        self._drawn_at = 0.0
        self._after_first: float | None = None
        self._seen = self._shown_width = 0
        out = sys.stdout
        self._redraws = bool(getattr(out, "isatty", lambda: False)()) or os.name == "posix"

    @property
    def is_due(self) -> bool:
        """Whether a bar would be drawn now."""
        return self.verbose == 1 and time.time() - self._drawn_at >= self.interval

    def add(self, n: int, values: Any = None) -> None:
        """Advances by `n` steps."""
        self.update(self._seen + n, values)

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """Goes to a step; `values` are pairs of names and numbers."""
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        for name, value in values or ():
            self._take(name, float(np.mean(value)), current, finalize)
        self._seen = current
        now = time.time()
        each = self._time_per_step(current, now)
        if self.verbose == 1:
            if now - self._drawn_at < self.interval and not finalize:
                return
            self._draw(current, now, each, finalize)
        elif self.verbose == 2 and finalize and self.target:
            place = f"{current:{len(str(self.target))}d}/{self.target}"
            text = f"{place} - {now - self._start:.0f}s -{self._duration(each)}"
            _write(text + self._shown_values() + "\n")
        self._drawn_at = now

    def _take(self, name: str, value: float, current: int, finalize: bool) -> None:
        averaged = name not in self._stateful if self._stateful is not None else name in self._stateless
        if not averaged or finalize:
            self._values[name] = (value, 1)
            return
        steps = max(current - self._seen, 1)
        total, count = self._values.get(name, (0.0, 0))
        self._values[name] = (total + value * steps, count + steps)

    def _draw(self, current: int, now: float, each: float, finalize: bool) -> None:
        start = "\b" * self._shown_width + "\r" if self._redraws else "\n"
        invisible = 8
        if self.target:
            bar = f"\x1b[1m{current:{len(str(self.target))}d}/{self.target}\x1b[0m "
            full = int(self.width * current / self.target)
            if full > 0:
                bar += f"\x1b[32m{'━' * full}\x1b[0m"
                invisible += 9
            bar += f"\x1b[37m{'━' * (self.width - full)}\x1b[0m"
            invisible += 17
        else:
            bar = f"{current:7d}/Unknown"
        if self.target and not finalize:
            left = each * (self.target - current)
            info = f" \x1b[1m{_clock(left)}\x1b[0m"
        else:
            info = f" \x1b[1m{now - self._start:.0f}s\x1b[0m"
        info += self._duration(each) + self._shown_values()
        width = len(bar) + len(info) - invisible
        rest = " " * max(0, self._shown_width - width)
        _write(start + bar + info + rest + ("\n" if finalize else ""))
        self._shown_width = width

    def _shown_values(self) -> str:
        shown = ""
        for name, (total, count) in self._values.items():
            mean = total / max(1, count)
            large = abs(mean) > 1e-3 if self.verbose == 1 else mean > 1e-3
            shown += f" - {name}: {mean:.4f}" if large else f" - {name}: {mean:.4e}"
        return shown

    def _duration(self, each: float) -> str:
        if each >= 1 or each == 0:
            return f" {each:.0f}s/{self.unit_name}"
        if each >= 1e-3:
            return f" {each * 1e3:.0f}ms/{self.unit_name}"
        return f" {each * 1e6:.0f}us/{self.unit_name}"

    def _time_per_step(self, current: int, now: float) -> float:
        """Returns how long a step takes; the first, which is slow, counts only while it is the only one."""
        if not current:
            return 0.0
        if self._after_first is not None and current > 1:
            each = (now - self._after_first) / (current - 1)
        else:
            each = (now - self._start) / current
        if current == 1:
            self._after_first = now
        return each


def _clock(seconds: float) -> str:
    whole = int(seconds)
    if seconds > 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    return f"{whole // 60}:{whole % 60:02d}" if seconds > 60 else f"{whole}s"


def _write(text: str) -> None:
    if not interactive["logging"]:
        logging.getLogger("absl").info(text.strip())
        return
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:
        sys.stdout.write(text.encode("ascii", "replace").decode())
    sys.stdout.flush()


def say(text: str) -> None:
    """Prints a line, as callbacks do."""
    _write(text + "\n")
