"""Values that another thread asks for: pending writes and tensors of a trace that has not been run."""

from __future__ import annotations

from typing import Any

from penstock.errors import PenstockError
from penstock.tiers.commits import observe_published
from penstock.tiers.failures import locate, take_back
from penstock.tiers.program import extract, values_at
from penstock.tiers.reference import interpret
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Call


def publish(variable: Cell) -> None:
    """Commits another thread's pending write of a variable, so that this thread may read it.

    All pending writes of that thread are committed together. If they fail, or a contract of that thread
    refuses them, they are dropped: the variables keep their values.
    """
    own = local.trace
    if variable._pending is own and own is not None:
        engine.run(own, not own.taping)
        return
    with engine.lock:
        trace = variable._pending
        if trace is None:
            return
        pending = list(trace.pending.values())
        olds = [one._value for one in pending]
        # Remove the values first: a thread that finds none waits for the lock.
        for one in pending:
            one._value = None
        for one in pending:
            trace.pending.pop(one._uid, None)
            one._pending = None
        node = trace.checkpoint
        values = None
        try:
            if _is_refused(trace):
                return
            last = {id(trace.variables[number]): slot for number, slot in node.writes()}
            values = _evaluate(trace, node.program(), [last[id(one)] for one in pending])
            if engine.commits:
                observe_published(trace, node, list(zip(pending, olds, values, strict=True)))
        except BaseException:
            values = None
            raise
        finally:
            if values is None:
                take_back(trace, pending, node)
                values = olds
            for one, value in zip(pending, values, strict=True):
                one._value = value
            trace.progress = "published"
            # Later writes are reported, or taken back, from here on.
            trace.start, trace.counts = node, []


def _is_refused(trace: Trace) -> bool:
    """Returns whether a contract of another thread refuses its pending writes; that thread is told later."""
    try:
        for guard in trace.guards:
            guard.published(trace)
    except PenstockError:
        return True
    return False


def _evaluate(trace: Trace, calls: list[Call], slots: list[int]) -> list[Any]:
    known = dict(trace.known)
    program, taken = extract(calls, slots, known)
    try:
        return interpret(program, values_at(taken, calls, known, trace.arguments))
    except PenstockError as error:
        locate(error, calls, slots, known)
        raise


def peek(tensor: Tensor) -> Any:
    """Returns the value of another thread's pending tensor, without touching that thread's trace."""
    with engine.lock:
        trace = tensor._trace
        if tensor._value is None and trace is not None:
            base = getattr(trace, "base", trace)
            tensor._value = _evaluate(base, base.node.program(), [tensor._slot])[0]
        return tensor._value
