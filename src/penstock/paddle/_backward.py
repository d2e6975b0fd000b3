"""`backward`: gradients of a tensor, added to `grad` of every leaf that it depends on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.grad.backward import backward as walk
from penstock.grad.live import give_rows
from penstock.grad.rows import Rows
from penstock.ops.complex_parts import real
from penstock.ops.table import cast
from penstock.paddle._handing import (
    NOTHING,
    add_to,
    dense,
    ends,
    left,
    note_left,
    speech,
    through_hooks,
)
from penstock.paddle._past import Descent, goes_on
from penstock.paddle._record import historic, record_of
from penstock.paddle._refusals import refuse_freed, refuse_not_kept, refuse_overwritten
from penstock.paddle._standing import ZERO, standing
from penstock.trace.builder import Builder, Outcome, RowsOutcome
from penstock.trace.engine import engine
from penstock.trace.history import STANDING
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.spec import differentiable
from penstock.trace.tensor import Cell, Tensor, concrete
from penstock.trace.tree import Call


def backward(target: Any, seed: Any, retain_graph: bool, frame: FrameType) -> None:
    """Adds to `grad` of every leaf that the target depends on."""
    if engine.slots.functions and left.variables is None:
        left.variables = []
        try:
            backward(target, seed, retain_graph, frame)
        finally:
            changed, left.variables = left.variables, None
        engine.slots.tell("left", frame, "", list({id(one): one for one in changed}.values()))
        return
    trace = local.trace
    standing()
    if type(trace) is not Trace:
        raise AssertionError("a recorded function may not ask for gradients")
    if isinstance(target, Cell):
        _by_itself(target, seed, retain_graph, frame, trace)
        return
    if target._trace is not trace:
        _backward_of_the_past(trace, target, seed, retain_graph, frame)
        return
    earlier = historic(trace) if trace.entries else ()
    given = None if seed is None else trace.reference(seed)
    head = ("backward", target._slot, given, retain_graph, earlier)
    node = trace.node.edges.get((head, frame.f_lasti, id(frame.f_code)))
    if node is None:
        record, behind, freed = _checked(trace, target, earlier)
        hooked = sorted(record.hooked.intersection(behind), reverse=True)
        if hooked:
            _backward_with_hooks(trace, record, behind, freed, hooked, target, given, retain_graph, frame)
            return
        groups, places = ends(record, behind)
        pairs = [(target._slot, given)]
        node = _record_gradient(trace, record, pairs, groups, places, head, frame, retain_graph, False, freed)
    else:
        trace.node = node
    # Like the block of a tape: what comes after it in this step is not run apart from the gradient.
    trace.idle = trace.idle or trace.node.depth
    _deliver(trace, node.facts["leaves"], node.result, frame, retain_graph)


def _checked(trace: Trace, target: Any, earlier: tuple[int, ...]) -> tuple[Any, list[int], frozenset[int]]:
    """Returns the slots that a gradient of the target passes; refuses those that an earlier pass freed."""
    record = record_of(trace.node, earlier)
    behind = record.behind([target._slot])
    freed = record.operations(behind)
    refuse_freed(trace, record, freed, record.gone.intersection(behind), trace.entries)
    refuse_overwritten(record, behind)
    refuse_not_kept(record, behind)
    _refuse_whole_numbers(record, behind)
    return record, behind, freed


def _refuse_whole_numbers(record: Any, slots: Sequence[int]) -> None:
    """Raises an error where Paddle has no gradient of whole numbers; few paths have any."""
    if not all(differentiable(record.calls[slot].spec) for slot in slots):
        from penstock.paddle._whole_numbers import refuse_without_kernel

        refuse_without_kernel(record, slots)


def _met(value: Any, one: Any, other: Any) -> None:
    """Refuses to add up gradients of whole numbers, as Paddle does."""
    from penstock.paddle._whole_numbers import refuse_meeting

    refuse_meeting(value, one, other)


def _met_while_recorded(value: Any, one: Any, other: Any) -> None:
    """Lets gradients of whole numbers be added up: Paddle does so while it records them."""


def _backward_with_hooks(
    trace: Trace,
    record: Any,
    behind: list[int],
    freed: frozenset[int],
    hooked: list[int],
    target: Any,
    given: Any,
    retain_graph: bool,
    frame: FrameType,
) -> None:
    """Goes back from one hooked value to the next: each part begins with the result of a hook."""
    groups, places = ends(record, [slot for slot in behind if slot not in hooked or slot in record.leaves])
    ways = Ways(record, freed, retain_graph, False)
    totals = from_hook_to_hook(trace, ways, hooked, {target._slot: given}, groups, places, frame)
    _hand_out(trace, list(totals.items()), frame, retain_graph)


class Ways:
    """The common settings of the parts of a gradient between hooks."""

    def __init__(
        self, record: Any, freed: frozenset[int], retain_graph: bool, create_graph: bool, cut: Any = ()
    ) -> None:
        self.record, self.freed, self.cut = record, freed, cut
        self.retain_graph, self.create_graph = retain_graph, create_graph


def from_hook_to_hook(
    trace: Trace,
    ways: Ways,
    hooked: list[int],
    seeds: dict[int, Any],
    groups: Any,
    places: Any,
    frame: FrameType,
) -> dict[Any, Any]:
    """Returns the gradients of groups of slots, by their places, and of hooked slots, by ("hooked", slot).

    `hooked` are in falling order. `seeds` are the slots of weights, None for ones, by the targets' slots.
    """
    kind = speech.kind
    tape = standing()
    totals: dict[Any, Any] = {}
    calls = ways.record.calls
    listed: list[Any] = trace.handles
    owners = [one for one in listed if one._slot in hooked and hasattr(one, "_gradient_hooks")]
    hooked = [slot for slot in hooked if any(one._slot == slot for one in owners)]

    def add(place: Any, gradient: Any) -> None:
        before = totals.get(place)
        totals[place] = gradient if before is None else dense(before) + dense(gradient)

    ready = {slot: seed for slot, seed in seeds.items() if slot not in hooked}
    for slot in hooked:
        if slot in seeds:
            weight = seeds[slot]
            like = Outcome(slot, calls[slot].spec)
            add(
                ("hooked", slot),
                _ones(trace.give(like, kind), kind)
                if weight is None
                else trace.give(Outcome(weight, like.spec), kind),
            )
    tape.held += 1
    try:
        for stop in [*hooked, None]:
            if ready:
                walls = [slot for slot in hooked if slot not in ready]
                names = [*places, *(("hooked", slot) for slot in walls)]
                head = ("part", tuple(ready.items()), tuple(walls), ways.retain_graph, tuple(names))
                node = _record_gradient(
                    trace, ways.record, list(ready.items()), [*groups, *([slot] for slot in walls)], names,
                    head, frame, ways.retain_graph, ways.create_graph, ways.freed, ways.cut, walls,
                )  # fmt: skip
                for place, outcome in zip(names, node.result):
                    if outcome is not None:
                        add(place, _given(trace, outcome, kind))
            ready = {}
            gradient = totals.get(("hooked", stop))
            if stop is not None and gradient is not None:
                for owner in owners:
                    if owner._slot == stop and gradient is not NOTHING:
                        gradient = through_hooks(owner, gradient)
                if gradient is NOTHING:
                    del totals["hooked", stop]
                    continue
                totals["hooked", stop] = gradient
                ready = {stop: trace.reference(dense(gradient))}
    finally:
        tape.held -= 1
    return totals


def _record_gradient(
    trace: Trace,
    record: Any,
    targets: Sequence[tuple[int, int | None]],
    groups: Sequence[Sequence[int]],
    places: Any,
    head: Any,
    frame: FrameType,
    retain_graph: bool,
    create_graph: bool,
    freed: frozenset[int],
    cut: Iterable[int] = (),
    walls: Iterable[int] = (),
    listed: Sequence[int] | None = None,
) -> Any:
    """Records a gradient; `listed` are the slots that the program listed as inputs, if it did."""
    calls = record.calls
    size = len(calls)
    barred = {*cut, *walls}
    leaves = {slot: since for slot, since in record.leaves.items() if slot not in barred}
    leaves.update(dict.fromkeys(walls, 0))

    def inside(slot: int) -> bool:
        return slot in record.carrying and slot not in barred and slot not in record.ends

    def build(builder: Builder) -> list[Any]:
        def handle(slot: int) -> Tensor:
            return builder.handle(Outcome(slot, calls[slot].spec))

        # A weight may have been computed after the path whose record this is.
        now = calls if all(given is None or given < size for _, given in targets) else trace.node.program()
        seeds = [
            (
                slot,
                None
                if given is None
                else _as_wide(builder.handle(Outcome(given, now[given].spec)), calls[slot]),
            )
            for slot, given in targets
        ]
        found = walk(
            builder,
            calls,
            seeds,
            groups,
            leaves,
            inside,
            handle,
            _met_while_recorded if create_graph else _met,
        )
        return [_outcome(one) for one in found]

    sources = tuple(listed if listed is not None else [group[-1] if group else -1 for group in groups])
    watched = tuple((slot, since) for slot, since in leaves.items() if calls[slot].variable is None)
    node = trace.follow(
        "gradient", head, (), frame, build, tape=STANDING, targets=tuple(slot for slot, _ in targets),
        sources=sources, intervals=record.intervals if size else (), watch_variables=True, watched=watched,
        create_graph=create_graph, spent=frozenset() if retain_graph else freed, implied=listed is None,
    )  # fmt: skip
    node.facts["leaves"] = places
    return node


def _as_wide(weight: Tensor, target: Call) -> Tensor:
    """Returns the weight of a target in the target's dtype: a complex one loses its imaginary part."""
    wanted = target.spec.dtype
    if weight.dtype == wanted:
        return weight
    return cast(real(weight) if weight.dtype.kind == "c" != wanted.kind else weight, dtype=wanted)


