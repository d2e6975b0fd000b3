"""Gradients of a finished step: its path is recorded again from the arguments it kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penstock.grad.expansion import expand
from penstock.grad.live import given, versions_of
from penstock.grad.query import JVP, Request
from penstock.tiers.program import many
from penstock.trace.builder import Builder, Outcome
from penstock.trace.convert import as_tensor
from penstock.trace.history import Past
from penstock.trace.leaf import Argument, TensorArgument, Version
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Call


def replayed(request: Request, trace: Trace, past: Past) -> list[Any]:
    """Answers a request to a tape whose step is over."""
    assert past.arguments is not None
    calls = past.node.program()
    entering = {
        call.slot: as_tensor(past.arguments[call.primitive.position])
        for call in calls
        if isinstance(call.primitive, Argument)
    }
    read = _read(calls, past)
    slots = tuple([max(_past_versions(read, past, target), default=-1) for target in request.targets])
    versions = tuple([_past_versions(read, past, source) for source in request.sources])
    seeds = tuple([None if seed is None else trace.reference(seed) for seed in request.seeds])
    entered = tuple([(slot, trace.reference(tensor)) for slot, tensor in entering.items()])
    intervals, watched, mode = request.intervals, request.watched, request.mode
    head = (
        "replay", past.node, versions, slots, seeds, request.unconnected, intervals, watched, entered, mode,
        request.meeting,
    )  # fmt: skip

    def build(builder: Builder) -> list[Any]:
        moved = {slot: builder.handle(Outcome(there, calls[slot].spec)) for slot, there in entered}
        stop = max(slots, default=-1) + 1
        while stop < len(calls) and many(calls[stop]) and calls[stop].params["output"]:
            stop += 1
        for call in calls[:stop]:
            if isinstance(call.primitive, Version):
                # The index of the variable belongs to the past path: this path numbers its own variables.
                moved[call.slot] = moved[call.inputs[0]]
            elif call.slot not in moved:
                inputs = [moved[one]._slot for one in call.inputs]
                again = builder.append(call.primitive, inputs, call.params, call.spec)
                moved[call.slot] = builder.handle(again)
        handles = [
            None if slot is None else builder.handle(Outcome(slot, seed._spec))
            for slot, seed in zip(seeds, request.seeds, strict=True)
        ]
        return expand(request, builder, calls, slots, versions, handles, moved.__getitem__)

    node = trace.follow(
        "gradient", head, (), request.frame, build, past_node=past.node, targets=slots, sources=(),
        versions=() if mode == JVP else versions, intervals=intervals, watched=watched,
        watch_variables=request.watch_variables, implied=request.implied,
    )  # fmt: skip
    trace.missed += [
        (node.depth, source)
        for source, found in zip(request.sources, versions, strict=True)
        if not found and isinstance(source, Cell)
    ]
    return given(trace, node.result, request.receivers)


def _read(calls: Sequence[Call], past: Past) -> dict[int, list[int]]:
    """Returns the slots at which each variable and tensor was read on a path, by its identity."""
    found = versions_of(calls, past.variables)
    for call in calls:
        if isinstance(call.primitive, TensorArgument):
            found.setdefault(id(past.entries[call.primitive.entry]()), []).append(call.slot)
    return found


def _past_versions(read: Mapping[int, Sequence[int]], past: Past, source: Tensor | Cell) -> tuple[int, ...]:
    """Returns the slots of a source on a path that has been run."""
    if isinstance(source, Tensor) and getattr(source, "_past", None) is past:
        return (source._slot,)
    return tuple(read.get(id(source), ()))
