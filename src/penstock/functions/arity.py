"""Checks that the user's functions accept a number of arguments, before they are called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from penstock.errors import SignatureError
from penstock.trace.source_site import here


def require_arity(what: str, role: str, function: Callable[..., Any], count: int, remedy: str) -> None:
    """Raises SignatureError for a function that cannot be called with `count` arguments.

    `what` is the caller and `role` the function's name there; `remedy` says what to type. A function without
    a known signature is not checked.
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
