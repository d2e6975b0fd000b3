"""The calls that led a program to a backward pass or an update."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType

from penstock.flow.strays import Way
from penstock.frameworks.places import site_of, user_frames


def way_here(depth: int) -> Way:
    """Returns the way to the present call, from `depth` callers up."""
    frames: Sequence[FrameType] = user_frames(depth + 1)
    function = frames[0].f_code if frames else None
    return Way(function, tuple(site_of(one) for one in frames[1:]))


__all__ = ["way_here"]
