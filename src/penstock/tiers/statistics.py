"""Counts of what the engine has recorded and compiled so far."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.tiers import xla
from penstock.tiers.differences import Comparison
from penstock.tiers.executable_limits import room
from penstock.tiers.program import kept, programs
from penstock.trace.budget import budget
from penstock.trace.tree import tree


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of this process: `nodes` of the trace tree and distinct `programs` that are kept now; all
    `compilations` and `launches` in XLA so far; about how many bytes are kept of what was recorded
    (`recorded_bytes`) and compiled (`compiled_bytes`), and the most that both may have (`limit_bytes`)."""

    nodes: int
    programs: int
    compilations: int
    launches: int
    recorded_bytes: int
    compiled_bytes: int
    limit_bytes: int


def trace_statistics() -> Statistics:
    """Returns how much has been recorded, compiled and launched.

    A loop that settles adds nothing to `nodes` and `compilations` from its second pass on. What has not been
    used for longest is let go when more than `limit_bytes` would be kept: the environment variable
    PENSTOCK_CACHE sets it, as in `PENSTOCK_CACHE=256MiB` (1GiB by default; an eighth of it is for what is
    recorded and not compiled). What comes back later is recorded and compiled again, with the same results.

    Returns:
        A `Statistics` with counts, and sizes in bytes.

    >>> import penstock as ps
    >>> ps.trace_statistics().nodes >= 0
    True
    """
    launches = kept.launches + sum(program.launches for program in list(programs.values()))
    sizes = budget.recorded.taken, budget.compiled.taken, budget.limit
    return Statistics(tree.count, len(programs), room.count, launches, *sizes)


def compilations() -> list[str]:
    """Returns for each compilation of a program that is kept what set it apart from the closest before.

    Returns:
        A list of lines.

    >>> import penstock as ps
    >>> all(line.startswith("compiled") for line in ps.compilations())
    True
    """
    comparison = Comparison()
    return [xla.explain_compilation(program, donated, comparison) for program, donated in xla.compilations]
