"""The random generators of Python and NumPy that all code of a program shares."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

States = list[tuple[Callable[[Any], None], Any]]


def states() -> States:
    """Returns the states of these generators, each with the function that sets it."""
    found: States = [(random.setstate, random.getstate())]
    numbers = sys.modules.get("numpy.random")
    if numbers is not None:
        found.append((numbers.set_state, numbers.get_state(legacy=False)))
    return found


def restore(states: States) -> None:
    """Sets the generators back."""
    for put, state in states:
        put(state)
