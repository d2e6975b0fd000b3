"""What the engine has recorded and compiled so far, for those who wonder."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.tiers import xla
from penstock.tiers.differences import Comparison
from penstock.tiers.program import programs
from penstock.trace.tree import tree


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts of this process: nodes of the trace tree, distinct programs, compilations, launches in XLA."""

    nodes: int
    programs: int
    compilations: int
    launches: int


def trace_statistics() -> Statistics:
    """Returns how much has been recorded, compiled and launched.

    A loop that settles adds nothing to `nodes` and `compilations` from its second pass on.

    >>> import penstock as ps
    >>> ps.trace_statistics().nodes >= 0
    True
    """
    launches = sum(program.launches for program in programs.values())
    return Statistics(tree.count, len(programs), len(xla.compilations), launches)


def compilations() -> list[str]:
    """Returns a line for each compilation of this process: what set it apart from the closest one before.

    >>> import penstock as ps
    >>> all(line.startswith("compiled") for line in ps.compilations())
    True
    """
    comparison = Comparison()
    return [xla.explain_compilation(program, donated, comparison) for program, donated in xla.compilations]
