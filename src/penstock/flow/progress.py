"""Progress of a loop that the user writes: a line on standard error, which never makes a step run early.

The line is drawn with `rich`, like that of `penstock check`. Rich's own progress bars are not used: they draw
from a thread, estimate by the mean, and print nothing without a terminal.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import math
import os
import statistics
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.errors import PenstockError, ShapeError
from penstock.flow.report.progress import Guarded, Line, turns
from penstock.interrupts import HeldInterrupts
from penstock.streams import streams_kept
from penstock.trace.builder import require_no_recording
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

if TYPE_CHECKING:
    from rich.text import Text

DRAWN, WRITTEN = 0.5, 10.0
"""Seconds between two drawings on a terminal, and between two lines elsewhere."""
SAMPLES = 9
"""The rate is the median over this many intervals between drawings."""
QUIET = "PENSTOCK_QUIET"

clock = time.monotonic
_drawing = threading.Lock()
"""Held by the thread whose line is on the terminal."""
_begun: weakref.WeakSet[Progress] = weakref.WeakSet()


class _Open(threading.local):
    """The loops that are running in this thread, outermost first."""

    def __init__(self) -> None:
        self.loops: list[Progress] = []


_open = _Open()


class Progress:
    """Iterates, and shows how far a loop has come: step, rate, time left, and values handed to `show`.

    `steps` is anything to iterate over, a number of steps, which gives 0, 1, 2 and so on, or None for a loop
    without an end. `total` is the number of steps, if the iterable has no length. `name` comes first.

    On a terminal one line is rewritten, at most every 0.5 s; other output appears above it. Elsewhere a line
    is written every 10 s. `every` sets another interval in seconds. A last line gives the result. Everything
    goes to standard error; with `quiet=True`, or PENSTOCK_QUIET=1 in the environment, nothing is written.

    The rate is the median over the latest intervals, so that a compilation does not count. Values given to
    `show` are held, and shown once their step has been run: the line never reads a pending value, which would
    run the pending operations and end a step early. It is therefore one step behind, as a rule; only the last
    line reads. Non-finite values are marked.

    A loop inside another, in the same thread, shares its line, and has no last line. Of several threads one
    draws; the others' lines come at the end. Use a loop only in the thread that iterates it. When a loop is
    left by an exception, an interrupt or `break`, the terminal is restored, and the last line says where it
    stopped. For a loop that is not a `for`, use a `with` block, and `advance`.

    Args:
        steps: an iterable, a number of steps, or None.
        name: the beginning of the line.
        total: the number of steps, if `steps` does not give it.
        every: the number of seconds between two lines.
        quiet: whether to print nothing; None asks the terminal.

    Raises:
        PenstockError: if `steps` cannot be iterated over or counted.

    >>> import penstock as ps
    >>> x = ps.Variable(4.0)
    >>> optimizer = ps.optimizers.SGD(0.25)
    >>> for step in (progress := ps.Progress(10, name="training", quiet=True)):
    ...     with ps.GradientTape() as tape:
    ...         loss = x * x
    ...     optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    ...     progress.show(loss=loss)
    >>> progress.step, progress.total
    (10, 10)
    """

    def __init__(
        self,
        steps: Iterable[Any] | int | None = None,
        *,
        name: str = "",
        total: int | None = None,
        every: float | None = None,
        quiet: bool | None = None,
    ) -> None:
        if isinstance(steps, bool) or not (steps is None or isinstance(steps, int | Iterable)):
            raise PenstockError(
                f"Progress was given {steps!r}, which is neither a number of steps nor iterable.",
                remedy="Give a number, range(...), or the iterable of the loop.",
                site=here(),
            )
        if isinstance(steps, int):
            if steps < 0:
                raise PenstockError(
                    f"Progress was given {steps} steps.", remedy="Give a number of 0 or more.", site=here()
                )
            total, steps = steps if total is None else total, range(steps)
        if total is None:
            with contextlib.suppress(TypeError):
                total = len(steps)  # type: ignore[arg-type]
        if every is not None and not every >= 0:
            raise PenstockError(
                f"Progress: every is {every!r}.", remedy=("Give a number of seconds, 0 or more."), site=here()
            )
        self.name, self.total, self.step = name, total, 0
        self._steps = itertools.count() if steps is None else steps
        self._every = every
        self._quiet = os.environ.get(QUIET, "0") not in ("", "0") if quiet is None else quiet
        self._held: dict[str, Any] = {}
        self._older: dict[str, Any] = {}
        self._waiting: dict[str, Any] = {}
        self._known: dict[str, Any] = {}
        self._display: _Display | None = None
        self._thread: int | None = None
        self._outermost = False

    # -- the loop ----------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[Any]:
        """Yields the items of the loop, and counts."""
        inside = self._thread is not None
        finished = False
        try:
            if not inside:
                self._begin()
            for one in self._steps:
                yield one
                self.step += 1
                display = self._display
                if display is not None and clock() >= display.due:
                    display.refresh()
                self._older = self._held.copy()
            finished = True
        finally:
            if not inside:
                try:
                    self._end(finished)
                except KeyboardInterrupt:
                    # The interrupt may have come before the end began.
                    self._end(finished)
                    raise

    def advance(self, steps: int = 1) -> None:
        """Counts steps of a loop that is not a `for`; inside `with Progress(...) as progress`."""
        self._check("advance")
        self.step += steps
        display = self._display
        if display is not None and clock() >= display.due:
            display.refresh()
        self._older = self._held.copy()

    def show(self, **values: Any) -> None:
        """Shows numbers, scalar tensors or strings, by name, until others are given.

        Reads no pending value: tensors are held, and a Variable is shown with its value when the line is
        written.

        Raises ShapeError for anything but a single number, and PenstockError in another thread or in a
        captured step.
        """
        self._check("show")
        for name, value in values.items():
            known = isinstance(value, Tensor | Cell)
            shape = value._spec.shape if known else getattr(value, "shape", ())
            if shape != () and math.prod(shape) != 1:
                raise ShapeError(
                    f"show: {name} has the shape {tuple(shape)}.",
                    why="A line of progress has room for one number.",
                    remedy=f"Show its mean: show({name}=ps.mean({name})).",
                    site=here(),
                )
        self._held.update(values)

    def close(self) -> None:
        """Ends the display before the end of the loop. It ends by itself after a loop or a `with` block."""
        self._end(self.total is None or self.step >= self.total)

    def __enter__(self) -> Progress:
        try:
            self._begin()
        except KeyboardInterrupt:
            self._end(False)
            raise
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._end(kind is None and (self.total is None or self.step >= self.total))

    def _check(self, what: str) -> None:
        require_no_recording(
            f"Progress.{what}", f"Return the value from the step, and call {what} in the loop."
        )
        if self._thread is None and what == "advance":
            raise PenstockError(
                "Progress.advance was called outside the loop.",
                remedy="Write: with ps.Progress(total) as progress: ... progress.advance().",
                site=here(),
            )
        if self._thread is not None and self._thread != threading.get_ident():
            raise PenstockError(
                f"Progress.{what} was called in another thread than the loop's.",
                why="Values are shown by the thread that iterates, between two of its steps.",
                remedy=(
                    "Pass the value to that thread, for example by a queue, or give each thread its own "
                    "Progress."
                ),
                site=here(),
            )

    # -- the display -------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self._thread is not None:
            raise PenstockError(
                f"Progress {self.name!r} is already running.",
                remedy="Create another Progress for another loop.",
                site=here(),
            )
        with HeldInterrupts():
            self._enter()

    def _enter(self) -> None:
        self.step = 0
        self._held, self._older, self._waiting, self._known = {}, {}, {}, {}
        self._thread = threading.get_ident()
        self._start = clock()
        self._sampled: tuple[float, int] = (self._start, 0)
        self._rates: deque[float] = deque(maxlen=SAMPLES)
        loops = _open.loops
        if not self._quiet:
            around = next((one for one in reversed(loops) if one._display is not None), None)
            self._outermost = around is None
            self._display = _Display.of(self._every) if around is None else around._display
        loops.append(self)
        _begun.add(self)

    def _end(self, finished: bool) -> None:
        # An interrupt half-way would lose the last line, and leave the terminal to a loop that is over.
        with HeldInterrupts():
            if self._thread is not None:
                self._leave(finished)

    def _leave(self, finished: bool) -> None:
        here_now = self._thread == threading.get_ident()
        if here_now:
            # Inner loops that are still listed were left without a call of `end`.
            while _open.loops and _open.loops[-1] is not self:
                _open.loops[-1]._end(False)
            _open.loops.pop()
        self._thread = None
        display, self._display = self._display, None
        if display is None or not self._outermost:
            return
        self._sample(clock())
        # After a failure nothing is read: the value may be what failed or was interrupted.
        self._take_up(finished and here_now)
        text = self._last(finished)
        self._held, self._older, self._waiting = {}, {}, {}
        display.close(text)

    def _sample(self, now: float) -> None:
        then, step = self._sampled
        if self.step > step and now > then:
            self._rates.append((self.step - step) / (now - then))
            self._sampled = (now, self.step)

    def _take_up(self, look: bool = False) -> None:
        """Takes the latest values that have been run: those of this step, or else of the previous one."""
        for values in (self._held, self._older, self._waiting):
            if values and (look or not any(map(_pending, values.values()))):
                self._known = {name: _number(value, look) for name, value in values.items()}
                self._waiting = {}
                return
        # A loop without a tape is run in long stretches: the values held now will be run at some point.
        self._waiting = self._waiting or self._held.copy()

    def _parts(self) -> Iterator[tuple[str, str]]:
        """Yields the parts of the line, each with its style."""
        count = f"{self.step:,}" if self.total is None else f"{self.step:,}/{self.total:,}"
        yield f"{self.name} {count}" if self.name else f"step {count}", "bold"
        if self.total and self.step <= self.total:
            yield f"{self.step / self.total:.0%}", ""
        if self._rates:
            rate = statistics.median(self._rates)
            yield _pace(rate), "dim"
            if self.total is not None and self.step < self.total:
                yield f"{_time((self.total - self.step) / rate)} left", ""
        yield from self._values()

    def _values(self) -> Iterator[tuple[str, str]]:
        for name, value in self._known.items():
            wrong = isinstance(value, float) and not math.isfinite(value)
            yield f"{name} {_shown(value)}", "bold red" if wrong else "green"

    def _last(self, finished: bool) -> Text:
        """Returns the last line."""
        took = clock() - self._start
        count = f"{self.step:,}" if finished or self.total is None else f"{self.step:,} of {self.total:,}"
        said = "" if finished else "stopped after "
        first = f"{self.name}: " if self.name else ""
        steps = "step" if count == "1" else "steps"
        parts = [(f"{first}{said}{count} {steps} in {_time(took)}", "bold" if finished else "bold yellow")]
        if self._rates:
            parts.append((_pace(statistics.median(self._rates)), "dim"))
        return _line([*parts, *self._values()])


class _Display:
    """The output of a thread's line: redrawn on a terminal, or written at intervals."""

    def __init__(self, line: Line | None, stream: Any, every: float) -> None:
        self.line, self.stream, self.every = line, stream, every
        self.due = clock() + every
        self.loops = _open.loops

    @staticmethod
    def of(every: float | None) -> _Display | None:
        """Returns the display of an outermost loop; None if there is nothing to write to."""
        stream = sys.stderr
        if stream is None:
            return None
        if not stream.isatty() or os.environ.get("TERM") == "dumb":
            return _Display(None, stream, WRITTEN if every is None else every)
        # The terminal shows the line of another thread, or of `penstock check`: write only a last line.
        if isinstance(stream, Guarded) or not _drawing.acquire(blocking=False):
            return _Display(None, stream, math.inf)
        line = Line(stream)
        with turns.lock:
            line.begin()
        return _Display(line, stream, DRAWN if every is None else every)

    def refresh(self) -> None:
        """Rewrites the line, from all loops that are running in this thread."""
        now = clock()
        shown = [one for one in self.loops if one._display is self]
        self.due = now + self.every
        for one in shown:
            one._sample(now)
            one._take_up()
        text = _line([part for one in shown for part in one._parts()])
        if self.line is not None:
            self.line.draw(text)
        else:
            self._write(text)

    def _write(self, text: Text) -> None:
        with contextlib.suppress(OSError, ValueError), turns.lock:
            # Another thread may draw on the same terminal by now: its line gives way to this one.
            stream = sys.stderr if self.every == math.inf and isinstance(sys.stderr, Guarded) else self.stream
            stream.write(text.plain + "\n")
            stream.flush()

    def close(self, text: Text) -> None:
        """Clears the line and writes the last one."""
        if self.line is None:
            self._write(text)
            return
        with turns.lock:
            self.line.end()
            with contextlib.suppress(OSError, ValueError):
                if not self.line.at_start:
                    self.stream.write("\n")
                # A new console: that of the line may hold half a line after an interrupt.
                Line(self.stream).console.print(text, soft_wrap=True)
        _drawing.release()


def _line(parts: Iterable[tuple[str, str]]) -> Text:
    with streams_kept():
        from rich.text import Text

    return Text("  ").join([Text(*part) for part in parts])


def _pending(value: Any) -> bool:
    return isinstance(value, Tensor | Cell) and value._value is None


def _number(value: Any, look: bool) -> Any:
    """Returns a value as a Python number; without `look`, the value of a tensor is known already."""
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Tensor | Cell):
        value = value.numpy() if look else np.asarray(value._value)
    item = getattr(value, "item", None)
    return value if item is None else item()


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}" if math.isfinite(value) else f"{value} (not finite)"
    return f"{value:,}" if type(value) is int else str(value)


def _pace(rate: float) -> str:
    if rate < 1:
        return f"{1 / rate:.3g} s/step"
    return f"{rate:,.0f} steps/s" if rate >= 100 else f"{rate:.3g} steps/s"


def _time(seconds: float) -> str:
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


@atexit.register
def _close_all() -> None:
    """Ends loops that an exception has left open: its traceback keeps them alive until Python exits."""
    for one in list(_begun):
        one._end(False)


__all__ = ["Progress"]
