"""Arguments by their names in other libraries, which a function here does not have: what to write instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from penstock.errors import ArgumentError
from penstock.trace.convert import shown
from penstock.trace.source_site import here

F = TypeVar("F", bound=Callable[..., Any])

OTHERS = {
    "dim": "axis",
    "dims": "axis",
    "axes": "axis",
    "keepdim": "keepdims",
    "keep_dims": "keepdims",
    "ddof": "correction",
    "unbiased": "correction",
}
"""What other libraries call an argument."""


def answers(function: F) -> F:
    """Lets a function accept unknown arguments to refuse them with a message, without a change to its
    signature.

    Python's own error would name the argument, but not what to write.
    """
    signature = inspect.signature(function)
    shown = [one for one in signature.parameters.values() if not one.name.startswith("_")]
    function.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
    return function


def refuse(function: Callable[..., Any], more: Sequence[Any], slips: Mapping[str, Any]) -> NoReturn:
    """Raises ArgumentError for arguments beyond those that a function takes, by position or by name."""
    parameters = inspect.signature(function).parameters.values()
    options = [one.name for one in parameters if one.default is not one.empty]
    name = function.__name__
    if more:
        by_name = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
        count = sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)
        remedy = f"Write {', '.join(f'{one}={shown(value)}' for one, value in zip(by_name, more))}."
        if options and any(one.name == "arrays" for one in parameters) and hasattr(more[0], "shape"):
            remedy = f"Give the arrays in one list: {name}([a, b], {options[0]}=0)."
        raise ArgumentError(
            f"{name}() takes {count} argument{'s' * (count != 1)} by position, and was given "
            f"{count + len(more)}.",
            remedy=remedy,
            site=here(),
        )
    unknown_argument(name, slips, options)


def unknown_argument(name: str, slips: Mapping[str, Any], takes: Sequence[str]) -> NoReturn:
    """Raises ArgumentError for an argument that a function or a method does not have."""
    slip, value = next(iter(slips.items()))
    own = OTHERS.get(slip, "")
    remedy = f"It takes {', '.join(takes) or 'none'}."
    if own in takes:
        remedy = f"Write {own}={int(value) if own == 'correction' else shown(value)}."
    raise ArgumentError(f"{name}() has no argument {slip!r}.", remedy=remedy, site=here())


__all__ = ["answers", "refuse", "unknown_argument"]
