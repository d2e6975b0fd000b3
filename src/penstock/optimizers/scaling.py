"""The dynamic loss scale of an optimizer: how it changes, its bounds, and where it may start."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.ops.pointwise import isfinite, logical_and, maximum, minimum, where


def rescaled(scale: Any, factor: Any) -> Any:
    """Returns a loss scale times a factor, kept finite and at least 1; otherwise it could never recover.

    It is not doubled past the largest number of its dtype, nor lowered below 1, at which it has no effect; a
    scale that was set below 1 is not lowered. If it is zero, infinite or NaN, it restarts at 1.
    """
    sound = where(logical_and(isfinite(scale), scale > 0.0), scale, 1.0)
    wanted = sound * factor
    return where(isfinite(wanted), maximum(wanted, minimum(sound, 1.0)), sound)


def is_scale(value: Any) -> bool:
    """Returns whether a number can be a loss scale, which is kept in single precision.

    >>> [is_scale(one) for one in (32768.0, 0.0, float("inf"), float("nan"), -1.0, 1e39)]
    [True, False, False, False, False, False]
    """
    with np.errstate(over="ignore", under="ignore"):
        return 0.0 < float(np.float32(value)) < math.inf


__all__ = ["is_scale", "rescaled"]
