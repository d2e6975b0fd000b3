"""Operations of a graph that would change variables, and that no session has run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from penstock.tensorflow._graphs.graph import Graph, Operation
from penstock.tensorflow._graphs.variable import GraphVariable, read_kernel
from penstock.trace.source_site import Site


def mark_planned(operations: Iterable[Operation]) -> None:
    """Notes that a session is to run operations, with those in their branches."""
    for one in operations:
        if not one.planned:
            one.planned = True
            for branch in one.details.get("branches", ()):
                mark_planned(branch.order)


def unrun(graph: Graph) -> Iterator[tuple[str, Site, list[GraphVariable]]]:
    """Yields operations that no session has run: their kinds, lines, and the variables they would change.

    Only for variables that runs have read and never written. An operation that gives a variable a fed or
    fixed value, to load or to reset it, may be there just in case.
    """
    planned = [one for one in graph.operations if one.planned]
    starts = {variable.initializer for variable in graph.variables.values()}
    starts |= {variable.initializer for variable in graph.get_collection("variables")}
    read = {one.details["variable"] for one in planned if one.kernel is read_kernel}
    written = {v for one in planned if one not in starts for v in one.details.get("variables", ())}
    for one in graph.operations:
        if one.planned or not one.writes or one in starts or "branches" in one.details:
            continue
        changed = one.details.get("variables", ())
        name = one.details.get("by", "")
        if "optimizer" in one.details:
            changed = [variable for _, variable in one.details["pairs"]]
            name = type(one.details["optimizer"]).__name__
        elif name in ("assign", "load") and not _reads(one):
            continue
        left = [variable for variable in changed if variable in read and variable not in written]
        if left:
            yield name, one.site, left


def _reads(operation: Operation) -> bool:
    """Returns whether an operation computes with a variable."""
    seen: set[Any] = set()
    waiting = [given.op for given in operation.inputs]
    for one in waiting:
        if one.kernel is read_kernel:
            return True
        seen.add(one)
        waiting += [given.op for given in one.inputs if given.op not in seen]
    return False
