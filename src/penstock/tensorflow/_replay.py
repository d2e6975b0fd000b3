"""The tape of a replay, which can leave out the operations behind certain values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from penstock.grad.tape import GradientTape
from penstock.trace.tensor import Tensor


class ReplayTape(GradientTape):
    """A tape over one run of a session; `asking` holds the request for gradients, and its walls."""

    __slots__ = ("_implied", "_walls")

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__(persistent, watch_accessed_variables)
        self._walls: tuple[int, ...] = ()
        self._implied = False

    def asking(self, fenced: Iterable[Any], implied: bool) -> ReplayTape:
        """Returns this tape as if the operations that made the fenced tensors had not been recorded.

        `implied` says that the program did not list the sources.
        """
        self._implied = implied
        walls = tuple(
            sorted(one._slot for one in fenced if isinstance(one, Tensor) and one._trace is self._trace)
        )
        if not walls:
            return self
        made = ReplayTape(True, self._watch_variables)
        for name in ("_trace", "_generation", "_intervals", "_watched", "_ordinal", "_open", "_used"):
            setattr(made, name, getattr(self, name))
        made._walls, made._implied = walls, implied
        return made

    def intervals(self, size: int) -> list[tuple[int, int]]:
        """Returns the slots recorded, without the walls."""
        found = []
        for start, stop in super().intervals(size):
            for wall in self._walls:
                if start <= wall < stop:
                    found.append((start, wall))
                    start = wall + 1
            found.append((start, stop))
        return found
