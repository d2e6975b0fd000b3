"""Updates by optimizers: the parameters that each moves, by how much, and the requested ones."""

from __future__ import annotations

import itertools
import math
import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from penstock.flow.noted import Rated, Unfed
from penstock.flow.observed import Stepped
from penstock.flow.schedules import Schedules
from penstock.frameworks.eager.lists import Lists
from penstock.frameworks.eager.parameter import Parameter
from penstock.frameworks.eager.told import Written
from penstock.frameworks.places import here, user_frame, user_frames
from penstock.frameworks.sampling import is_measured
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.source import Eager


OFTEN = 2
"""A parameter counts as moved by zeros if that happened in this many steps."""


@dataclass(slots=True)
class Group:
    """The notes on an optimizer: its line of creation, its number of steps, its parameters before a step.

    `fed` says whether it has had a gradient yet; until then `unfed` are its parameters, `asked_at` is the
    line of the latest backward pass, and `frozen` says whether all of them were frozen in every step. While a
    step is `open`, `asked` says whether its request is recorded; `inner` has the parameters written by
    optimizers that this one has called, `emptied` those without a backward pass and with gradients of zeros.
    """

    stepped: Stepped
    times: int = 0
    before: list[tuple[Any, Any]] | None = field(default_factory=list)
    counted: list[Written] = field(default_factory=list)
    uids: list[int] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    renewed: int = -1
    site: Site | None = None
    open: bool = False
    asked: bool = False
    inner: set[int] = field(default_factory=set)
    emptied: set[int] = field(default_factory=set)
    fed: bool = False
    unfed: list[Parameter] = field(default_factory=list)
    frozen: bool = True
    asked_at: Site | None = None


