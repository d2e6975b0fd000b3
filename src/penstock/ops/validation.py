"""Checks of numeric arguments such as axes, lengths, counts and rates; errors name the argument."""

from __future__ import annotations

import numbers
import reprlib
from typing import Any

import numpy as np

from penstock.errors import DTypeError
from penstock.trace.lengths import whole as index
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


def plain(value: Any) -> Any:
    """Returns the equal Python number for a number of another type; anything else unchanged.

    These are NumPy scalars, arrays without axes, fractions, decimals and subclasses of int and float. An
    option must be a Python number, otherwise each of its values would create a separate program.

    >>> plain(np.float32(0.5)), plain(np.asarray(2)), plain("same")
    (0.5, 2, 'same')
    """
    if type(value) in _PLAIN or isinstance(value, Tensor | Cell):
        return value
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        # A longdouble is its own item.
        item = value.item()
        value = item if isinstance(item, numbers.Number) else value
    if type(value) in _PLAIN or not isinstance(value, numbers.Number):
        return value
    found: Any = value
    if isinstance(value, numbers.Integral):
        return int(value)
    # A decimal is neither real nor complex to Python.
    real = isinstance(value, numbers.Real) or not isinstance(value, numbers.Complex)
    return float(found) if real else complex(found)


_PLAIN = frozenset((bool, int, float, complex))


def shown(value: Any) -> str:
    """Returns the form of any value in messages: its repr, cut if it is long."""
    if isinstance(value, np.ndarray) and value.size > 1:
        return f"an array of shape {value.shape}"
    return " ".join(reprlib.repr(value).split())


def whole(what: str, value: Any) -> int:
    """Returns an integer; raises DTypeError for anything else. `what` names it, with the function.

    >>> whole("top_k: k", 3)
    3
    """
    try:
        return index(value)  # type: ignore[no-any-return]
    except TypeError:
        raise DTypeError(
            f"{what} is {shown(value)}.", why="It is a whole number.", remedy="Give an int.", site=here()
        ) from None


def wholes(what: str, value: Any) -> tuple[int, ...]:
    """Returns integers, given as one or as a sequence of them; raises DTypeError for anything else.

    >>> wholes("reshape: the shape", [2, -1]), wholes("reshape: the shape", 6)
    ((2, -1), (6,))
    """
    if isinstance(value, int | np.integer):
        return (int(value),)
    try:
        return tuple([index(one) for one in value])
    except TypeError:
        pass
    try:
        return (index(value),)
    except TypeError:
        raise DTypeError(
            f"{what} is {shown(value)}.",
            why="It takes one whole number, or several.",
            remedy="Give an int, or a tuple of int.",
            site=here(),
        ) from None


def number(what: str, value: Any) -> Any:
    """Returns a value as a Python number (see `plain`); raises DTypeError for anything that is not a number.

    >>> number("linspace: start", 0.5), number("linspace: start", np.float64(0.5))
    (0.5, 0.5)
    """
    found: Any = value
    if isinstance(value, Tensor | Cell):
        found = found.item() if value._spec.shape == () else None
    found = plain(found)
    if isinstance(found, int | float | complex):
        return found
    raise DTypeError(f"{what} is {shown(value)}.", why="It is a number.", remedy="Give a float.", site=here())
