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
    `compilations` and `launches` in XLA so far; about how many bytes of recordings (`recorded_bytes`) and
    executables (`compiled_bytes`) are kept, and the most that both may take (`limit_bytes`)."""

    nodes: int
    programs: int
    compilations: int
    launches: int
    recorded_bytes: int
    compiled_bytes: int
    limit_bytes: int


def trace_statistics() -> Statistics:
    """Returns how much has been recorded, compiled and launched.

    A loop that settles adds nothing to `nodes` and `compilations` from its second pass on. When more than
    `limit_bytes` would be kept, the least recently used entries are dropped: the environment variable
    PENSTOCK_CACHE sets the limit, as in `PENSTOCK_CACHE=256MiB` (1GiB by default; an eighth of it is for
    recordings). Dropped programs that are needed again are recorded and compiled again, with the same
    results.

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
    """Returns, for each compilation that is kept, how its program differed from the closest earlier one.

    Returns:
        A list of lines.

    >>> import penstock as ps
    >>> all(line.startswith("compiled") for line in ps.compilations())
    True
    """
    comparison = Comparison()
    return [xla.explain_compilation(program, donated, comparison) for program, donated in xla.compilations]
