"""Runs that fail: what they would have done is dropped, and the error names the line of this recording."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from penstock.errors import AbandonedError, CaptureError, PenstockError
from penstock.tiers.program import own_site
from penstock.trace.engine import engine
from penstock.trace.recorder import Trace, tidy
from penstock.trace.tensor import Cell
from penstock.trace.tree import Call, Node


def locate(error: BaseException, calls: Sequence[Call], wanted: Iterable[int], known: Iterable[int]) -> None:
    """Moves an error to the line of this recording; another line may have recorded the program first."""
    if isinstance(error, PenstockError) and error.trail:
        site = own_site(error.trail, calls, wanted, known)
        error.trail = ()
        if site is not None and site is not error.site:
            error.move(site)


def drop(trace: Trace, error: BaseException) -> None:
    """Drops everything that a failed run would have done."""
    with engine.lock:
        pending = list(trace.pending.values())
        failed = f"the step it belongs to failed: {_first_line(error)}"
        # Not up to the cursor: an interrupt may have come between a write's event and its version.
        take_back(trace, pending, trace.checkpoint)
        for variable in pending:
            if variable._pending is trace:
                variable._pending = None
        for handle in trace.handles:
            if handle._value is None:
                handle._value = AbandonedError(f"This value was never computed, because {failed}")
            handle._trace = None
            handle._past = None
        tapes = [tape for tape in trace.tapes if tape._open]
        trace.clear()
        tidy()
        for tape in tapes:
            tape._restart(trace, sys._getframe(1))


def abandon(trace: Trace) -> None:
    """Forgets the recorded operations that have not been run; variables keep their values and versions."""
    drop(trace, CaptureError("the step was recorded to be replayed"))


def take_back(trace: Trace, variables: Sequence[Cell], node: Node) -> None:
    """Takes back the versions that a trace has counted since its last run, up to a node."""
    if trace.rehearsal:
        return
    own = {id(variable) for variable in variables}
    for number, _ in node.writes(trace.start.depth) if own else ():
        variable = trace.variables[number]
        if id(variable) in own:
            variable._version -= 1
    for updates in trace.counts:
        updates[0] -= 1
    trace.counts = []


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
