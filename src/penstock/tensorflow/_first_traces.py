"""Functions that TensorFlow traces twice: a first call that creates variables is traced again without them.

What Python's and NumPy's shared generators give in the first trace is in no graph that runs: the seeds that
Keras takes from them are those of the second.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.functions.scratch import scratch
from penstock.tensorflow._modes import inside, muted
from penstock.tensorflow._shared_generators import restore, states
from penstock.tensorflow._symbols import Symbols
from penstock.trace.spec import Spec
from penstock.trace.tensor import serial_numbers


def _guess() -> Callable[[Spec], Any]:
    """Returns a function that makes up values that the code reads: a condition holds every other time."""
    turns = itertools.cycle((False, True))

    def guess(one: Spec) -> Any:
        return np.full(one.shape, next(turns) if one.dtype == np.bool_ else 1, one.dtype)

    return guess


def pass_first(trace: Callable[[], Any], prints: bool = False) -> None:
    """Draws from the shared generators what the first of two traces draws, by tracing the call aside.

    Where no variable is created, TensorFlow traces once, and nothing is drawn. With `prints`, Python's
    `print` writes in this trace, and the other one does not repeat it.
    """
    start, before = states(), next(serial_numbers)
    if prints:
        inside.heard = None
    # What cannot be traced without values raises where it is called.
    with contextlib.suppress(Exception), scratch(guess=_guess()), Symbols(inside) if prints else muted([]):
        trace()
    if next(serial_numbers) == before + 1:
        restore(start)
