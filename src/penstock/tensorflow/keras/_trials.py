"""Calls of a layer on symbols, which may be tried several times: a program notices one.

The shapes of a result can depend on lengths that are not known, and then the layer is called for several
answers. Keras calls it once: what its code draws from Python's and NumPy's shared generators, and what it
prints, are those of one call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from penstock.functions.scratch import Call
from penstock.tensorflow._modes import inside, print_once_per_trace
from penstock.tensorflow._shared_generators import States, restore, states
from penstock.tensorflow.keras._seed_generator import seeds_drawn


@contextlib.contextmanager
def as_one(call: Call) -> Iterator[Call]:
    """Gives the call of a layer, for as many trials as it takes.

    Every trial starts with the random numbers of the first, and in the end the generators are where the first
    trial that succeeded has left them. If a trial has created layers, whose seeds come from there too, the
    next goes on instead: these layers are there by now.
    """
    start, seeds = states(), seeds_drawn[0]
    after: States | None = None
    trials, succeeded = 0, False

    def trial(operands: list[Any]) -> Any:
        nonlocal after, trials, succeeded
        trials += 1
        if trials > 1 and seeds_drawn[0] == seeds:
            if succeeded and after is None:
                after = states()
            restore(start)
        if succeeded:
            print_once_per_trace()
            with _silent():
                return call(operands)
        result = call(operands)
        succeeded = True
        return result

    try:
        yield trial
    finally:
        if after is not None:
            restore(after)


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Lets Python's `print` write nothing."""
    inside.traced += 1
    try:
        yield
    finally:
        inside.traced -= 1


__all__ = ["as_one"]
