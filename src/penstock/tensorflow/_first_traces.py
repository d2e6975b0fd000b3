"""Functions that TensorFlow traces twice: a first call that creates variables is traced again without them.

What Python's and NumPy's shared generators give in the first trace is in no graph that runs: the seeds that
Keras takes from them are those of the second.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from penstock.functions.scratch import scratch
from penstock.tensorflow._modes import inside, muted
from penstock.tensorflow._shared_generators import restore, states
from penstock.tensorflow._symbols import Symbols
from penstock.trace.tensor import serial_numbers


def pass_first(trace: Callable[[], Any], prints: bool = False) -> None:
    """Draws from the shared generators what the first of two traces draws, by tracing the call aside.

    Where no variable is created, TensorFlow traces once, and nothing is drawn. With `prints`, Python's
    `print` writes in this trace, and the other one does not repeat it.
    """
    start, before = states(), next(serial_numbers)
    if prints:
        inside.heard = None
    # What cannot be traced without values raises where it is called.
    with contextlib.suppress(Exception), scratch(), Symbols(inside) if prints else muted([]):
        trace()
    if next(serial_numbers) == before + 1:
        restore(start)
