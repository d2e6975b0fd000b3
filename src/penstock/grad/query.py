"""A request to a tape: a gradient, or, with a mode, a result of several reverse passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

Mode = tuple[Any, ...]
"""("jacobian" or "batch_jacobian", whether one row is to be computed after the other), or JVP."""

JVP: Mode = ("jvp",)


@dataclass(slots=True)
class Request:
    """The targets, sources and cotangents (`seeds`) of a question, and what its tape has recorded.

    `unconnected` is "none" or "zero". `intervals` are the slots recorded, as pairs of the first and one past
    the last; `watched` are slots, each with the one from which on it is watched. `implied` says that nobody
    has listed the sources. The line of `frame` asks.
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

    @property
    def receivers(self) -> Sequence[Any]:
        """Those for each of which there is one result."""
        return self.targets if self.mode == JVP else self.sources
