"""The vocabulary of a variable, and how its flag says there that it is frozen."""

from __future__ import annotations

from typing import Any

from penstock.flow.asked import Asked
from penstock.flow.source import line_at
from penstock.flow.words import NATIVE, PADDLE, PADDLE_DATA, PaddleWords, Words


def words_of(variable: Any) -> Words:
    """Returns the words of a variable's vocabulary: some say stop_gradient where others say trainable."""
    if isinstance(variable, Asked):
        return variable.words
    if not hasattr(type(variable), "stop_gradient"):
        return NATIVE
    return PADDLE_DATA if getattr(variable, "_made_by", "") == "to_tensor" else PADDLE


def flag_of(variable: Any) -> str:
    """Says that a variable is frozen, in the words of its framework, with the line if it is easy to miss.

    >>> import penstock as ps
    >>> flag_of(ps.Variable(0.0, trainable=False))
    'trainable is False'
    """
    if not isinstance(words_of(variable), PaddleWords):
        return "trainable is False"
    default = "by default " if is_frozen_by_default(variable) else ""
    return f"stop_gradient is True, set {default}at {variable._flags[-1].site}"


def is_frozen_by_default(variable: Any) -> bool:
    """Returns whether a variable is frozen by default, as by Paddle's `to_tensor`, and not by the program."""
    if not isinstance(words_of(variable), PaddleWords) or variable._trainable:
        return False
    last = variable._flags[-1]
    return last.by == "to_tensor" and "stop_gradient" not in line_at(last.site)
