"""Declares a function of TensorFlow 1 that builds an operation in a graph, and computes outside of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.tensorflow._graphs.build import lift


def built(
    *names: str, type: str | None = None, fresh: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Returns a decorator for what builds an operation of a type in a graph; it goes by some names."""
    return lambda function: named(*names)(lift(function, type, fresh))


__all__ = ["built"]
