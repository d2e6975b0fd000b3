"""What a run changes: the values that it assigns, and what observers are told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from penstock.tiers.plan import Plan
from penstock.trace.engine import engine
from penstock.trace.fast_path import release, settle
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Node, tree

on_the_way: list[Any] = []
"""The results of the present run, if a report is being made and NumPy has computed them."""


class Computed(NamedTuple):
    """The values of a program that was run for some slots: arguments, constants and results of steps.

    It took the slots in `known` as arguments, beside those of the path.
    """

    wanted: tuple[int, ...]
    known: Sequence[int]
    values: list[Any]


@dataclass(slots=True)
class Commit:
    """The writes of a run, for observers: `writes` holds (variable, value before, value after).

    `start` is the node at which the run began; `arguments` are the values bound on the path, by position, and
    `known` the values of slots that an earlier run of the same path has computed. `missed` is that of
    `Trace`. `computed` are all values of the run if NumPy has computed them, while observers are being told.
    """

    node: Node
    start: Node
    variables: list[Cell]
    writes: list[tuple[Cell, Any, Any]]
    reset: bool
    entries: list[Tensor]
    arguments: Sequence[Any]
    known: Mapping[int, Any]
    missed: Sequence[tuple[int, Cell]] = ()
    computed: Computed | None = None


def commit(plan: Plan, trace: Trace, outputs: Sequence[Any], reset: bool, tapes: Sequence[Any]) -> None:
    """Assigns the results of a run. Until the trace goes back to the root, this may be repeated."""
    handles = trace.handles
    variables = trace.variables
    settle(handles, plan.handles, variables, plan.writes, outputs)
    if reset:
        standing = trace.standing
        bound = standing is not None and standing.bound
        if plan.live or tapes or bound:
            past = trace.previous = trace.past(bool(tapes))
            for tape in tapes:
                tape._past = past
            release(handles, plan.live, past)
            if bound:
                standing.carry(trace, past)  # type: ignore[union-attr]
        trace.renew()
        return
    count = len(plan.handles)
    for index in plan.handles:
        handle = handles[index]
        trace.known[handle._slot] = handle._value
    first = count + len(plan.writes)
    for slot, value in zip(plan.residuals, outputs[first:], strict=True):
        trace.known[slot] = value
    for index in plan.writes:
        variable = variables[index]
        trace.known[trace.slot_of(variable)] = variable._value
    trace.pending, trace.counts = {}, []
    trace.progress = plan
    trace.start = trace.node


def finish(plan: Plan, trace: Trace, outputs: Sequence[Any], reset: bool, tapes: Sequence[Any]) -> None:
    """Completes a commit, wherever it was interrupted."""
    if reset and trace.node is tree.root:
        # All results are assigned: the return to the root, which forgets the handles, is the last step.
        trace.clear()
    else:
        commit(plan, trace, outputs, reset, tapes)


def observe(plan: Plan, trace: Trace, outputs: Sequence[Any], reset: bool) -> None:
    first = len(plan.handles)
    writes = []
    for index, value in zip(plan.writes, outputs[first:], strict=False):
        variable = trace.variables[index]
        before = variable._value
        if before is not None and getattr(before, "is_deleted", bool)():
            before = None
        writes.append((variable, before, value))
    commit = Commit(
        trace.node,
        trace.start,
        trace.variables,
        writes,
        reset,
        trace.entries,
        trace.arguments,
        dict(trace.known) if trace.known else {},
        trace.missed,
        Computed(plan.wanted, plan.known, on_the_way) if on_the_way else None,
    )
    try:
        engine.commits.tell(commit)
    finally:
        on_the_way.clear()


def observe_published(trace: Trace, node: Node, writes: list[tuple[Cell, Any, Any]]) -> None:
    """Tells observers about pending writes of another thread, which are committed for a reader."""
    variables, entries, missed = list(trace.variables), list(trace.entries), tuple(trace.missed)
    commit = Commit(
        node, trace.start, variables, writes, False, entries, list(trace.arguments), dict(trace.known), missed
    )
    engine.commits.tell(commit)


def tell_failed(trace: Trace, reset: bool, error: BaseException) -> None:
    """Tells observers what a failed run would have done."""
    if engine.failures:
        lost = Commit(
            trace.node, trace.start, trace.variables, [], reset, trace.entries, (), {}, trace.missed
        )
        engine.failures.tell(lost, error)
