"""Autograd that is always on: a standing tape, `backward`, `paddle.grad` and `no_grad`."""

from __future__ import annotations

import functools
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.grad.backward import backward as walk
from penstock.grad.live import give_rows
from penstock.grad.rows import Rows
from penstock.ops import pointwise
from penstock.paddle._record import historic, record_of
from penstock.trace.builder import Builder, Outcome, RowsOutcome
from penstock.trace.engine import engine
from penstock.trace.fast_path import alive
from penstock.trace.history import STANDING, Standing
from penstock.trace.leaf import TensorArgument, VariableArgument, Version
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import user_frame
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
LONG = 256
"""A history of more events than this is kept as a path to be replayed where most of it is not needed."""
KEPT = 8
"""While somebody watches, so many paths that have been run are remembered, for an optimizer's next step."""


class ZeroType:
    """The one value of a gradient that was cleared to zeros: made a tensor when it is read."""

    def __repr__(self) -> str:
        return "zeros"


ZERO = ZeroType()


class Autograd(Standing):
    """The standing tape of a thread, and where its training loop is.

    `order` are the optimizers that have stepped since the first of them did, and `last` the one after which
    the loop starts over: its `clear_grad` ends a step. While `held` is not 0 a backward pass is half-way
    through a path, which therefore stays, whoever looks at values.
    """

    persistent = True
    _open = False
    precision: Any = None
    """What the block of `auto_cast` says that the thread is in."""

    def __init__(self) -> None:
        self.enabled = True
        self._used = True
        self._past: Any = None
        self._checked = LONG
        self.order: list[Any] = []
        self.last: Any = None
        self.needed = True
        self.held = 0
        self._recent: Any = None
        self.pasts: deque[Any] = deque(maxlen=KEPT)

    def intervals(self, size: int) -> list[tuple[int, int]]:
        """Returns the slots recorded, for a run that keeps what backward may need; `size` does nothing."""
        return list(record_of(local.trace.node).intervals)

    def _restart(self, trace: Trace, frame: FrameType) -> None:
        """A standing tape has nothing to restart."""

    def wants(self, trace: Trace) -> bool:
        """Returns whether a gradient of what this trace has recorded can still be asked of a tensor held."""
        held = alive(trace.handles)
        known = trace.node.facts.setdefault("wanted", {})
        found = known.get(held)
        if found is None:
            record = record_of(trace.node, historic(trace))
            open_ = record.carrying - record.spent
            found = any(
                one and handle._slot in open_ and handle._slot not in record.leaves
                for one, handle in zip(held, trace.handles)
            )
            found = known[held] = found or not open_.isdisjoint(record.bound.values())
        return bool(found)

    def keeps(self, trace: Trace) -> bool:
        """Joins the trace's tapes or leaves them; returns whether the history is to stay in the trace."""
        wanted = trace.node.depth > 0 and (self.held or self.wants(trace))
        self._used = not wanted
        if not wanted:
            return False
        if not any(tape is self for tape in trace.tapes):
            trace.tapes.append(self)
        if self.held or trace.node.depth <= self._checked:
            return True
        record = record_of(trace.node)
        held = alive(trace.handles)
        targets = [h._slot for one, h in zip(held, trace.handles) if one and h._slot in record.carrying]
        kept = 2 * len(record.behind(targets)) > len(record.calls)
        self._checked = 2 * trace.node.depth if kept else LONG
        return kept

    def historic(self, trace: Trace) -> tuple[int, ...]:
        """Returns the slots of data whose own history an earlier path holds."""
        return historic(trace)

    def begin(self, trace: Trace) -> None:
        """Goes on, in a trace that is at the root, as it was told to: recording or not."""
        self._past = None
        self._used = True
        self._checked = LONG
        self.due = 0
        recent = self._recent
        if recent is not trace.previous:
            if recent is not None and recent.arguments is None and getrefcount(recent) > _UNKEPT:
                _lighten(recent)
            self._recent = trace.previous
        if engine.absences:
            # A step may come when the backward passes before it have long been run.
            self.pasts.append(trace.previous)
        if not self.enabled:
            trace.mark("pause", (), user_frame(1), tape=STANDING)
        if self.precision is not None:
            trace.mark("precision", self.precision, user_frame(1), tape=STANDING)
        elif not self.enabled:
            pass
        elif self.needed:
            self.needed = False
        else:
            # A whole step without a call of this dialect: what is recorded now belongs to another.
            trace.standing = None