def _outcome(found: Any) -> Any:
    if found is None:
        return None
    if isinstance(found, Rows):
        indices, values = found.indices, found.values
        return RowsOutcome(
            Outcome(indices._slot, indices._spec), Outcome(values._slot, values._spec), found._spec
        )
    return Outcome(found._slot, found._spec)


def _given(trace: Trace, outcome: Any, kind: type[Tensor]) -> Any:
    return trace.give(outcome, kind) if type(outcome) is Outcome else give_rows(trace, outcome, kind)


def _deliver(trace: Trace, places: Any, results: Any, frame: FrameType, retain_graph: bool) -> None:
    """Gives the gradients of an event to the leaves they belong to."""
    kind = speech.kind
    variables = trace.variables
    watched = engine.slots.functions
    others = []
    for place, outcome in zip(places, results):
        if outcome is None:
            continue
        gradient = trace.give(outcome, kind) if type(outcome) is Outcome else _given(trace, outcome, kind)
        if place[0] == "variable":
            # The common case, and the one that has to be quick: a leaf that has no gradient yet.
            owner: Any = variables[place[1]]
            before = owner._gradient
            if (before is ZERO or before is None) and not owner._gradient_hooks:
                owner._gradient = gradient
                if watched:
                    note_left(owner)
                continue
        others.append((place, gradient))
    if others:
        _hand_out(trace, others, frame, retain_graph)


