"""How far to go along a direction: the strong Wolfe conditions (Nocedal and Wright, 2006, section 3.5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_ENOUGH, _FLATTER, _MOST = 1e-4, 0.9, 25


class Point(NamedTuple):
    """A place on the line: how far it is, and the loss, the gradient and the slope there."""

    length: float
    loss: float
    gradient: np.ndarray[Any, Any]
    slope: float


def _lowest(one: Point, other: Point, bounds: tuple[float, float] | None = None) -> float:
    """Returns where the cubic through two points with their slopes is lowest, within bounds."""
    low, high = bounds or (min(one.length, other.length), max(one.length, other.length))
    apart = one.length - other.length
    d1 = one.slope + other.slope - 3.0 * (one.loss - other.loss) / apart if apart else math.nan
    square = d1 * d1 - one.slope * other.slope
    if not square >= 0.0:
        return (low + high) / 2.0
    d2 = math.sqrt(square)
    if one.length <= other.length:
        place = other.length - (other.length - one.length) * (other.slope + d2 - d1) / (
            other.slope - one.slope + 2.0 * d2
        )
    else:
        place = one.length - apart * (one.slope + d2 - d1) / (one.slope - other.slope + 2.0 * d2)
    return min(max(place, low), high)


def strong_wolfe(
    tried: Callable[[float], Point], start: Point, length: float, size: float, still: float
) -> tuple[Point, int]:
    """Returns a point that is low and flat enough, and how many were tried.

    `tried` gives the point at a length, `size` is the largest entry of the direction, and an interval that is
    shorter than `still` is not divided further.
    """

    def steep(point: Point) -> bool:
        return point.loss > start.loss + _ENOUGH * point.length * start.slope

    def flat(point: Point) -> bool:
        return abs(point.slope) <= -_FLATTER * start.slope

    last, point, count = start, tried(length), 0
    ends: list[Point] = []
    while count < _MOST:
        if steep(point) or (count > 1 and point.loss >= last.loss):
            ends = [last, point]
            break
        if flat(point):
            return point, count + 1
        if point.slope >= 0.0:
            ends = [last, point]
            break
        bounds = (point.length + 0.01 * (point.length - last.length), point.length * 10.0)
        last, point = point, tried(_lowest(last, point, bounds))
        count += 1
    ends = ends or [start, point]
    # The lower end is kept first.
    ends.sort(key=lambda one: one.loss)
    calls, close = count + 1, False
    while count < _MOST:
        low, high = sorted(one.length for one in ends)
        if (high - low) * size < still:
            break
        place = _lowest(ends[0], ends[1])
        margin = 0.1 * (high - low)
        near = min(high - place, place - low) < margin
        if near and (close or place >= high or place <= low):
            place = high - margin if abs(place - high) < abs(place - low) else low + margin
            near = False
        close = near
        point = tried(place)
        calls, count = calls + 1, count + 1
        if steep(point) or point.loss >= ends[0].loss:
            ends = sorted((ends[0], point), key=lambda one: one.loss)
            continue
        if flat(point):
            return point, calls
        turned = point.slope * (ends[1].length - ends[0].length) >= 0.0
        ends = [point, ends[0] if turned else ends[1]]
    return ends[0], calls


__all__ = ["Point", "strong_wolfe"]
