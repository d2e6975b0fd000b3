"""Expands a request to a tape into primitives, as part of a path. Each request is expanded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from penstock.grad.backward import backward, covering, watched_leaves
from penstock.grad.query import JVP, Request
from penstock.grad.rows import Rows
from penstock.ops.shape import broadcast_to
from penstock.trace.builder import Builder, Outcome, RowsOutcome
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call


def expand(
    request: Request,
    builder: Builder,
    calls: Sequence[Call],
    targets: Sequence[int],
    versions: Sequence[Sequence[int]],
    seeds: Sequence[Tensor | None],
    handle: Callable[[int], Tensor],
) -> list[Any]:
    """Appends the computation of a gradient, or of what the request's mode says; returns the outcomes.

    Slots stand for the targets and for all `versions` of each source; `handle` gives a tensor for a slot.
    """
    mode, intervals = request.mode, request.intervals
    start = intervals[0][0] if intervals else len(calls)
    leaves = watched_leaves(
        calls, request.watch_variables, request.watched, start, request.meeting is not None
    )
    pairs: list[tuple[int, Tensor | None]] = []
    for position, slot in enumerate(targets):
        seed = seeds[position] if position < len(seeds) else None
        if slot >= 0 or mode == JVP:
            pairs.append((slot, seed))
    inside = covering(intervals)
    found: Sequence[Tensor | Rows | None]
    specs = [source._spec for source in request.sources]
    if mode is None:
        found = backward(builder, calls, pairs, versions, leaves, inside, handle, request.meeting)
    else:
        from penstock.grad.higher import Walk

        walk = Walk(builder, calls, versions, leaves, inside, handle)
        found, specs = walk.ask(mode, pairs, specs, seeds)
    results: list[Any] = []
    for gradient, own in zip(found, specs, strict=True):
        if gradient is None and request.unconnected == "zero":
            zero = builder.constant(0, own.dtype)
            gradient = broadcast_to(zero, shape=own.shape)
        if gradient is None:
            results.append(None)
        elif isinstance(gradient, Rows):
            indices, values = gradient.indices, gradient.values
            results.append(
                RowsOutcome(
                    Outcome(indices._slot, indices._spec),
                    Outcome(values._slot, values._spec),
                    gradient._spec,
                )
            )
        else:
            results.append(Outcome(gradient._slot, gradient._spec))
    return results
