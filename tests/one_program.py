"""Values of many calls, computed as one program: XLA takes much longer for a program of each.

Each call has its own test, which checks the result.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

import penstock as ps
from emitters import compiled_quickly
from penstock.testing import use_engine
from penstock.trace.structure import mapped


def values_of(tier: str, calls: Mapping[Any, Callable[[], Any]], *, quickly: bool = False) -> dict[Any, Any]:
    """What each of the calls returns, with arrays in place of tensors; or the error that it raises.

    `quickly` has XLA compile in less time than it takes for users: see emitters.py.
    """
    made: dict[Any, Any] = {}
    compiled = compiled_quickly() if quickly else nullcontext()
    # Under an open tape nothing is run before the end.
    with compiled, use_engine(tier), ps.GradientTape(watch_accessed_variables=False) as tape:
        for name, call in calls.items():
            try:
                made[name] = call()
            except Exception as error:
                made[name] = error
        tape.reset()
        ps.wait()
    return {name: one if isinstance(one, Exception) else mapped(one, as_array) for name, one in made.items()}


def as_array(one: Any) -> Any:
    return np.asarray(one.numpy()) if hasattr(one, "numpy") else one


def value_of(found: Any) -> Any:
    """What has come of a call; raises the error that it has raised."""
    if isinstance(found, Exception):
        raise found
    return found