getrefcount = sys.getrefcount


def _held_once() -> int:
    """Returns what getrefcount says here of a variable that one other thing holds."""
    # Measured: whether a call holds its argument too depends on the version of Python.
    holder = [object()]
    held = holder[0]
    return getrefcount(held)


_UNKEPT = _held_once()
"""What getrefcount says of a past that only the standing tape and its caller hold."""


class Forgotten:
    """What a past keeps of data that was read: enough to speak of it, not its value."""

    __slots__ = ("_spec", "_trainable", "_uid", "_version", "path", "site", "unnamed")

    def __init__(self, cell: Any) -> None:
        for name in self.__slots__:
            setattr(self, name, getattr(cell, name))


def _lighten(past: Any) -> None:
    """Drops a past's data, or results that the program keeps, such as losses, would hold every batch."""
    variables = past.variables
    if not all(getattr(one, "_told", True) for one in variables):
        past.variables = [one if getattr(one, "_told", True) else Forgotten(one) for one in variables]


class _Threads(threading.local):
    """Gives each thread a standing tape of its own."""

    def __init__(self) -> None:
        self.tape = Autograd()


_threads = _Threads()


def standing() -> Autograd:
    """Returns this thread's standing tape, and lets its trace know of it."""
    tape = _threads.tape
    tape.needed = True
    trace = local.trace
    if type(trace) is Trace and trace.standing is not tape:
        trace.standing = tape
    return tape


def end_step(trace: Trace) -> None:
    """Runs what is pending as one executable; the step is over."""
    if type(trace) is Trace and not trace.taping and not trace.capturing and trace.node.depth:
        trace.run(reset=True)


# -- backward -------------------------------------------------------------------------------------------


class _Left(threading.local):
    """The variables whose gradients the backward pass of this thread has changed, where somebody watches."""

    variables: list[Any] | None = None


_left = _Left()


def backward(target: Any, seed: Any, retain_graph: bool, frame: FrameType) -> None:
    """Adds to `grad` of every leaf that the target depends on."""
    if not engine.slots.functions:
        _backward(target, seed, retain_graph, frame)
        return
    _left.variables = []
    try:
        _backward(target, seed, retain_graph, frame)
    finally:
        changed, _left.variables = _left.variables, None
    engine.slots.tell("left", frame, "", list({id(one): one for one in changed}.values()))


def _note_left(owner: Any) -> None:
    if _left.variables is not None and isinstance(owner, Cell):
        _left.variables.append(owner)


def _backward(target: Any, seed: Any, retain_graph: bool, frame: FrameType) -> None:
    trace = local.trace
    standing()
    if type(trace) is not Trace:
        raise AssertionError("a recorded function may not ask for gradients")
    if isinstance(target, Cell):
        _by_itself(target, seed, frame, trace)
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
    _deliver(trace, node.facts["leaves"], node.result, frame, retain_graph)


def _checked(trace: Trace, target: Any, earlier: tuple[int, ...]) -> tuple[Any, list[int], frozenset[int]]:
    """Returns what a gradient of the target passes; refuses what an earlier pass has freed."""
    record = record_of(trace.node, earlier)
    behind = record.behind([target._slot])
    freed = record.operations(behind)
    if not freed.isdisjoint(record.spent):
        from penstock.paddle._refusals import second_backward

        raise second_backward(trace.node, record, freed)
    return record, behind, freed


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
    """Goes back from one hooked value to the next: what a hook returns is where the next part begins."""
    groups, places = ends(record, [slot for slot in behind if slot not in hooked or slot in record.leaves])
    ways = Ways(record, freed, retain_graph, False)
    totals = from_hook_to_hook(trace, ways, hooked, {target._slot: given}, groups, places, frame)
    _hand_out(trace, list(totals.items()), frame, retain_graph)


