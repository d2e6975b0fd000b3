"""Tensors that share memory in Paddle: a write to one of them also changes the others.

Reshaped, transposed and detached tensors, and parts that indexing gave, are views there. Values are not
shared here, so a write gives every view that this step knows of its new value. As in Paddle, only the written
tensor has the write in its history: the others keep theirs.
"""

from __future__ import annotations

from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from penstock.ops import index, shape
from penstock.paddle._record import THROUGH, is_view, record_of
from penstock.trace.builder import Outcome
from penstock.trace.fast_path import alive
from penstock.trace.leaf import Constant
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell, concrete
from penstock.trace.tree import Call


class Step(NamedTuple):
    """One call on the way from a base to a view, with where it looks, if that is not among its attributes."""

    call: Call
    starts: tuple[int, ...]


class Family(NamedTuple):
    """The tensors that share memory with one: its base, if it is a view, and other views, with their ways.

    A way is the steps that lead from the base to a view.
    """

    base: Any
    value: Any
    way: list[Step]
    views: list[tuple[Any, list[Step]]]


def family(tensor: Any) -> Family | None:
    """Returns the tensors that share memory with one before a write to it; None if none are known."""
    trace = local.trace
    if type(trace) is not Trace:
        return None
    slot = _slot_of(tensor, trace)
    if slot is None:
        return _from_the_past(tensor)
    record = record_of(trace.node)
    if slot not in record.sharing:
        return None
    calls, stored = record.calls, record.stored
    held = alive(trace.handles)
    members: list[Any] = [
        one for is_held, one in zip(held, trace.handles) if is_held and hasattr(one, "_gradient_hooks")
    ]
    # The result of a slicing function is a copy, so views of it are no part of the original.
    stored = stored.union(one._slot for one in members if one._noted("copy"))
    root, way = _way(calls, stored, slot, trace.arguments)
    views: list[tuple[Any, list[Step]]] = []
    base: Any = None
    own = {id(one) for one in members}
    members += [one for one in trace.entries if id(one) not in own and hasattr(one, "_gradient_hooks")]
    members += [one for one in trace.variables if hasattr(one, "_gradient_hooks")]
    for one in members:
        there = None if one is tensor else _slot_of(one, trace)
        if there is None:
            continue
        if there == root:
            base = one
        elif is_view(calls[there], calls, stored):
            start, other = _way(calls, stored, there, trace.arguments)
            if start == root:
                views.append((one, other))
    if base is None and not views:
        return None
    return Family(base, trace.give(Outcome(root, calls[root].spec), type(tensor)._tensor_class), way, views)


def only_reshaped(tensor: Any, made: Any) -> bool:
    """Returns whether a result is a tensor in another shape: it takes its place, and no memory changes."""
    trace: Any = local.trace
    if made._trace is not trace:
        return False
    call = record_of(trace.node).calls[made._slot]
    return call.primitive is shape.reshape and call.inputs[0] == _slot_of(tensor, trace)


def _slot_of(one: Any, trace: Trace) -> int | None:
    if isinstance(one, Cell):
        return trace.current.get(one._uid)
    return one._slot if one._trace is trace else trace.entered.get(id(one))


def _way(calls: list[Call], stored: set[int], slot: int, arguments: Any) -> tuple[int, list[Step]]:
    way = []
    while is_view(calls[slot], calls, stored):
        call = calls[slot]
        if call.within == THROUGH:
            slot = call.inputs[0]
            continue
        leaves = [calls[one].primitive for one in call.inputs[1:]]
        starts = [one.value if isinstance(one, Constant) else arguments[one.position] for one in leaves]
        way.append(Step(call, tuple(int(np.asarray(one)) for one in starts)))
        slot = call.inputs[0]
    return slot, way[::-1]


def _from_the_past(tensor: Any) -> Family | None:
    """Returns the base of a view from a finished step: data, a parameter, or an entry of that step."""
    past = None if isinstance(tensor, Cell) else tensor._past
    if past is None or tensor._noted("copy"):
        return None
    record = record_of(past.node)
    if tensor._slot >= len(record.calls) or not is_view(
        record.calls[tensor._slot], record.calls, record.stored
    ):
        return None
    if past.arguments is None and any(one.primitive is shape.window for one in record.calls):
        return None
    root, way = _way(record.calls, record.stored, tensor._slot, past.arguments)
    leaf = record.calls[root].primitive
    base = None
    if record.calls[root].variable is not None:
        base = past.variables[record.calls[root].variable]
    elif hasattr(leaf, "entry"):
        base = past.entries[leaf.entry]()
    if base is None or not hasattr(base, "_gradient_hooks"):
        return None
    return Family(base, base, way, [])


def spread(found: Family, tensor: Any, by: str, frame: FrameType) -> None:
    """Gives the base and the other views the new values after a write to a tensor."""
    value = tensor
    views = found.views
    if found.way:
        value = _written(found, tensor, frame)
        # From now on the tensor is a view of the written value.
        views = views if isinstance(tensor, Cell) else [*views, (tensor, found.way)]
    if found.base is not None:
        found.base._take(value, by, frame)
        value = found.base
    for one, way in views:
        moved = value
        for call, starts in way:
            moved = call.primitive.record((moved, *starts), call.params, frame)
        one._take(moved, by, frame)


def _written(found: Family, made: Any, frame: FrameType) -> Any:
    """Returns the base with the elements replaced that a view of it shows."""
    spec = found.value._spec
    places = np.arange(spec.size).reshape(spec.shape)
    for call, starts in found.way:
        places = np.asarray(call.primitive.numpy(places, *starts, **call.params))
    given = concrete(np.ascontiguousarray(places.reshape(-1)), type(found.value)._tensor_class)
    flat = shape.reshape.record((found.value,), {"shape": (spec.size,)}, frame)
    rows = shape.reshape.record((made,), {"shape": (places.size,)}, frame)
    written = index.set_rows.record((flat, given, rows), {}, frame)
    return shape.reshape.record((written,), {"shape": spec.shape}, frame)