def _hand_out(trace: Trace, found: Any, frame: FrameType, retain_graph: bool) -> None:
    # All owners first: a hook of one of them may look at its gradient, which ends the step that numbers them.
    owned = [(_owner(trace, place), gradient) for place, gradient in found if place[0] != "hooked"]
    descent: Any = None
    for owner, gradient in owned:
        if goes_on(owner):
            descent = descent or Descent(trace, retain_graph, frame, None)
            descent.arrive(owner, dense(gradient))
            continue
        if owner is not None:
            add_to(owner, gradient, frame)
    if descent is not None:
        descent.run()


def _owner(trace: Trace, place: tuple[str, int]) -> Any:
    word, where = place
    if word == "variable":
        return trace.variables[where]
    return trace.entries[where] if word == "entry" else _holder(trace, where)


def _holder(trace: Trace, slot: int) -> Any:
    """Returns the handle on a slot that wants its gradient."""
    handles: list[Any] = trace.handles
    found = [one for one in handles if one._slot == slot and hasattr(one, "_gradient_hooks")]
    chosen = [one for one in found if one._is_watched or one._noted("retain")]
    found = chosen or found
    return found[0] if found else None


def _by_itself(leaf: Any, seed: Any, retain_graph: bool, frame: FrameType, trace: Trace) -> None:
    slot = trace.current.get(leaf._uid)
    if slot is not None and not leaf._trainable:
        record = record_of(trace.node, historic(trace) if trace.entries else ())
        if slot in record.carrying and slot not in record.leaves:
            kind = speech.kind
            spoken = trace.give(Outcome(slot, leaf._spec), kind)
            backward(spoken, seed, retain_graph, frame)
            return
    if leaf._carried is not None and not leaf._trainable:
        _backward_of_the_past(trace, leaf._carried, seed, retain_graph, frame)
        return
    if leaf._trainable:
        if engine.absences:
            _tell_alone(trace, leaf, frame)
        add_to(leaf, _ones(leaf, speech.kind) if seed is None else seed, frame)


def _tell_alone(trace: Trace, leaf: Any, frame: FrameType) -> None:
    """Records that a leaf was asked for the gradients of the values it was computed from."""
    slot = trace.reference(leaf)
    intervals = record_of(trace.node).intervals
    trace.mark(
        "alone", slot, frame, tape=STANDING, targets=(slot,), sources=(), intervals=intervals,
        watch_variables=True, watched=(), implied=True,
    )  # fmt: skip


def _backward_of_the_past(trace: Trace, target: Any, seed: Any, retain_graph: bool, frame: FrameType) -> None:
    """Gives the gradients of a step that is over, by replaying it."""
    if target._past is None:
        if getattr(target, "_is_watched", False):
            add_to(target, _ones(target, speech.kind) if seed is None else seed, frame)
        return
    descent = Descent(trace, retain_graph, frame, None)
    descent.arrive(target, _ones(target, speech.kind) if seed is None else fitting(seed, target, frame))
    descent.run()


def fitting(weight: Any, target: Any, frame: FrameType) -> Any:
    """Returns the weight of a target of a step that is over, in the target's dtype."""
    wanted = target._spec.dtype
    if weight._spec.dtype == wanted:
        return weight
    if weight._spec.dtype.kind == "c" != wanted.kind:
        weight = real.record((weight,), {}, frame)
    return cast.record((weight,), {"dtype": wanted}, frame)


def _ones(like: Any, kind: type[Tensor]) -> Any:
    return concrete(np.ones(like._spec.shape, like._spec.dtype), kind)
