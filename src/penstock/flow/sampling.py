"""The changes of a variable that are measured: the first ones, and then more rarely the larger it is."""

from __future__ import annotations

OFTEN, LARGE, FEW, SELDOM, RARE = 256, 10_000, 8, 16, 32
"""The first OFTEN changes of a variable by one line are measured, then one in SELDOM, and half as many each
time their number doubles, down to one in RARE. For a variable with more than LARGE elements, and for an
optimizer's state, it is at most the first FEW, and then one in a multiple of SELDOM that grows with the
size."""
HUGE = 4_000_000
"""Values of up to this many elements are tested for being finite in every step."""


def _pace(times: int, size: int, own: bool) -> tuple[int, int]:
    """Returns how many of the first changes are measured, and the distance of later measured ones.

    The distance doubles until it is long enough. `own` marks an optimizer's state.
    """
    if size <= LARGE and not own:
        return OFTEN, min(RARE, max(SELDOM, 1 << max(0, times.bit_length() - 5)))
    doublings = ((size - 1) // LARGE).bit_length() + 2 * own if size else 0
    least = max(SELDOM << doublings // 2, 1 << times.bit_length() - 1)
    return max(2, FEW - doublings // 2), min(SELDOM << doublings, least)


def is_measured(times: int, size: int, own: bool = False) -> bool:
    """Returns whether the change number `times` that a line makes is measured.

    >>> [times for times in range(1, 400) if is_measured(times, 100_000)]
    [1, 2, 3, 4, 5, 6, 64, 128, 256]
    """
    early, distance = _pace(times, size, own)
    return times <= early or not times % distance


def until_measured(times: int, size: int, own: bool = False, few: int | None = None) -> int:
    """Returns how many more changes after this many are not measured before one is.

    `few` says how many of the first are measured instead of the usual number.

    >>> until_measured(64, 100_000)
    63
    """
    early, distance = _pace(max(times, 1), size, own)
    if times < (early if few is None else few):
        return 0
    return distance - 1 - times % distance


__all__ = ["is_measured", "until_measured"]
