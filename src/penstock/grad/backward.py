"""The backward walk from targets to sources over the calls of a path; every cotangent enters in one place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.grad.holding import held
from penstock.grad.pieces import Pieces, window_of
from penstock.grad.query import Meeting
from penstock.grad.rows import Rows
from penstock.ops import index, pointwise, reduce, shape
from penstock.ops.complex_parts import conjugate
from penstock.ops.table import cast, common_shape
from penstock.tiers.program import many
from penstock.trace.builder import Builder
from penstock.trace.leaf import Leaf, OfVariable
from penstock.trace.spec import Spec, differentiable
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call

Interval = tuple[int, int]


def passes(call: Call, operand: int, discrete: bool = False) -> bool:
    """Returns whether a gradient passes from a call to its i-th operand; with `discrete`, of integers too."""
    primitive = call.primitive
    if isinstance(primitive, Leaf) or primitive.derivative != "smooth":
        return False
    if not differentiable(call.spec) and (not discrete or primitive.many):
        return False
    if primitive.many:
        return operand in held(primitive).links(call)
    return operand < len(primitive.vjp) and primitive.vjp[operand] is not None


def reachable(
    calls: Sequence[Call], starts: Mapping[int, int], inside: Callable[[int], bool], discrete: bool = False
) -> set[int]:
    """Returns the slots that depend on the starts through derivatives recorded inside the tape's intervals.

    `starts` maps each slot to the first slot that may use it: a tensor is watched from that slot on. With
    `discrete`, derivatives of integers count too.
    """
    reached = set(starts)
    for call in calls:
        if call.slot in reached or not inside(call.slot):
            continue
        for i, slot in enumerate(call.inputs):
            if slot in reached and call.slot >= starts.get(slot, 0) and passes(call, i, discrete):
                reached.add(call.slot)
                break
    return reached


def covering(intervals: Sequence[Interval]) -> Callable[[int], bool]:
    """Returns a test of whether a slot lies in one of the intervals."""
    if len(intervals) == 1:
        start, stop = intervals[0]
        return lambda slot: start <= slot < stop
    return lambda slot: any(start <= slot < stop for start, stop in intervals)


def watched_leaves(
    calls: Sequence[Call],
    watch_variables: bool,
    watched: Sequence[tuple[int, int]],
    start: int,
    discrete: bool = False,
) -> dict[int, int]:
    """Returns the slots at which a tape's gradients may end, each with the first slot that may use it.

    These are the reads of trainable variables from slot `start` on, where the tape was opened, and the
    watched values, each from the slot at which it was watched. A watched variable stays watched after a
    write.
    """
    leaves = {slot: since for slot, since in watched if differentiable(calls[slot].spec)}
    variables = {calls[slot].variable for slot, _ in watched}
    for call in calls[start:]:
        leaf = call.primitive
        if not isinstance(leaf, OfVariable) or not (discrete or differentiable(call.spec)):
            continue
        if leaf.variable in variables or (watch_variables and leaf.trainable):
            leaves.setdefault(call.slot, 0)
    return leaves


def backward(
    builder: Builder,
    calls: Sequence[Call],
    seeds: Sequence[tuple[int, Tensor | None]],
    sources: Sequence[Sequence[int]],
    leaves: Mapping[int, int],
    inside: Callable[[int], bool],
    handle: Callable[[int], Tensor],
    meeting: Meeting | None = None,
) -> list[Tensor | Rows | None]:
    """Returns the gradient of the seeds' targets by each source, or None where no path leads to it.

    `seeds` pairs a target's slot with its cotangent (None: ones); each source is a list of slots whose
    gradients are added up, one for each version of a variable that was read. `handle` gives the tensor of a
    slot of the path. With `meeting`, gradients pass integers and booleans too: those are computed in float64
    and cut to the dtype of each value, and `meeting` is told where two of them are added up.

    Rules take no conjugates: this function conjugates the seeds and the results, so that the gradient of a
    real value points where it grows fastest (decision 0018).
    """
    discrete = meeting is not None
    origins: dict[int, Call | None] = {}
    tracked = reachable(calls, leaves, inside, discrete)
    wanted = {slot: leaves.get(slot, 0) for slots in sources for slot in slots if slot in tracked}
    needed = reachable(calls, wanted, inside, discrete)
    cotangents: dict[int, Tensor | Rows | Pieces] = {}

    def arrive(slot: int, cotangent: Any, rule: Any, site: Any, origin: Call | None = None) -> None:
        """Takes every cotangent: sums broadcast axes, checks it, and adds it to the earlier ones."""
        own = calls[slot].spec
        if meeting is not None and not differentiable(own):
            if slot in cotangents:
                meeting(calls[slot], origins[slot], origin)
            origins[slot] = origin
        if not isinstance(cotangent, Rows | Pieces):
            cotangent = _fit(cotangent, own)
            counted = not differentiable(own) or not differentiable(origin.spec if origin else own)
            if discrete and counted and cotangent.dtype != own.dtype:
                cotangent = cast(cotangent, dtype=own.dtype)
            if cotangent.shape != own.shape or cotangent.dtype != own.dtype:
                raise PenstockError(
                    f"{getattr(rule, '__name__', rule)} gave {cotangent._spec!r} for an operand that is "
                    f"{own!r}.",
                    site=site,
                    why="A derivative must have the shape and dtype of the value it is taken with respect "
                    "to.",
                    remedy="Fix the derivative rule.",
                )
        before = cotangents.get(slot)
        cotangents[slot] = cotangent if before is None else _sum(builder, before, cotangent)

    def whole(slot: int) -> Tensor | Rows | None:
        """Returns the sum of the cotangents that have arrived at a slot."""
        found = cotangents.get(slot)
        if isinstance(found, Pieces):
            within, builder.within = builder.within, "gradient of slice"
            found = cotangents[slot] = found.dense(builder)
            builder.within = within
        return found

    def pull_together(first: int) -> None:
        """Takes the cotangents of all results of one primitive to its operands."""
        call, group = calls[first], results_of(calls, first)
        arrived = [whole(slot) for slot in group]
        if all(one is None for one in arrived):
            return
        own = held(call.primitive)
        ends = [
            {
                place
                for place, source in enumerate(call.inputs)
                if source in needed and first >= leaves.get(source, 0) and place in own.links(calls[slot])
            }
            if one is not None
            else set()
            for slot, one in zip(group, arrived, strict=True)
        ]
        places = set().union(*ends)
        if places:
            within, builder.within = builder.within, f"gradient of {call.within or call.primitive.name}"
            dense = [one.dense() if isinstance(one, Rows) else one for one in arrived]
            inputs = [handle(one) for one in call.inputs]
            found = own.pullback(call, inputs, [handle(one) for one in group], dense, places)
            for place, cotangent in found.items():
                arrive(call.inputs[place], cotangent, call.primitive.name, call.site, call)
            builder.within = within
        for slot in group:
            if slot not in wanted:
                cotangents.pop(slot, None)

    for slot, seed in seeds:
        if slot in needed:
            seed = None if seed is None else conjugate(seed)
            if seed is None:
                seed = shape.broadcast_to(
                    builder.constant(1, calls[slot].spec.dtype), shape=calls[slot].spec.shape
                )
            arrive(slot, seed, "output_gradients", builder.site)
    last = max((slot for slot, _ in seeds), default=-1)
    for slot in range(last, -1, -1):
        call = calls[slot]
        if isinstance(call.primitive, Leaf) or not inside(slot):
            continue
        if many(call):
            if call.params["output"] == 0:
                pull_together(slot)
            continue
        cotangent = whole(slot)
        if cotangent is None:
            continue
        within, builder.within = builder.within, f"gradient of {call.within or call.primitive.name}"
        inputs: list[Tensor] = []
        rules: Any = call.primitive.vjp
        for position, source in enumerate(call.inputs):
            if source not in needed or not passes(call, position, discrete) or slot < leaves.get(source, 0):
                continue
            if isinstance(cotangent, Rows):
                cotangent = cotangent.dense()
            part = window_of(calls, call) if position == 0 else None
            if part is not None:
                arrive(source, Pieces([(part, cotangent)], calls[source].spec), "slice", call.site, call)
                continue
            if not inputs:
                inputs, weight, result = [handle(one) for one in call.inputs], cotangent, handle(slot)
                if discrete:
                    weight, result = _widened(weight), _widened(result)
                    inputs = [
                        _widened(one) if i < len(rules) and rules[i] is not None else one
                        for i, one in enumerate(inputs)
                    ]
            if (
                call.primitive is index.take
                and call.params["axis"] == 0
                and differentiable(call.spec)
                and isinstance(calls[source].primitive, Leaf)
            ):
                arrive(source, _rows(cotangent, inputs[1], calls[source].spec), "take", call.site, call)
                continue
            rule = rules[position]
            arrive(source, rule(weight, result, *inputs, **call.params), rule, call.site, call)
        builder.within = within
        if slot not in wanted:
            del cotangents[slot]
    results: list[Tensor | Rows | None] = []
    for slots in sources:
        total: Tensor | Rows | None = None
        for slot in slots:
            found = whole(slot) if slot in wanted else None
            if found is not None:
                if meeting is not None and total is not None and not differentiable(calls[slot].spec):
                    meeting(calls[slot], None, None)
                total = found if total is None else _sum(builder, total, found)
        results.append(_conjugated(total))
    return results


def results_of(calls: Sequence[Call], first: int) -> range:
    """Returns the slots of all results of a primitive that holds programs, given the slot of the first."""
    call, last = calls[first], first + 1
    while last < len(calls) and many(calls[last]) and calls[last].params["output"] == last - first:
        if calls[last].primitive is not call.primitive or calls[last].inputs != call.inputs:
            break
        last += 1
    return range(first, last)


def _conjugated(gradient: Tensor | Rows | None) -> Tensor | Rows | None:
    if isinstance(gradient, Rows):
        if gradient._spec.dtype.kind != "c":
            return gradient
        return gradient.with_values(conjugate(gradient.values))
    return None if gradient is None else conjugate(gradient)


def _widened(value: Any) -> Any:
    """Returns integers and booleans in float64, in which a derivative rule computes; others as they are."""
    return value if differentiable(value._spec) else cast(value, dtype=np.dtype(np.float64))


def _fit(cotangent: Tensor, own: Spec) -> Tensor:
    """Sums the axes along which an operand was broadcast; spreads a cotangent that broadcasts to the operand.

    Anything else is returned as it is, to be refused.
    """
    if cotangent.shape == own.shape:
        return cotangent
    try:
        common = common_shape(cotangent.shape, own.shape)
    except ValueError:
        return cotangent
    if common == own.shape:
        return shape.broadcast_to(cotangent, shape=own.shape)
    if common != cotangent.shape:
        return cotangent
    extra = len(common) - own.ndim
    axes = tuple(range(extra)) + tuple(i + extra for i, n in enumerate(own.shape) if n != common[i + extra])
    return shape.reshape(reduce.sum(cotangent, axes=axes, keepdims=False), shape=own.shape)


def _rows(cotangent: Tensor, indices: Tensor, table: Spec) -> Rows:
    count = math.prod(indices.shape)
    values = shape.reshape(cotangent, shape=(count, *table.shape[1:]))
    return Rows(shape.reshape(indices, shape=(count,)), values, table)


def _sum(builder: Builder, a: Any, b: Any) -> Any:
    if isinstance(a, Pieces) and isinstance(b, Pieces):
        return Pieces([*a.pieces, *b.pieces], a.spec)
    if isinstance(a, Rows) and isinstance(b, Rows):
        indices = shape.concat(a.indices, b.indices, axis=0)
        return Rows(indices, shape.concat(a.values, b.values, axis=0), a._spec)
    a, b = (one.dense(builder) if isinstance(one, Pieces) else one for one in (a, b))
    a, b = (one.dense() if isinstance(one, Rows) else one for one in (a, b))
    return pointwise.add(a, b)
