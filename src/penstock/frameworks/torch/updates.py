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

import torch

from penstock.flow.noted import Rated, Unfed
from penstock.flow.observed import Stepped
from penstock.frameworks.places import here, user_frame, user_frames
from penstock.frameworks.sampling import is_measured
from penstock.frameworks.told import Scaled
from penstock.frameworks.torch.amounts import (
    distances,
    is_frozen_with_gradient,
    kept,
    parameters_of,
    state_of,
)
from penstock.frameworks.torch.lists import Lists
from penstock.frameworks.torch.parameter import Parameter
from penstock.frameworks.torch.schedules import Schedules
from penstock.frameworks.torch.told import Written
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.torch.source import Torch


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

    def __init__(self, source: Torch) -> None:
        self.source = source
        self.held: set[int] = set()
        self.lists = Lists()
        self._open: list[tuple[Any, Group]] = []
        self._final: Group | None = None
        self._latest: Group | None = None
        self._numbers = itertools.count()
        self._groups: weakref.WeakKeyDictionary[Any, Group] = weakref.WeakKeyDictionary()
        self._schedules: weakref.WeakKeyDictionary[Any, Site | None] = weakref.WeakKeyDictionary()
        self.schedules = Schedules()
        self._by_zeros: dict[int, tuple[Written, int]] = {}
        self._unfed: dict[int, Group] = {}
        self._sites: weakref.WeakKeyDictionary[Any, Site | None] = weakref.WeakKeyDictionary()
        self._made_to_train: weakref.WeakSet[Any] = weakref.WeakSet()

    def make_optimizer(
        self, original: Callable[..., Any], owner: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Creates an optimizer, and notes the line."""
        result = original(owner, *arguments, **options)
        self._sites.setdefault(owner, here(2))
        if any(one.requires_grad for one in parameters_of(owner)):
            self._made_to_train.add(owner)
        if self.source.window is not None:
            self.source.registry.note_homes(user_frames(2))
        self.lists.look(owner, user_frame(2))
        return result

    def holds(self) -> set[int]:
        """Returns the identities of the parameters that optimizers of the program hold."""
        return {id(one) for optimizer in self._sites for one in parameters_of(optimizer)}

    @property
    def stepping(self) -> int:
        """The number of nested updates in progress."""
        return len(self._open)

    def make_schedule(
        self, original: Callable[..., Any], schedule: Any, optimizer: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Creates the schedule of an optimizer's learning rate, and notes the line."""
        self._schedules[optimizer] = here(2)
        return self.schedules.make(original, schedule, optimizer, *arguments, **options)

    def _note_rate(self, optimizer: Any, group: Group, idle: list[Written]) -> None:
        """Notes that an update changes nothing because of its learning rate."""
        if idle and all(not one.get("lr", 1.0) for one in optimizer.param_groups):
            fact = Rated(group.stepped.site, self._schedules.get(optimizer))
            self.source.note(fact, [one.variable for one in idle])

    def _group(self, optimizer: Any) -> Group:
        group = self._groups.get(optimizer)
        if group is None:
            name = type(optimizer).__name__
            rate = next((one["lr"] for one in optimizer.param_groups if "lr" in one), None)
            rate = float(rate) if isinstance(rate, int | float) else None
            group = Group(Stepped(next(self._numbers), name, self._sites.get(optimizer), (), rate))
            self._groups[optimizer] = group
        return group

    def before_step(self, optimizer: Any, arguments: Any, options: Any) -> Any:
        """Notes the parameters of an optimizer before it steps, and the request of its step."""
        self.source.recording = False
        self.source.mode.leave()
        if self._open:
            # Steps that raised an error are still here: no call reports their end.
            self._open = [(one, open_) for one, open_ in self._open if _is_running(one)]
            if any(one is optimizer for one, _ in self._open):
                return None
        if self.source.window is None:
            self.source.by_hand.count()
        group = self._group(optimizer)
        group.site, group.open, group.asked = here(2), True, any(one.asked for _, one in self._open)
        group.inner.clear()
        group.times += 1
        held = parameters_of(optimizer)
        if not group.fed:
            self._note_fed(optimizer, group, held)
        if self.source.window is None and not is_measured(group.times):
            group.before = (
                kept(held, is_frozen_with_gradient) if any(map(is_frozen_with_gradient, held)) else None
            )
        else:
            every = is_measured(group.times)
            group.before = kept(held, lambda one: every or not one.requires_grad)
        closure = arguments[1] if len(arguments) > 1 else options.get("closure")
        if self.source.window is not None:
            for one in held:
                parameter = self.source.registry.of(one)
                self.source.copies.before_update(parameter, one, group.site)
            self.source.registry.name(user_frames(2))
            self.source.registry.name_rest(optimizer)
        self._open.append((optimizer, group))
        if closure is None:
            self._ask(optimizer, group)
            return None
        return self._around_closure(closure, arguments, options)

    def _note_fed(self, optimizer: Any, group: Group, held: Sequence[Any]) -> None:
        """Notes whether an optimizer has had a gradient yet, for any of its trainable parameters.

        One that was made for frozen parameters is not meant to move them. If they were frozen afterwards,
        they count like trainable ones.
        """
        wanted = [one for one in held if one.requires_grad]
        group.frozen = group.frozen and not wanted
        if not wanted and optimizer in self._made_to_train:
            wanted = list(held)
        group.fed = not wanted or any(one.grad is not None for one in wanted)
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

    def _around_closure(self, closure: Callable[..., Any], arguments: Any, options: Any) -> Any:
        def watched(*given: Any, **named: Any) -> Any:
            self.source.record(self.source.window is not None)
            try:
                return closure(*given, **named)
            finally:
                self.source.record(False)

        if len(arguments) > 1:
            return (arguments[0], watched, *arguments[2:]), options
        return arguments, {**options, "closure": watched}

    def _ask(self, optimizer: Any, group: Group) -> None:
        """Records the request of an update: which of its parameters have a gradient."""
        window = self.source.window
        if window is None or group.asked:
            return
        group.asked = True
        registry = self.source.registry
        wanted = [one for one in parameters_of(optimizer) if one.requires_grad]
        held = [registry.of(one) for one in parameters_of(optimizer)]
        goals = self.source.gradients.goals(held, window)
        if wanted and goals:
            found = [one.grad is not None for one in wanted]
            window.asked_numbers("step", group.site, goals, wanted, found)
        self.source.gradients.note_applied(group.stepped, group.site, wanted)
        given = self.source.gradients.given
        group.emptied = {
            registry.of(one).uid
            for one in wanted
            if one.grad is not None and not given(one) and _is_zero(one)
        }

    def after_step(self, optimizer: Any, arguments: Any, options: Any) -> None:
        """Reports the writes of a step, and opens or closes the window if it is time."""
        group = self._group(optimizer)
        if not group.open:
            return
        group.open = False
        self._open = [(one, open_) for one, open_ in self._open if one is not optimizer]
        self.source.optimized = True
        if self.schedules.some:
            self.schedules.updated(optimizer, group.stepped.name, group.site)
        closure = len(arguments) > 1 or (options or {}).get("closure") is not None
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
            group.stepped.state = state_of(optimizer)
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
            self.source.record(self.stepping == 0)
            if self.source.is_over:
                self.source.close()
                self.source.record(False)
        else:
            self._follow(group, writes)

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
        """Continues from the versions after an update; records again if that was requested."""
        self.source.versions.follow(self._places(group, writes))
        self.source.gradients.release_hooks()
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
            outer.before = outer.before and [
                (one, before if before is None else one.detach().clone()) for one, before in outer.before
            ]

    def _counted_writes(
        self, group: Group, optimizer: Any
    ) -> tuple[list[Written], list[Any], list[Parameter]]:
        """Returns the writes of a counted update, as objects that are reused each time."""
        moved = [one for one in parameters_of(optimizer) if one.grad is not None]
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
                Written(
                    self.source.registry.of(one), name, group.site, "apply", ("gradient",), event, None, made
                )
                for one in moved
            ]
            group.uids = [one.uid for one in known]
            group.renewed = -1
        return known, moved, []

    def _places(self, group: Group, writes: list[Written]) -> list[int]:
        """Returns the numbers by which the versions of written parameters are counted."""
        versions = self.source.versions
        if writes is not group.counted:
            return versions.places(one.variable for one in writes)
        if group.renewed != versions.renewed:
            group.places, group.renewed = versions.places(one.variable for one in writes), versions.renewed
        return group.places

    def _measured_writes(self, group: Group) -> tuple[list[Written], list[Any], list[Parameter]]:
        """Returns the writes of an update, with the amounts, and all parameters of its optimizer."""
        name, site = group.stepped.name, group.site
        writes, moved = [], []
        event = next(self.source.events)
        held = []
        pairs = [(one.detach(), before) for one, before in group.before or () if before is not None]
        amounts = iter(distances(pairs))
        for one, before in group.before or ():
            parameter = self.source.registry.of(one)
            held.append(parameter)
            self.held.add(parameter.uid)
            others = parameter.uid in group.inner
            if before is None:
                if one.grad is None or others:
                    continue
                amount = None
            else:
                amount = next(amounts)
                if amount == 0.0 and (one.grad is None or others or not one.requires_grad):
                    continue
            moved.append(one)
            write = Written(parameter, name, site, "apply", ("gradient",), event, amount, group.stepped.site)
            writes.append(write)
        group.before = []
        for one, tensor in zip(writes, moved, strict=True):
            has_slope = one.amount == 0.0 and tensor.grad is not None and bool(tensor.grad.count_nonzero())
            one.idle = one.trainable and has_slope
        return writes, moved, held

    def scaled_step(
        self, original: Callable[..., Any], scaler: Any, optimizer: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Lets a GradScaler make or skip an update, and reports a skipped one."""
        group = self._group(optimizer)
        times, site = group.times, here(2)
        result = original(scaler, optimizer, *arguments, **options)
        wrong: list[Parameter] = []
        value = math.nan
        if group.times == times:
            self.schedules.updated(optimizer, group.stepped.name, site, False)
            for one in parameters_of(optimizer):
                if one.grad is not None and not bool(torch.isfinite(one.grad).all()):
                    value = float(one.grad[~torch.isfinite(one.grad)].flatten()[0])
                    wrong.append(self.source.registry.of(one))
        self.source.sink.passed(
            self.source.nothing, (), [Scaled(type(optimizer).__name__, site, wrong, value, bool(wrong))]
        )
        return result


def _is_zero(tensor: Any) -> bool:
    """Returns whether the gradient of a parameter is zero everywhere."""
    with torch._C.DisableTorchFunction(), torch.no_grad():
        return not bool(tensor.grad.count_nonzero())


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


__all__ = ["Updates"]
