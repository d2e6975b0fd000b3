"""The executable of a run: one compiled for what the run overwrites, or another that takes its place."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from penstock.errors import PenstockError
from penstock.tiers.choice import settings
from penstock.tiers.placement import Layouts
from penstock.tiers.program import Program
from penstock.tiers.reference import interpret
from penstock.trace.tree import HEAVY

if TYPE_CHECKING:
    from penstock.tiers import compiler, xla


class Missing(NamedTuple):
    """The result of a run whose program is not compiled yet: nothing has been changed."""

    program: Program
    donated: tuple[int, ...]
    layouts: Layouts | None = None


Compiled = dict[Missing, "xla.Executable"]
"""The executables of one run: they can be launched even if others are not to use them."""


def with_compiled(compiled: Compiled | None, missing: Missing) -> Compiled:
    """Compiles a missing program and adds it to those of a run; called without the engine's lock."""
    from penstock.tiers import xla

    return {**(compiled or {}), missing: xla.executable(*missing)}


def find_compiled(
    program: Program, donated: tuple[int, ...], compiled: Compiled | None, layouts: Layouts | None = None
) -> xla.Executable | None:
    """Returns a compiled program, if one exists already: for all runs, or for this one.

    It may overwrite other arguments than `donated`: see `lent`.
    """
    key: Any = donated if layouts is None else (donated, layouts)
    found: xla.Executable | None = program.compiled.get(key)
    if found is None and compiled:
        found = compiled.get(Missing(program, donated, layouts))
        if found is not None:
            # It was dropped after it was compiled; a launched executable counts again.
            program.compiled[key] = found
    if found is None and layouts is None:
        found = next((one for one in program.compiled.values() if _fits(program, one, donated)), None)
    return found


LENT = 1 << 12
"""The most bytes of a small argument."""
LOANS = 1000
"""How many copies of small arguments take about as long as compiling a small program."""
LENT_A_PIECE = 1 << 22
"""For each piece that would be compiled, how many bytes of large arguments are copied, or not overwritten."""


def _fits(program: Program, one: xla.Executable, donated: tuple[int, ...]) -> bool:
    """Returns whether an executable overwrites these arguments, or may stand in for one that does.

    One step of a loop may keep what the others overwrite: the first one, or the one after an evaluation.
    Compiling for it takes longer than a few copies.
    """
    if one.placed:
        return False
    large = apart(program, one, donated)
    if large and program.lent + large > LENT_A_PIECE * program.pieces:
        return False
    more = not set(one.donated).issubset(donated)
    return not more or large > 0 or program.cost > HEAVY or program.loans < LOANS


def apart(program: Program, one: xla.Executable, donated: tuple[int, ...]) -> int:
    """Returns the bytes of large arguments that either the executable overwrites, or a run may: not both."""
    if one.donated == donated or one.device_guards:
        # With such guards it overwrites nothing, whatever it was compiled for.
        return 0
    apart = set(donated).symmetric_difference(one.donated)
    return sum(size for i in apart if (size := program.specs[i].nbytes) > LENT)


def lent(
    program: Program, hot: xla.Executable, arguments: Sequence[Any], own: tuple[int, ...]
) -> Sequence[Any]:
    """Returns the arguments, with copies of those that an executable overwrites and this run may not."""
    program.lent += apart(program, hot, own)
    others = [i for i in hot.donated if i not in own]
    if not others:
        return arguments
    from penstock.tiers import xla

    program.loans += len(others)
    copies = {i: xla.on_device(np.array(arguments[i])) for i in others}
    return [copies.get(i, one) for i, one in enumerate(arguments)]


def without_xla(lacking: compiler.Lack, program: Program, arguments: Sequence[Any]) -> Sequence[Any]:
    """Computes a hot program without XLA; NumPy also computes everything after it.

    Raises PenstockError if XLA was requested by name.
    """
    if settings.engine == "xla":
        raise PenstockError(
            f"The engine is set to 'xla', but {lacking.clause}.",
            origin=lacking.error,
            why="No variable was changed.",
            remedy=f"{lacking.remedy}\nOr unset PENSTOCK_ENGINE: without XLA, NumPy runs every step.",
        )
    from penstock.tiers import compiler

    settings.engine = "numpy"
    start = perf_counter()
    outputs = interpret(program, arguments)
    compiler.tell(lacking, program, perf_counter() - start)
    return outputs
