"""What the user's framework calls a frozen variable, and what to type for one: dialects have their words."""

from __future__ import annotations

from typing import Any

from penstock.flow.source import line_at


def stops(variable: Any) -> bool:
    """Returns whether a variable is of a framework that says stop_gradient where others say trainable."""
    return hasattr(type(variable), "stop_gradient")


def flag_of(variable: Any) -> str:
    """Says that a variable is frozen, in the words of its framework, with the line where it is easily missed.

    >>> import penstock as ps
    >>> from penstock import paddle
    >>> flag_of(ps.Variable(0.0, trainable=False))
    'trainable is False'
    """
    if not stops(variable):
        return "trainable is False"
    last = variable._flags[-1]
    default = last.by == "to_tensor" and "stop_gradient" not in line_at(last.site)
    return f"stop_gradient is True, set {'by default ' if default else ''}at {last.site}"


def setter_of(variable: Any) -> str:
    """Returns the method that writes a variable."""
    return "set_value" if stops(variable) else "assign"


def unfreezing(variable: Any, name: str) -> str:
    """Returns what to type for a gradient of a frozen variable; `name` is what it is called."""
    if stops(variable):
        own = name.strip("'")
        return f"Write {own}.stop_gradient = False before computing with it."
    return f"Set trainable = True before the tape reads {name}, or call tape.watch on it."
