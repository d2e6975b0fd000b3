"""A request to a tape: a gradient, or, with a mode, a result of several reverse passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

Mode = tuple[Any, ...]
"""("jacobian" or "batch_jacobian", whether rows are computed one by one), or JVP."""

JVP: Mode = ("jvp",)
Meeting = Callable[[Any, Any, Any], None]
"""Called with a call of integers at which two gradients meet, and the two calls they came from, or None."""


@dataclass(slots=True)
class Request:
    """The targets, sources and cotangents (`seeds`) of a request, and the intervals that its tape recorded.

    `unconnected` is "none" or "zero". `intervals` are the slots recorded, as pairs of the first and one past
    the last; `watched` are slots, each with the slot from which it is watched. `implied` says that the
    program did not list the sources. `frame` is that of the requesting line. With `meeting`, gradients pass
    integers too: see `backward`.
    """

    targets: Sequence[Any]
    sources: Sequence[Any]
    seeds: Sequence[Any]
    unconnected: str
    mode: Mode | None
    intervals: tuple[tuple[int, int], ...]
    watched: tuple[tuple[int, int], ...]
    watch_variables: bool
    implied: bool
    frame: FrameType
    meeting: Meeting | None = None

    @property
    def receivers(self) -> Sequence[Any]:
        """The targets or sources: there is one result for each."""
        return self.targets if self.mode == JVP else self.sources
