"""Which updates of an optimizer are measured, and which backward passes are compared with earlier ones."""

from __future__ import annotations

FEW, SELDOM, RARE = 8, 16, 64
"""The first FEW updates of an optimizer are measured, then one in SELDOM, from the RAREth on one in RARE."""


def is_measured(times: int) -> bool:
    """Returns whether an update is measured, by its number.

    >>> [number for number in range(1, 200) if is_measured(number)]
    [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 48, 64, 128, 192]
    """
    return times <= FEW or not times % (SELDOM if times <= RARE else RARE)


def scattered(number: int) -> int:
    """Returns a number without a period, so that events with a fixed period are not always missed."""
    return (number * 2_654_435_761 >> 13) & 0xFFFF


__all__ = ["FEW", "RARE", "SELDOM", "is_measured", "scattered"]