class Ways:
    """What the parts of a gradient between hooks have in common."""

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
                    if owner._slot == stop:
                        gradient = through_hooks(owner, gradient)
                totals["hooked", stop] = gradient
                ready = {stop: trace.reference(dense(gradient))}
    finally:
        tape.held -= 1
    return totals


class KEEPING:
    """Stands among the hooks of a result where it was told to keep its gradient: as it has come so far."""


def through_hooks(owner: Any, gradient: Any) -> Any:
    """Returns what the hooks of a tensor, one after another, make of its gradient."""
    for hook in owner._gradient_hooks:
        if hook is KEEPING:
            owner._gradient = gradient
            continue
        shown = dense(gradient)
        if type(shown) is speech.kind:
            shown.__class__ = speech.gradient
        changed = hook(shown)
        gradient = gradient if changed is None else changed
    return gradient


def ends(record: Any, behind: Sequence[int]) -> tuple[Any, Any]:
    """Returns the slots of each leaf that gradients reach, and where to find the leaf on any pass."""
    groups: dict[Any, list[int]] = {}
    for slot in behind:
        if slot not in record.leaves and slot not in record.retained:
            continue
        match record.calls[slot].primitive:
            case VariableArgument(variable=index) | Version(variable=index):
                place: Any = ("variable", index)
            case TensorArgument(entry=index):
                place = ("entry", index)
            case _:
                place = ("handle", slot)
        groups.setdefault(place, []).append(slot)
    return list(groups.values()), list(groups)


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
        return slot in record.carrying and slot not in barred

    def build(builder: Builder) -> list[Any]:
        def handle(slot: int) -> Tensor:
            return builder.handle(Outcome(slot, calls[slot].spec))

        # A weight may have been computed after the path whose record this is.
        now = calls if all(given is None or given < size for _, given in targets) else trace.node.program()
        seeds = [
            (slot, None if given is None else builder.handle(Outcome(given, now[given].spec)))
            for slot, given in targets
        ]
        found = walk(builder, calls, seeds, groups, leaves, inside, handle)
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
                _note_left(owner)
                continue
        others.append((place, gradient))
    if others:
        _hand_out(trace, others, frame, retain_graph)


class speech:
    """The class of tensors that results come in; `_tensor`, which imports this file, sets it."""

    kind: type[Tensor] = Tensor
    gradient: type[Tensor] = Tensor
    """That of gradients as `grad` and hooks see them."""


def _hand_out(trace: Trace, found: Any, frame: FrameType, retain_graph: bool) -> None:
    descent: Any = None
    for (word, where), gradient in found:
        if word == "hooked":
            continue
        if word == "variable":
            owner: Any = trace.variables[where]
        elif word == "entry":
            owner = trace.entries[where]
        else:
            owner = _holder(trace, where)
        if getattr(owner, "_past", None) is not None:
            from penstock.paddle import _past

            if _past.goes_on(owner):
                descent = descent or _past.Descent(trace, retain_graph, frame, None)
                descent.arrive(owner, dense(gradient))
                continue
        if owner is not None:
            add_to(owner, gradient, frame)
    if descent is not None:
        descent.run()


def _holder(trace: Trace, slot: int) -> Any:
    """Returns the handle on a slot that wants its gradient."""
    handles: list[Any] = trace.handles
    found = [one for one in handles if one._slot == slot and hasattr(one, "_gradient_hooks")]
    chosen = [one for one in found if one._is_watched or one._noted("retain")]
    found = chosen or found
    return found[0] if found else None


def add_to(owner: Any, gradient: Any, frame: FrameType) -> None:
    """Adds to the gradient of a leaf, or sets that of a result that keeps its own."""
    _note_left(owner)
    kept = not isinstance(owner, Cell) and not owner._is_watched
    gradient = through_hooks(owner, gradient)
    before = owner._gradient
    if before is None or before is ZERO or kept:
        owner._gradient = gradient
    else:
        owner._gradient = pointwise.add.record((dense(before), dense(gradient)), {}, frame)


