"""Compilation under Paddle's names: there is one mode, so a function is as fast without a decorator."""

from __future__ import annotations

from typing import Any

from penstock.paddle._names import absent


def to_static(function: Any = None, input_spec: Any = None, **options: Any) -> Any:
    """Returns the function or layer as it is: a step that comes back is compiled anyway.

    Shapes may vary, so `input_spec` does nothing; nor do `options`.
    """
    if function is None:
        return lambda one: one
    return function


def not_to_static(func: Any = None) -> Any:
    """Returns the function as it is."""
    return to_static(func)


__all__ = ["not_to_static", "to_static"]


def __getattr__(name: str) -> Any:
    raise absent("paddle.jit", name, __all__)