class Updates:
    """The optimizers of a program, and each of their updates."""

    def __init__(self, source: Eager, schedules: Schedules) -> None:
        self.source, self.tensors, self.schedules = source, source.registry.tensors, schedules
        self.parameters_of = self.tensors.parameters_of
        self.with_gradient: Callable[[Sequence[Any]], list[Any]] = self.tensors.with_gradient
        self.held: set[int] = set()
        self.lists = Lists(self.tensors)
        self._open: list[tuple[Any, Group]] = []
        self._final: Group | None = None
        self._latest: Group | None = None
        self._numbers = itertools.count()
        self._groups: weakref.WeakKeyDictionary[Any, Group] = weakref.WeakKeyDictionary()
        self._schedules: weakref.WeakKeyDictionary[Any, Site | None] = weakref.WeakKeyDictionary()
        self._by_zeros: dict[int, tuple[Written, int]] = {}
        self._unfed: dict[int, Group] = {}
        self._sites: weakref.WeakKeyDictionary[Any, Site | None] = weakref.WeakKeyDictionary()
        self._made_to_train: weakref.WeakSet[Any] = weakref.WeakSet()

    def made(self, optimizer: Any, site: Site | None) -> None:
        """Notes the line that has created an optimizer."""
        self._sites.setdefault(optimizer, site)
        if any(self.tensors.is_trained(one) for one in self.parameters_of(optimizer)):
            self._made_to_train.add(optimizer)
        if self.source.window is not None:
            self.source.registry.note_homes(user_frames(2))
        self.lists.look(optimizer, user_frame(2))

    def holds(self) -> set[int]:
        """Returns the identities of the parameters that optimizers of the program hold."""
        return {id(one) for optimizer in self._sites for one in self.parameters_of(optimizer)}

    @property
    def stepping(self) -> int:
        """The number of nested updates in progress."""
        return len(self._open)

    def _note_rate(self, optimizer: Any, group: Group, idle: list[Written]) -> None:
        """Notes that an update changes nothing because of its learning rate."""
        if idle and self.tensors.is_idle(optimizer):
            fact = Rated(group.stepped.site, self._schedules.get(optimizer))
            self.source.note(fact, [one.variable for one in idle])

    def _group(self, optimizer: Any) -> Group:
        group = self._groups.get(optimizer)
        if group is None:
            name = type(optimizer).__name__
            rate = self.tensors.rate_of(optimizer)
            group = Group(Stepped(next(self._numbers), name, self._sites.get(optimizer), (), rate))
            self._groups[optimizer] = group
        return group

    def begin(self, optimizer: Any, closure: bool) -> bool:
        """Notes the parameters of an optimizer before it steps, and the request of its step.

        Returns False if the optimizer is at it already. With a `closure`, the request comes afterwards.
        """
        if self._open:
            # Steps that raised an error are still here: no call reports their end.
            self._open = [(one, open_) for one, open_ in self._open if _is_running(one)]
            if any(one is optimizer for one, _ in self._open):
                return False
        if self.source.window is None:
            self.source.by_hand.count()
        group = self._group(optimizer)
        group.site, group.open, group.asked = (
            here(2),
            True,
            bool(self._open) and any(one.asked for _, one in self._open),
        )
        group.inner.clear()
        group.times += 1
        held = self.parameters_of(optimizer)
        if self.source.registry.left:
            self._note_left(held)
        if not group.fed:
            self._note_fed(optimizer, group, held)
        if self.source.window is None and not is_measured(group.times):
            # An optimizer may move what is not to be trained, if a gradient was left there.
            frozen = self.tensors.frozen(held)
            released = {id(one) for one in self.with_gradient(frozen)} if frozen else set()
            group.before = self.tensors.kept(held, lambda one: id(one) in released) if released else None
        else:
            every = is_measured(group.times)
            group.before = self.tensors.kept(held, lambda one: every or not self.tensors.is_trained(one))
        if self.source.window is not None:
            for one in held:
                parameter = self.source.registry.of(one)
                self.source.copies.before_update(parameter, one, group.site)
            self.source.registry.name(user_frames(2))
            self.source.registry.name_rest(optimizer)
        self._open.append((optimizer, group))
        if not closure and self.source.window is not None:
            self._ask(optimizer, group)
        return True

    def _note_left(self, held: Sequence[Any]) -> None:
        """Notes the parameters of a step that their modules have replaced."""
        left = self.source.registry.left
        for tensor in held:
            known = self.source.registry.find(tensor)
            if known is not None and known.uid in left:
                known.replaced = left.pop(known.uid)

    def has_gradient(self, tensor: Any) -> bool:
        """Returns whether an update uses a gradient of a tensor."""
        return bool(self.with_gradient([tensor]))

    def _note_fed(self, optimizer: Any, group: Group, held: Sequence[Any]) -> None:
        """Notes whether an optimizer has had a gradient yet, for any of its trainable parameters.

        One that was made for frozen parameters is not meant to move them. If they were frozen afterwards,
        they count like trainable ones.
        """
        wanted = [one for one in held if self.tensors.is_trained(one)]
        group.frozen = group.frozen and not wanted
        if not wanted and optimizer in self._made_to_train:
            wanted = list(held)
        group.fed = not wanted or bool(self.with_gradient(wanted))
        # Gradients that were cleared before the step are another mistake.
        group.fed = group.fed or self.source.gradients.has_just_given(wanted)
        if group.fed:
            self._unfed.pop(group.stepped.uid, None)
            return
        self.source.gradients.note_missed(wanted)
        # The program may have dropped the optimizer when the run is over.
        self._unfed[group.stepped.uid] = group
        group.unfed = [self.source.registry.of(one) for one in wanted]
        # Passes of counted steps are not known: the latest of the recorded ones is the same line.
        group.asked_at = self.source.gradients.latest or group.asked_at

    def unfed(self) -> list[tuple[Unfed, list[Parameter]]]:
        """Returns the optimizers that have stepped again and again without any gradient."""
        return [
            (
                Unfed(one.stepped.name, one.site, one.asked_at, one.times, one.frozen, one.stepped.site),
                one.unfed,
            )
            for one in self._unfed.values()
            if one.times > 1
        ]

    def _ask(self, optimizer: Any, group: Group) -> None:
        """Records the request of an update: which of its parameters have a gradient."""
        window = self.source.window
        if window is None or group.asked:
            return
        group.asked = True
        registry = self.source.registry
        wanted = [one for one in self.parameters_of(optimizer) if self.tensors.is_trained(one)]
        held = [registry.of(one) for one in self.parameters_of(optimizer)]
        goals = self.source.gradients.goals(held, window)
        if wanted and goals:
            found = list(map(self.is_found, wanted))
            window.asked_numbers("step", group.site, goals, wanted, found)
        self.source.gradients.note_applied(group.stepped, group.site, wanted)
        given = self.source.gradients.given
        group.emptied = {
            registry.of(one).uid
            for one in wanted
            if not given(one)
            and (gradient := self.tensors.gradient(one)) is not None
            and self.tensors.is_zero(gradient)
        }

    def is_found(self, tensor: Any) -> bool:
        """Returns whether a parameter of an update has a gradient."""
        return self.has_gradient(tensor)

    def end(self, optimizer: Any, closure: bool) -> None:
        """Reports the writes of a step, and opens or closes the window if it is time."""
        group = self._groups.get(optimizer)
        if group is None or not group.open:
            return
        group.open = False
        if len(self._open) == 1:
            self._open = []
        else:
            self._open = [(one, open_) for one, open_ in self._open if one is not optimizer]
        self.source.optimized = True
        if self.schedules.some:
            self.updated(optimizer, group.stepped.name, group.site)
        if closure and not group.inner:
            self._ask(optimizer, group)
        window = self.source.window
        if group.before is None and window is None and not self._open:
            self._count(group, optimizer)
            return
        if group.before is None:
            writes, moved, held = self._counted_writes(group, optimizer)
        else:
            writes, moved, held = self._measured_writes(group)
        self._tell_outer(writes)
        self._note_emptied(group, writes)
        if writes and not group.fed:
            group.fed = True
            self._unfed.pop(group.stepped.uid, None)
        self._note_rate(optimizer, group, [one for one in writes if one.idle])
        if group.times == 1:
            # Before its first step, an optimizer has no state that would show what it keeps.
            group.stepped.state = self.tensors.state_of(optimizer)
        self.source.sink.stepped(group.stepped, [one.uid for one in writes], held)
        if window is not None and moved:
            window.wrote(group.stepped.name, group.site, moved, "apply", ("gradient",))
            for one in writes:
                if (tensor := one.variable.tensor()) is not None:
                    self.source.copies.after_update(one.variable, tensor)
        steps = self.source.sink.steps.count
        measured = any(one.amount is not None for one in writes)
        if measured:
            self.source.sizes.applied(writes, moved, group.site)
        self.source.tell(writes)
        if self.source.sizes.is_suspect() or (measured and not all(map(_is_finite, writes))):
            self.source.sizes.lost(writes, moved)
        self._note_order(group, steps)
        if window is not None:
            # Now, while the program still holds its parameters.
            self.source.tell_parts()
            self.lists.follow(self.source.registry)
            self.source.record(self.stepping == 0)
            if self.source.is_over:
                self.source.close()
                self.source.record(False)
        else:
            self._follow(group, writes)

    def updated(self, optimizer: Any, by: str, site: Site | None) -> None:
        """Notes an update for the schedule of its learning rate."""
        self.schedules.updated(optimizer, by, site)

    def _note_emptied(self, group: Group, writes: Sequence[Written]) -> None:
        """Counts the steps that move parameters by zeros."""
        if self.source.window is None:
            return
        for one in writes:
            uid = one.variable.uid
            if uid not in group.emptied:
                self._by_zeros.pop(uid, None)
            elif one.amount:
                _, times = self._by_zeros.get(uid, (one, 0))
                self._by_zeros[uid] = one, times + 1

    def tell_emptied(self) -> None:
        """Reports parameters that were moved by zeros to the end."""
        for one, times in self._by_zeros.values():
            if times >= OFTEN:
                self.source.sink.emptied(one.by, one.site, one.variable, times, True)
        self._by_zeros.clear()

    def _note_order(self, group: Group, steps: int) -> None:
        """Notes the last optimizer of a step: the one before the optimizer that began a new step."""
        if self.source.sink.steps.count > steps:
            self._final = self._latest
        self._latest = group

    def _follow(self, group: Group, writes: list[Written]) -> None:
        """Records again after an update outside a window, if that was requested."""
        if self.source.turns.wanted and group is self._final and not self.stepping:
            self.source.open_window()

    def _count(self, group: Group, optimizer: Any) -> None:
        """Reports the writes of an update that is only counted, as most updates of a program are."""
        writes, moved, _ = self._counted_writes(group, optimizer)
        source = self.source
        source.sink.stepped(group.stepped, group.uids)
        steps = source.sink.steps.count
        source.tell(writes)
        if source.sizes.is_suspect():
            source.sizes.lost(writes, moved)
        self._note_order(group, steps)
        self._follow(group, writes)

    def _tell_outer(self, writes: Sequence[Written]) -> None:
        """Notes the writes for optimizers that have called this one, which must not count them as theirs."""
        for _, outer in self._open:
            outer.inner.update(one.uid for one in writes)
            if outer.before:
                measured = {id(one) for one, before in outer.before if before is not None}
                held = [one for one, _ in outer.before]
                outer.before = self.tensors.kept(held, lambda one: id(one) in measured)  # noqa: B023

    def _counted_writes(
        self, group: Group, optimizer: Any
    ) -> tuple[list[Written], list[Any], list[Parameter]]:
        """Returns the writes of a counted update, as objects that are reused each time."""
        moved = self.with_gradient(self.parameters_of(optimizer))
        if group.inner:
            moved = [one for one in moved if self.source.registry.of(one).uid not in group.inner]
        known = group.counted
        if (
            len(known) != len(moved)
            or any(one.variable.tensor() is not tensor for one, tensor in zip(known, moved, strict=True))
            or (known and known[0].site != group.site)
        ):
            name, made = group.stepped.name, group.stepped.site
            # They also keep their number, so that results for the same number are not computed again.
            event = next(self.source.events)
            known = group.counted = [
                self.source.Written(
                    self.source.registry.of(one), name, group.site, "apply", ("gradient",), event, None, made
                )
                for one in moved
            ]
            group.uids = [one.uid for one in known]
            group.renewed = -1
        return known, moved, []

    def _measured_writes(self, group: Group) -> tuple[list[Written], list[Any], list[Parameter]]:
        """Returns the writes of an update, with the amounts, and all parameters of its optimizer."""
        name, site = group.stepped.name, group.site
        writes, moved = [], []
        event = next(self.source.events)
        held = []
        pairs = [(one, before) for one, before in group.before or () if before is not None]
        amounts = iter(self.tensors.distances(pairs))
        for one, before in group.before or ():
            parameter = self.source.registry.of(one)
            held.append(parameter)
            self.held.add(parameter.uid)
            others = parameter.uid in group.inner
            if before is None:
                if not self.has_gradient(one) or others:
                    continue
                amount = None
            else:
                amount = next(amounts)
                if amount == 0.0 and (not self.is_found(one) or others or not self.tensors.is_trained(one)):
                    continue
            moved.append(one)
            write = self.source.Written(
                parameter, name, site, "apply", ("gradient",), event, amount, group.stepped.site
            )
            writes.append(write)
        group.before = []
        for one, tensor in zip(writes, moved, strict=True):
            gradient = self.tensors.gradient(tensor) if one.amount == 0.0 else None
            has_slope = gradient is not None and not self.tensors.is_zero(gradient)
            one.idle = one.trainable and has_slope
        return writes, moved, held


def _is_finite(one: Written) -> bool:
    return one.amount is None or math.isfinite(one.amount)


def _is_running(optimizer: Any) -> bool:
    """Returns whether a call of an optimizer's methods is on the stack."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_locals.get("self") is optimizer:
            return True
        frame = frame.f_back
    return False


__all__ = ["Group", "Updates"]