def dense(gradient: Any) -> Any:
    """Returns a gradient as one tensor."""
    return gradient.dense() if isinstance(gradient, Rows) else gradient


def _by_itself(leaf: Any, seed: Any, frame: FrameType, trace: Trace) -> None:
    slot = trace.current.get(leaf._uid)
    if slot is not None and not leaf._trainable:
        record = record_of(trace.node)
        if slot in record.carrying and slot not in record.leaves:
            kind = speech.kind
            spoken = trace.give(Outcome(slot, leaf._spec), kind)
            backward(spoken, seed, False, frame)
            return
    if leaf._trainable:
        from penstock.paddle._creation import ones_like

        if engine.absences:
            _tell_alone(trace, leaf, frame)
        add_to(leaf, ones_like(leaf) if seed is None else seed, frame)


def _tell_alone(trace: Trace, leaf: Any, frame: FrameType) -> None:
    """Puts on the record that a leaf was asked for the gradients of what it was computed from."""
    slot = trace.reference(leaf)
    intervals = record_of(trace.node).intervals
    trace.mark(
        "alone", slot, frame, tape=STANDING, targets=(slot,), sources=(), intervals=intervals,
        watch_variables=True, watched=(), implied=True,
    )  # fmt: skip


def _backward_of_the_past(trace: Trace, target: Any, seed: Any, retain_graph: bool, frame: FrameType) -> None:
    """Gives the gradients of a step that is over, by replaying it."""
    from penstock.paddle._past import Descent

    if target._past is None:
        if getattr(target, "_is_watched", False):
            add_to(target, _ones(target, speech.kind) if seed is None else seed, frame)
        return
    descent = Descent(trace, retain_graph, frame, None)
    descent.arrive(target, _ones(target, speech.kind) if seed is None else seed)
    descent.run()


def _ones(like: Any, kind: type[Tensor]) -> Any:
    from penstock.trace.tensor import concrete

    return concrete(np.ones(like._spec.shape, like._spec.dtype), kind)


# -- switching recording off and on -----------------------------------------------------------------------


def is_grad_enabled() -> bool:
    """Returns whether what is computed now can be differentiated.

    >>> from penstock import paddle
    >>> with paddle.no_grad():
    ...     print(paddle.is_grad_enabled())
    False
    """
    return _threads.tape.enabled


def switch(wanted: bool, frame: FrameType) -> bool:
    """Switches recording for gradients on or off; returns what it was before."""
    tape = standing()
    before = tape.enabled
    if before is not wanted:
        trace = local.trace
        kind = "resume" if wanted else "pause"
        node = trace.node.edges.get((kind, (), frame.f_lasti, id(frame.f_code)))
        if node is None:
            trace.mark(kind, (), frame, tape=STANDING)
        else:
            trace.node = node
        tape.enabled = wanted
    return before


class _Switch:
    """A context, and a decorator, inside which recording is on or off."""

    _wanted = False

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> _Switch:
        self._before.append(switch(self._wanted, _frame(1)))
        return self

    def __exit__(self, *exception: object) -> None:
        switch(self._before.pop(), _frame(1))

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        kind = type(self)

        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            frame = user_frame(1)
            before = switch(kind._wanted, frame)
            try:
                return function(*arguments, **options)
            finally:
                switch(before, frame)

        return wrapper


class no_grad(_Switch):
    """A context, or a decorator, inside which nothing is recorded for gradients.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor(2.0, stop_gradient=False)
    >>> with paddle.no_grad():
    ...     y = x * 3
    >>> y.stop_gradient
    True
    """

    def __new__(cls, function: Any = None) -> Any:
        made = object.__new__(cls)
        if function is None:
            return made
        made._before = []
        return made(function)


class enable_grad(no_grad):
    """A context, or a decorator, inside which what is computed is recorded for gradients."""

    _wanted = True


class set_grad_enabled:
    """Switches recording for gradients on or off, at once or for a `with` block."""

    def __init__(self, mode: bool) -> None:
        self._before = switch(bool(mode), _frame(1))

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        switch(self._before, _frame(1))


no_grad_ = no_grad
