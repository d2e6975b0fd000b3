"""Numbers that users give beside tensors: axes, lengths, counts, rates. What is none is refused by name."""

from __future__ import annotations

import operator
import reprlib
from typing import Any

import numpy as np

from penstock.errors import DTypeError
from penstock.trace.site import here


def shown(value: Any) -> str:
    """Returns how a message shows a value of any kind: its repr, cut where it is long."""
    if isinstance(value, np.ndarray) and value.size > 1:
        return f"an array of shape {value.shape}"
    return " ".join(reprlib.repr(value).split())


def whole(what: str, value: Any) -> int:
    """Returns an integer; raises DTypeError for what is none. `what` names it, with the function.

    >>> whole("top_k: k", 3)
    3
    """
    try:
        return int(operator.index(value))
    except TypeError:
        raise DTypeError(
            f"{what} is {shown(value)}.", why="It is a whole number.", remedy="Give an int.", site=here()
        ) from None


def wholes(what: str, value: Any) -> tuple[int, ...]:
    """Returns integers given as one or as a sequence of them; raises DTypeError for what is neither.

    >>> wholes("reshape: the shape", [2, -1]), wholes("reshape: the shape", 6)
    ((2, -1), (6,))
    """
    if isinstance(value, int | np.integer):
        return (int(value),)
    try:
        return tuple([int(operator.index(one)) for one in value])
    except TypeError:
        pass
    try:
        return (int(operator.index(value)),)
    except TypeError:
        raise DTypeError(
            f"{what} is {shown(value)}.",
            why="It is a whole number, or several.",
            remedy="Give an int, or a tuple of int.",
            site=here(),
        ) from None


def number(what: str, value: Any) -> Any:
    """Returns a Python number, that of an array without axes too; raises DTypeError for what is none.

    >>> number("linspace: start", 0.5)
    0.5
    """
    if isinstance(value, int | float | complex):
        return value
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        found = value.item()
        if isinstance(found, int | float | complex):
            return found
    raise DTypeError(f"{what} is {shown(value)}.", why="It is a number.", remedy="Give a float.", site=here())
