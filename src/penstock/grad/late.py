"""A tape that is opened afterwards: for dialects whose gradients are asked for without one."""

from __future__ import annotations

from types import FrameType
from typing import Any

from penstock.grad.tape import GradientTape
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell, Tensor


class LateTape(GradientTape):
    """A persistent tape of all that a trace has recorded from a place on, `start`, and goes on recording.

    The trace must not have been run since. What it watches, it has watched from the beginning.
    """

    __slots__ = ()

    def since(self, trace: Trace, start: int, frame: FrameType) -> None:
        """Opens the tape at an earlier place of a trace."""
        self.persistent = True
        self._trace, self._generation = trace, trace.generation
        self._intervals, self._watched = [[start, -1]], []
        self._ordinal = len(trace.tapes)
        trace.tapes.append(self)
        self._mark("open", start, frame, watch_variables=self._watch_variables)

    def watch_throughout(self, one: Tensor | Cell, frame: FrameType) -> None:
        """Watches a tensor or a variable as if it had been watched from the beginning."""
        trace, start = self._trace, self._intervals[0][0]
        assert trace is not None
        slot = trace.reference(one)
        self._mark("watch", start, frame, slot=slot)
        self._watched.append((slot, start))

    def _mark(self, kind: str, start: int, frame: FrameType, **details: Any) -> None:
        assert self._trace is not None
        key = (self._ordinal, start, *details.values())
        self._trace.mark(kind, key, frame, tape=self._ordinal, since=start, **details)


__all__ = ["LateTape"]
