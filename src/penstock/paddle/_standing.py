"""The standing tape of each thread: its recording for gradients, and its position in a training loop."""

from __future__ import annotations

import sys
import threading
from collections import deque
from types import FrameType
from typing import Any

from penstock.paddle._record import historic, is_freed, record_of, still_historic
from penstock.paddle._views import gather, place_each, sharing
from penstock.trace.engine import engine
from penstock.trace.fast_path import alive
from penstock.trace.history import STANDING, Past, Standing
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import user_frame

LONG = 256
"""A history of more events than this is kept as a path to be replayed if most of it is not needed."""
DIFFERENTIATED = 16 * LONG
"""A history of up to this many events stays if the program differentiates gradients.

A path that is replayed gives no gradient that can be differentiated, so such a path may only be left when
nothing of it is wanted, or after a gradient that is not to be differentiated: not between a result and the
gradient that the program is about to ask of it.
"""
KEPT = 8
"""How many paths that have been run are remembered for an optimizer's next step, while a report is made."""


class ZeroType:
    """The one value of a gradient that was cleared to zeros: made a tensor when it is read."""

    def __repr__(self) -> str:
        return "zeros"


ZERO = ZeroType()


class Autograd(Standing):
    """The standing tape of a thread, and where its training loop is.

    `order` are the optimizers that have stepped since the first of them did, and `last` the one after which
    the loop starts over. Its `clear_grad` ends a step; or its `step` does, if since the one before the
    gradients were not `cleared` at a place where none is about to be requested. `left` says that a step went
    on after its last optimizer, since a gradient could still be requested. While `held` is not 0 a backward
    pass is half-way through a path, which therefore stays even if a program reads values. `differentiates`
    says that the program has asked for gradients that can be differentiated, and `waits` that a long history
    stays only until nothing of it is wanted.
    """

    persistent = True
    _open = False
    precision: Any = None
    """The settings of the block of `auto_cast` that the thread is in."""

    def __init__(self) -> None:
        self.enabled = True
        self._used = True
        self._past: Any = None
        self._checked = LONG
        self.order: list[Any] = []
        self.last: Any = None
        self.cleared = self.left = False
        self.needed = True
        self.held = 0
        self.differentiates = self.waits = False
        self.bound = {}
        self._recent: Any = None
        self.pasts: deque[Any] = deque(maxlen=KEPT)

    def intervals(self, size: int) -> list[tuple[int, int]]:
        """Returns the slots recorded, for a run that keeps what backward may need; `size` does nothing."""
        return list(record_of(local.trace.node).intervals)

    def _restart(self, trace: Trace, frame: FrameType) -> None:
        """A standing tape has nothing to restart."""

    def wants(self, trace: Trace) -> bool:
        """Returns whether a program still holds a tensor through which it can differentiate this trace."""
        return self._wants(trace)[0]

    def _wants(self, trace: Trace) -> tuple[bool, tuple[int, ...]]:
        """Returns what `wants` does, and the positions of the handles held that share memory."""
        held = alive(trace.handles)
        known = trace.node.facts.get("wanted")
        if known is None:
            known = trace.node.facts["wanted"] = {}
        earlier = still_historic(trace)
        key = (held, earlier) if earlier else held
        found = known.get(key)
        if found is None:
            record = record_of(trace.node, earlier)
            open_ = record.carrying - record.spent
            found = any(
                one and handle._slot in open_ and handle._slot not in record.leaves
                for one, handle in zip(held, trace.handles)
            )
            found = bool(found or not open_.isdisjoint(record.bound.values()))
            found = known[key] = found, sharing(trace, held)
        return found

    def awaits(self, trace: Trace, since: int) -> bool:
        """Returns whether a program can still request the gradient of a value that has come since a slot."""
        held = alive(trace.handles)
        known = trace.node.facts.get("awaits")
        if known is None:
            known = trace.node.facts["awaits"] = {}
        earlier = still_historic(trace)
        found = known.get((held, since, earlier))
        if found is None:
            record = record_of(trace.node, earlier)
            slots = {one._slot for yes, one in zip(held, trace.handles) if yes} | {*record.bound.values()}
            found = known[held, since, earlier] = any(
                # A value that shares its history with a loss was freed together with it.
                record.spent.isdisjoint(record.operations(record.behind([slot])))
                for slot in record.carrying.intersection(slots) - record.leaves.keys()
                if slot >= since
            )
        return bool(found)

    def clear(self, trace: Trace) -> None:
        """Ends a step where the last optimizer clears the gradients.

        Between a loss and its `backward` the step goes on: the gradient would otherwise have to replay it.
        """
        written = trace.checkpoint
        if trace.node is written or not self.awaits(trace, written.size):
            self.cleared = True
            if trace.pending and self.last is not None and not (trace.taping or trace.capturing):
                trace.run(True)

    def leave(self, trace: Trace, over: bool) -> None:
        """Ends a step after an optimizer, unless the program can still request a gradient.

        A step that is `over` goes on for one more turn at most: a program may keep results that it never
        differentiates.
        """
        if (over and self.left) or not self.awaits(trace, 0):
            end_step(trace)
        elif over:
            self.left = True

    def keeps(self, trace: Trace) -> bool:
        """Joins the trace's tapes or leaves them; returns whether the history is to stay in the trace."""
        node = trace.node
        wanted: Any = node.depth > 0
        if wanted and not self.held:
            # Most steps end with the same tensors held as one before.
            known = node.facts.get("wanted")
            found = None if known is None or trace.entries else known.get(alive(trace.handles))
            wanted, shared = self._wants(trace) if found is None else found
            if trace.shared:
                gather(trace)
            elif shared:
                place_each(trace, shared)
        if not wanted:
            self._used = True
            return False
        self._used = False
        if not any(tape is self for tape in trace.tapes):
            trace.tapes.append(self)
        if self.held or trace.node.depth <= self._checked:
            return True
        record = record_of(trace.node, still_historic(trace))
        held = alive(trace.handles)
        targets = [h._slot for one, h in zip(held, trace.handles) if one and h._slot in record.carrying]
        targets += record.carrying.intersection(record.bound.values())
        kept = 2 * len(record.behind(targets)) > len(record.calls)
        self._checked = 2 * trace.node.depth if kept else LONG
        return kept

    def stays(self, trace: Trace) -> bool:
        kept = self.keeps(trace)
        self.waits = (
            not kept and not self._used and self.differentiates and trace.node.depth <= DIFFERENTIATED
        )
        return kept or self.waits

    def due_after(self, depth: int) -> int:
        return depth + depth // 64 if self.waits else super().due_after(depth)

    def rest(self, trace: Trace) -> None:
        """Leaves a path that only waits to be left: the program has the gradients that it wanted of it."""
        if self.waits and not self.held:
            self.waits = False
            end_step(trace)

    def historic(self, trace: Trace) -> tuple[int, ...]:
        """Returns the slots of data whose own history an earlier path holds."""
        return historic(trace)

    def needed_of(self, trace: Trace, historic: tuple[int, ...]) -> set[int]:
        """Returns those of these slots whose history no backward pass has freed yet."""
        found = set()
        for entry in trace.entries:
            slot = trace.entered.get(id(entry))
            if slot in historic and not is_freed(entry):
                found.add(slot)
        return found

    def carry(self, trace: Trace, past: Past) -> None:
        record = record_of(past.node, past.historic)
        for leaf in self.bound.values():
            slot = trace.current.get(leaf._uid)
            if slot is not None and slot in record.carrying and slot not in record.leaves:
                leaf._carry(past, slot)

    def begin(self, trace: Trace) -> None:
        """Begins in a trace at the root, with recording on or off as the program set it."""
        self._past = None
        self._used = True
        self._checked = LONG
        self.due, self.waits, self.left = 0, False, False
        if self.bound:
            self.bound = {}
        recent = self._recent
        if recent is not trace.previous:
            if recent is not None and recent.arguments is None and getrefcount(recent) > _UNKEPT:
                _lighten(recent)
            self._recent = trace.previous
        if engine.absences.functions:
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
            # A whole step without a call of this dialect: the present recording belongs to another one.
            trace.standing = None


getrefcount = sys.getrefcount


def _held_once() -> int:
    """Returns the result of getrefcount, in this frame, for an object with one other holder."""
    # Measured: whether a call holds its argument too depends on the version of Python.
    holder = [object()]
    held = holder[0]
    return getrefcount(held)


_UNKEPT = _held_once()
"""The result of getrefcount for a past that only the standing tape and its caller hold."""


class Forgotten:
    """The part of a data tensor that a past keeps after it was read: enough for messages, not its value."""

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
    """Gives each thread its own standing tape."""

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


def recording() -> bool:
    """Returns whether this thread records for gradients."""
    return _threads.tape.enabled


def end_step(trace: Trace) -> None:
    """Runs everything pending as one executable, and ends the step."""
    if type(trace) is Trace and not trace.taping and not trace.capturing and trace.node.depth:
        trace.run(reset=True)
