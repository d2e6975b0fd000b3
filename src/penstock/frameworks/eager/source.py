"""What the sources of frameworks share in which autograd is always on.

The first steps are recorded call by call, later ones are counted.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import weakref
from collections.abc import Sequence
from typing import Any

from penstock.flow.noted import Notice, Remade, Untied
from penstock.flow.observed import Enough, Sink, Variable
from penstock.flow.report_model import Conservation, Finding
from penstock.frameworks.eager import told
from penstock.frameworks.eager.by_hand import ByHand
from penstock.frameworks.eager.copies import Copies
from penstock.frameworks.eager.modes import Modes
from penstock.frameworks.eager.parameter import UNKNOWN, Registry
from penstock.frameworks.eager.passes import Gradients
from penstock.frameworks.eager.sizes import Sizes
from penstock.frameworks.eager.tensors import Tensors
from penstock.frameworks.eager.turns import AGAIN, Turns
from penstock.frameworks.eager.updates import Updates
from penstock.frameworks.eager.window import Window
from penstock.frameworks.places import user_frames
from penstock.frameworks.told import Nothing

WHOLE = 4
"""How many steps are recorded call by call."""
LONGER, SMALL = 16, 1_000
"""How many are recorded while they have fewer than SMALL values, to see events that occur every few steps."""
ROOM = 100_000
"""A window with this many values is closed, whatever step the program is in."""


class Eager:
    """Watches programs that run in a framework; the parts of the source, which a framework completes."""

    framework: tuple[str, str]
    conservation: Conservation | None = None
    remarks: Sequence[str] = ()
    orphan: str
    Written: type[told.Written] = told.Written
    turns: Turns
    gradients: Gradients
    updates: Updates
    by_hand: ByHand
    sizes: Sizes
    window: Window | None

    def __init__(self, tensors: Tensors, whole: int) -> None:
        self.whole, self.words = whole, tensors.words
        self.recording = False
        self.registry = Registry(tensors)
        self.window = None
        self.nothing = Nothing(tensors.words)
        self.until = 0
        self.events = itertools.count()
        self.began = self.optimized = False
        self.modes = Modes(tensors)
        self.copies = Copies(self)
        self._notes: list[tuple[Notice, Sequence[Variable]]] = []

    def begin(self, sink: Sink) -> None:
        """Begins the first window."""
        self.sink = sink
        self.until = self.whole
        self.window = self.new_window()
        _watching.add(self)

    def note_given(self, module: Any, name: str, tensor: Any) -> None:
        """Notes a parameter of a module that was created before the watch."""
        self.registry.note_registered(module, name, tensor, None)

    def forget(self) -> None:
        """Notes that the watch is over."""
        _watching.discard(self)

    def new_window(self) -> Window:
        """Returns an empty window."""
        raise NotImplementedError

    def finish(self) -> BaseException | None:
        """Analyses the last recording."""
        self.recording = False
        with contextlib.suppress(Enough):
            self.by_hand.count()
            self.tell([])
            self.sizes.end()
            self.close()
        if not self.sink.stopped:
            self.settle()
            self._notes += self.updates.unfed()
            self.gradients.tell_sums()
            self.updates.tell_emptied()
            self._notes += [(fact, ()) for fact in self.updates.schedules.told()]
        self._tell_notes()
        self.tell_uncounted()
        self.sink.unrecorded(self.turns.over)
        return None

    def settle(self) -> None:
        """Is called when the program is over, before the last facts are reported."""

    def tell_uncounted(self) -> None:
        """Reports the lines that may have written more often than was counted."""

    def end(self) -> None:
        """Does nothing: there is nothing to check again."""

    def is_meant(self, finding: Finding) -> bool:
        """Returns False: these programs cannot declare a finding as intended."""
        return False

    @property
    def is_over(self) -> bool:
        """Whether enough steps are recorded."""
        assert self.window is not None
        steps = self.sink.steps.count
        small = self.whole == WHOLE and not self.turns.opened and len(self.window.graph.values) < SMALL
        limit = self.sink.limit
        return bool(steps >= (LONGER if small else self.until)) or (limit is not None and steps >= limit)

    def close(self) -> None:
        """Passes the window to the sink, which analyses it; from here on steps are only counted."""
        window, self.window = self.window, None
        self.recording = False
        self.by_hand.settle_measured(window)
        self.gradients.settle(window)
        self.closed()
        self.gradients.tell_alone()
        self.by_hand.tell_misplaced()
        if window is None:
            return
        window.settle_flat()
        self.examine(window)
        if self.optimized:
            self.gradients.withdraw(window)
        self._note_orphans()
        for one in window.variables:
            if not one.path and one.site is UNKNOWN:
                one.path = f"{one.dtype}[{', '.join(map(str, one.shape))}] made at {one.site}"
        for (line, first), (other, second), *_ in self.registry.ties.broken():
            self.note(Untied((first.path, second.path), line, other), [first, second])
        self.sink.passed(window)
        self.tell_parts()
        self._tell_notes()

    def closed(self) -> None:
        """Is called when a window is closed, before it is analysed."""

    def examine(self, window: Window) -> None:
        """Is called with a closed window, to note facts about it."""

    def _note_orphans(self) -> None:
        """Notes the parameters that belong to no module with a name, and why."""
        remade: dict[Remade, list[Variable]] = {}
        for one, tensor in self.registry.living():
            if one.kind != "weight" or one.unregistered or not self.registry.is_orphan(tensor):
                continue
            layer = self.registry.layer_of(tensor)
            if layer is None:
                one.unregistered = self.orphan
                continue
            one.path = one.path or f"{layer.kind}.{layer.name}"
            if layer.again:
                remade.setdefault(Remade(layer.kind, layer.site), []).append(one)
        for fact, held in remade.items():
            self.note(fact, held)

    def tell_parts(self) -> None:
        """Reports parameters that are parts of others, or represent them: optimizers of those train them."""
        known = [(one, tensor, self.memory(tensor)) for one, tensor in self.registry.living()]
        held = {at for one, _, at in known if at and one.uid in self.updates.held}
        for one, _, at in known:
            part = at in held and one.uid not in self.updates.held and one.kind == "weight"
            if part or self.registry.is_inner(one):
                self.sink.subject(one).owned = True

    def memory(self, tensor: Any) -> int | None:
        """Returns the address of a tensor's memory, if other tensors may share it."""
        return None

    def is_itself(self, source: Any, tensor: Any) -> bool:
        """Returns whether a load gives a tensor the value in its own memory."""
        return source is not tensor and self.memory(source) == self.memory(tensor) is not None

    def note(self, fact: Notice, variables: Sequence[Variable]) -> None:
        """Notes a fact, which is reported when all its subjects have a name."""
        self._notes.append((fact, variables))

    def _tell_notes(self) -> None:
        self._notes += self.updates.lists.told(self.registry)
        for fact, variables in self._notes:
            self.sink.noted(fact, variables)
        self._notes.clear()

    def record(self, whether: bool) -> None:
        """Turns recording of calls on or off."""
        self.recording = whether

    def open_window(self) -> None:
        """Begins a window for a path that came after the first steps."""
        self.turns.open()
        self.window = self.new_window()
        self.until = self.sink.steps.count + AGAIN
        self.record(True)

    def end_step_by_hand(self) -> None:
        """Does the work of an optimizer's step for programs without an optimizer, which update by hand."""
        self.by_hand.count()
        if self.window is not None and self.is_over:
            self.close()

    def tell(self, writes: Sequence[told.Written]) -> None:
        """Reports writes to the sink, together with waiting writes of layers."""
        every = [*self.by_hand.take_pending(), *writes] if self.by_hand.pending else writes
        for one in every:
            if not one.variable.path:
                self.registry.name(user_frames(2))
                break
        self.sink.passed(self.nothing, every)


_watching: weakref.WeakSet[Eager] = weakref.WeakSet()


def _rest_in_child() -> None:
    """Makes a child of this process, such as a worker of a loader, run without a watcher."""
    for one in list(_watching):
        one.window, one.recording = None, False


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_rest_in_child)


__all__ = ["WHOLE", "Eager"]
