"""Which tier runs a program: the setting decides, or counts of its work, so that runs are reproducible."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.tiers.placement import in_force
from penstock.tiers.program import HANDLED, Program
from penstock.trace.recorder import Trace
from penstock.trace.tree import HEAVY

ENGINES = ("auto", "numpy", "xla")


class Settings:
    """Which tier runs programs: `engine` is "auto", "numpy" or "xla" (environment: PENSTOCK_ENGINE)."""

    def __init__(self) -> None:
        self.engine = os.environ.get("PENSTOCK_ENGINE", "auto")
        if self.engine not in ENGINES:
            raise PenstockError(
                f"PENSTOCK_ENGINE is {self.engine!r}.",
                remedy=f"Set it to one of {', '.join(ENGINES)}, or unset it.",
            )


settings = Settings()

HOT_RUNS = 16
"""A program that compiles quickly is compiled at the run after this many runs; others are later, unless they
are heavy."""
HEAVIER = 1.75
"""A kernel of a heavy program counts as this many. Its results do not count: its large products are calls."""
LONG = 2_000
"""The steps of a heavy program beyond this many count as those of a light one do: XLA's passes over them take
longer than its kernels."""
KERNEL, CLIENT = 100_000_000, 60
"""How many arithmetic operations of NumPy are worth compiling one kernel, and how many kernels XLA compiles
in the time that importing JAX takes. NumPy performs two to three times as many while XLA compiles a kernel. A
heavy program is compiled at the run by which NumPy would have performed these. Any program is compiled after
`HOT_RUNS` if NumPy has worked on it for as long as compiling it takes beyond the time of that import."""


def is_hot(program: Program) -> bool:
    """Returns whether a program has been run often enough to be compiled, or must be compiled anyway."""
    if settings.engine == "numpy":
        return False
    if settings.engine == "xla" or (in_force.placement is not None and in_force.placement.compiles):
        return True
    return pays(program, program.runs)


def pays(program: Program, runs: int) -> bool:
    """Returns whether compiling a program pays after this many runs.

    Until then NumPy has worked for less than half of the time that compiling takes. The answer depends on
    counts alone, so that a run is reproducible. A program with a loop that ends by its values is compiled
    after `HOT_RUNS`: how many calls it makes is not known.
    """
    if program.cost > HEAVY:
        beyond = max(0, len(program.steps) - LONG) // HANDLED
        if runs * program.work > KERNEL * (HEAVIER * program.kernels + beyond + CLIENT):
            return True
    if runs <= HOT_RUNS:
        return False
    return runs * program.work > KERNEL * (program.pieces - CLIENT) or program.open_ended


def is_for_numpy(trace: Trace, arguments: Sequence[Any]) -> bool:
    """Returns whether NumPy may compute a light program: from data alone, all of it already in NumPy.

    Computations on variables change tiers by counts alone, which a checkpoint stores: resumed training is
    then the same to the last bit.
    """
    return (
        settings.engine == "auto"
        and not trace.variables
        and all(isinstance(one, np.ndarray | np.generic) for one in arguments)
    )
