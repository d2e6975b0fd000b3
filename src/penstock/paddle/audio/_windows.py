"""Windows for parts of a signal, in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

_Array = Any
"""An array of NumPy."""


def _cosines(*weights: float) -> Callable[[int], _Array]:
    """Returns the function for a sum of cosines of whole waves, with these weights."""

    def window(length: int) -> _Array:
        angles = np.linspace(-math.pi, math.pi, length)
        return sum(weight * np.cos(n * angles) for n, weight in enumerate(weights))

    return window


def _from_middle(length: int) -> _Array:
    return np.arange(length) - (length - 1) / 2


def _bartlett(length: int) -> _Array:
    return 1.0 - np.abs(_from_middle(length)) * 2 / (length - 1)


def _triang(length: int) -> _Array:
    return 1.0 - np.abs(_from_middle(length)) * 2 / (length + length % 2)


def _bohman(length: int) -> _Array:
    places = np.abs(np.linspace(-1, 1, length))
    found = (1 - places) * np.cos(math.pi * places) + np.sin(math.pi * places) / math.pi
    found[[0, -1]] = 0.0
    return found


def _cosine(length: int) -> _Array:
    return np.sin(math.pi / length * (np.arange(length) + 0.5))


def _kaiser(length: int, beta: float) -> _Array:
    return np.kaiser(length, beta)


def _gaussian(length: int, std: float) -> _Array:
    return np.exp(-(_from_middle(length) ** 2) / (2 * std**2))


def _general_gaussian(length: int, p: float, sig: float) -> _Array:
    return np.exp(-0.5 * np.abs(_from_middle(length) / sig) ** (2 * p))


def _exponential(length: int, center: float | None = None, tau: float = 1.0) -> _Array:
    middle = (length - 1) / 2 if center is None else center
    return np.exp(-np.abs(np.arange(length) - middle) / tau)


def _tukey(length: int, alpha: float = 0.5) -> _Array:
    if alpha <= 0:
        return np.ones(length)
    into = np.minimum(np.arange(length), np.arange(length)[::-1]) * 2 / (min(alpha, 1.0) * (length - 1))
    return np.where(into < 1, 0.5 * (1 - np.cos(math.pi * np.minimum(into, 1))), 1.0)


def _taylor(length: int, nbar: int = 4, sll: float = 30, norm: bool = True) -> _Array:
    """Side lobes next to the main one have nearly equal heights, `sll` decibels below it."""
    a = math.acosh(10 ** (sll / 20)) / math.pi
    widening = nbar**2 / (a**2 + (nbar - 0.5) ** 2)
    orders = np.arange(1, nbar)
    weights = []
    for i, m in enumerate(orders):
        above = (-1) ** i * np.prod(1 - m**2 / widening / (a**2 + (orders - 0.5) ** 2))
        weights.append(above / (2 * np.prod(1 - m**2 / np.delete(orders, i) ** 2)))

    def at(places: _Array) -> _Array:
        waves = np.cos(2 * math.pi * orders[:, None] * (places - length / 2 + 0.5) / length)
        return 1 + 2 * np.asarray(weights) @ waves

    found = at(np.arange(length))
    return found / at(np.asarray([(length - 1) / 2])) if norm else found


WINDOWS: dict[str, Callable[..., _Array]] = {
    "hamming": _cosines(0.54, 0.46), "hann": _cosines(0.5, 0.5), "kaiser": _kaiser, "bartlett": _bartlett,
    "nuttall": _cosines(0.3635819, 0.4891775, 0.1365995, 0.0106411), "gaussian": _gaussian,
    "general_gaussian": _general_gaussian, "exponential": _exponential, "triang": _triang, "bohman": _bohman,
    "blackman": _cosines(0.42, 0.50, 0.08), "cosine": _cosine, "tukey": _tukey, "taylor": _taylor,
}  # fmt: skip
"""The function of each window, of its length and its own arguments: symmetric ones."""
NEED_ARGUMENTS = ("gaussian", "general_gaussian", "kaiser")
"""Windows that have an argument without a default."""
