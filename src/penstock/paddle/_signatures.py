"""Constructors from a table: their arguments by name, with Python's messages for wrong ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import Parameter, Signature
from typing import Any

REQUIRED = Parameter.empty
"""Represents the default of an argument that has none."""


def bound(
    called: str, defaults: Mapping[str, Any], arguments: Sequence[Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Returns the value of each argument, by its name; raises TypeError as a Python function does.

    >>> bound("f", {"x": REQUIRED, "y": 2}, [1], {})
    {'x': 1, 'y': 2}
    >>> bound("f", {"x": REQUIRED, "y": 2}, [1], {"z": 3})
    Traceback (most recent call last):
    TypeError: f() got an unexpected keyword argument 'z'
    """
    names = list(defaults)
    if len(arguments) > len(names):
        raise TypeError(f"{called}() takes {len(names)} arguments but {len(arguments)} were given")
    found = dict(zip(names, arguments))
    for name, value in options.items():
        if name not in defaults:
            raise TypeError(f"{called}() got an unexpected keyword argument {name!r}")
        if name in found:
            raise TypeError(f"{called}() got multiple values for argument {name!r}")
        found[name] = value
    given = {name: found.get(name, default) for name, default in defaults.items()}
    missing = [name for name, value in given.items() if value is REQUIRED]
    if missing:
        raise TypeError(f"{called}() missing 1 required positional argument: {missing[0]!r}")
    return given


def defaults_of(function: Any) -> dict[str, Any]:
    """Returns the arguments of a function with their defaults.

    >>> defaults_of(lambda x, y=2: x)["y"]
    2
    """
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = function.__defaults__ or ()
    return dict(zip(names, (*[REQUIRED] * (len(names) - len(given)), *given), strict=True))


def signature(defaults: Mapping[str, Any]) -> Signature:
    """Returns what `help` shows of such a constructor."""
    kind = Parameter.POSITIONAL_OR_KEYWORD
    return Signature([Parameter(name, kind, default=value) for name, value in defaults.items()])


__all__ = ["REQUIRED", "bound", "defaults_of", "signature"]
