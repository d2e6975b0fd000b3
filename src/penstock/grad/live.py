"""Gradients of a step that is still being recorded: they are appended to its trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.grad.query import JVP, Request
from penstock.grad.rows import Rows
from penstock.trace.builder import Builder, Outcome, RowsOutcome
from penstock.trace.recorder import Trace
from penstock.trace.spec import Spec
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Call


def present(request: Request, trace: Trace, ordinal: int) -> list[Any]:
    """Answers a request to the trace's tape number `ordinal`."""
    entered = trace.entered
    unconnected = request.unconnected
    sources = request.sources
    targets = tuple(
        [
            (t._slot if t._trace is trace else entered.get(id(t), -1))
            if isinstance(t, Tensor)
            else trace.identity(t)
            for t in request.targets
        ]
    )
    slots = tuple(
        [
            trace.identity(s, -1 if unconnected == "none" else s._spec)
            if isinstance(s, Cell)
            else s._slot
            if s._trace is trace
            else entered.get(id(s), -1 if unconnected == "none" else s._spec)
            for s in sources
        ]
    )
    seeds = tuple([None if seed is None else trace.reference(seed) for seed in request.seeds])
    intervals, watched, watch_variables = request.intervals, request.watched, request.watch_variables
    head = (intervals, watch_variables, watched, targets, slots, seeds, unconnected, request.mode)

    def build(builder: Builder) -> list[Any]:
        from penstock.grad.expansion import expand

        calls = trace.node.program()
        read = versions_of(calls, trace.variables)
        versions = [
            read.get(id(s), []) if isinstance(s, Cell) else [r] if r != -1 and isinstance(r, int) else []
            for s, r in zip(sources, slots, strict=True)
        ]

        def handle(slot: int) -> Tensor:
            return builder.handle(Outcome(slot, calls[slot].spec))

        handles = [None if slot is None else handle(slot) for slot in seeds]
        return expand(request, builder, calls, targets, versions, handles, handle)

    node = trace.follow(
        "gradient", head, (), request.frame, build, tape=ordinal, targets=targets,
        sources=() if request.mode == JVP else slots, intervals=intervals,
        watch_variables=watch_variables, watched=watched, implied=request.implied,
    )  # fmt: skip
    for source, slot in zip(sources, slots, strict=True):
        if slot == -1 or isinstance(slot, Spec):
            miss(trace, source)
    return given(trace, node.result, request.receivers)


def given(trace: Trace, outcomes: Sequence[Any], sources: Sequence[Any]) -> list[Any]:
    """Returns handles on the gradients of an event."""
    return [
        None
        if outcome is None
        else trace.give(outcome, source._tensor_class)
        if type(outcome) is Outcome
        else give_rows(trace, outcome, source._tensor_class)
        for outcome, source in zip(outcomes, sources, strict=True)
    ]


def give_rows(trace: Trace, outcome: RowsOutcome, kind: type[Tensor]) -> Rows:
    return Rows(trace.give(outcome.indices, kind), trace.give(outcome.values, kind), outcome.spec)


def miss(trace: Trace, source: Any) -> Any:
    """Returns None, and takes a note if the source is a variable that nothing on this path has touched."""
    if isinstance(source, Cell) and trace.identity(source) == -1:
        trace.missed.append((trace.node.depth, source))
    return None


def versions_of(calls: Sequence[Call], variables: Sequence[Cell]) -> dict[int, list[int]]:
    """Returns the slots of each variable's versions on a path, by the identity of the variable."""
    found: dict[int, list[int]] = {}
    for call in calls:
        if call.variable is not None:
            found.setdefault(id(variables[call.variable]), []).append(call.slot)
    return found
