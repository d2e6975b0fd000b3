"""The identity of arrays and tracers: a key for each, as long as it lives."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import numpy as np
from jax._src import core
from jax._src.interpreters import batching, partial_eval

Key = Any
"""A number for an array, or for a tracer of a differentiated function; a variable of a jaxpr otherwise."""


def bare(thing: Any) -> Any:
    """Returns what is behind the tracers of `vmap`."""
    while isinstance(thing, batching.BatchTracer):
        thing = thing.val
    return thing


class Keys:
    """Keys of living things. Arrays and tracers have a number, values of a traced program their variable."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._numbers = itertools.count()

    def of(self, thing: Any) -> Key | None:
        """Returns the key of a thing; None if it has none yet."""
        thing = bare(thing)
        if isinstance(thing, partial_eval.DynamicJaxprTracer):
            return thing.val if isinstance(thing.val, core.Var) else None
        found = self._known.get(id(thing))
        return found[1] if found is not None and found[0]() is thing else None

    def give(self, thing: Any) -> Key | None:
        """Returns the key of a thing, a new one if it has none; None for numbers and other constants."""
        thing = bare(thing)
        found = self.of(thing)
        if found is not None or isinstance(thing, partial_eval.DynamicJaxprTracer):
            return found
        if not isinstance(thing, core.Tracer | np.ndarray) and not hasattr(thing, "addressable_shards"):
            return None
        known, place = self._known, id(thing)

        def forget(reference: weakref.ref[Any]) -> None:
            if place in known and known[place][0] is reference:
                del known[place]

        try:
            known[place] = weakref.ref(thing, forget), next(self._numbers)
        except TypeError:
            return None
        return known[place][1]


__all__ = ["Key", "Keys", "bare"]
