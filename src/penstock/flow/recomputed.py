"""Parts of a run, computed again: by NumPy, or by XLA if that computed the run and NumPy would be slow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.tiers import xla
from penstock.tiers.commits import Commit
from penstock.tiers.placement import in_force
from penstock.tiers.program import Program
from penstock.tiers.reference import interpret
from penstock.trace.tree import HEAVY


def recomputed(commit: Commit, program: Program, arguments: Sequence[Any]) -> Sequence[Any]:
    """Returns the values of a program, a part of the path of a run, as arrays of NumPy.

    A heavy part is computed by XLA if the run was: a convolution takes NumPy seconds.
    """
    if program.cost <= HEAVY:
        return interpret(program, arguments)
    return by_tier_of(commit, program, arguments)


def by_tier_of(commit: Commit, program: Program, arguments: Sequence[Any]) -> Sequence[Any]:
    """Does the same by the tier of the run, whatever it costs: the two tiers differ in the last places.

    What several devices have computed together, NumPy computes again.
    """
    together = in_force.placement is not None
    if together or all(isinstance(value, np.ndarray) for _, _, value in commit.writes):
        return interpret(program, arguments)
    return [np.asarray(one) for one in xla.executable(program, ())(program, arguments, [])]


__all__ = ["by_tier_of", "recomputed"]
