"""Functions that TensorFlow traces twice: a first call that creates variables is traced again without them.

What Python's and NumPy's shared generators give in the first trace is in no graph that runs: the seeds that
Keras takes from them are those of the second.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from penstock.functions.scratch import scratch
from penstock.tensorflow._modes import muted
from penstock.tensorflow._shared_generators import restore, states
from penstock.trace.tensor import serial_numbers


def pass_first(trace: Callable[[], Any]) -> None:
    """Draws from the shared generators what the first of two traces draws, by tracing the call aside.

    Where no variable is created, TensorFlow traces once, and nothing is drawn.
    """
    start, before = states(), next(serial_numbers)
    # What cannot be traced without values raises where it is called.
    with contextlib.suppress(Exception), scratch(), muted([]):
        trace()
    if next(serial_numbers) == before + 1:
        restore(start)
