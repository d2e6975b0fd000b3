"""Functions of the user's that are called with so many arguments: checked before they are."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from penstock.errors import SignatureError
from penstock.trace.source_site import here


def require_arity(what: str, role: str, function: Callable[..., Any], count: int, remedy: str) -> None:
    """Raises SignatureError for a function that cannot be called with `count` arguments.

    `what` calls it and `role` is its name there; `remedy` says what to type. Where a function does not tell
    its parameters, nothing is checked.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*[None] * count)
    except TypeError:
        code = getattr(function, "__code__", None)
        where = f", defined at {code.co_filename}:{code.co_firstlineno}" if code is not None else ""
        raise SignatureError(
            f"{what}: {role} takes {signature}, and is called with {count} argument{'s' * (count != 1)}.",
            origin=f"{role} is {getattr(function, '__name__', repr(function))}{where}",
            remedy=remedy,
            site=here(),
        ) from None


__all__ = ["require_arity"]
