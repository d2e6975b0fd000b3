"""Backward passes: where each began, whose gradients it computed, and which updates applied them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.flow.bounds import Bounds
from penstock.flow.noted import Unkept
from penstock.flow.observed import Stepped
from penstock.flow.strays import Strays, Way
from penstock.frameworks.eager.handed import Handed
from penstock.frameworks.eager.parameter import Intermediate, Parameter
from penstock.frameworks.eager.sums import Sums
from penstock.frameworks.eager.window import Window
from penstock.frameworks.places import here, user_frame, user_frames
from penstock.frameworks.ways import way_here
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.eager.source import Eager


@dataclass(slots=True, eq=False)
class Backward:
    """One call of backward(): its line, and the values at which it began.

    `missed` are the parameters of an optimizer that has stepped after it and got no gradient at all.
    """

    site: Site | None
    goals: tuple[int, ...]
    window: Window | None
    way: Way
    number: int = 0
    read: bool = False
    inference: bool = False
    scaled: bool = False
    unscaled: set[int] = field(default_factory=set)
    applied: dict[int, int] = field(default_factory=dict)
    by: dict[int, int] = field(default_factory=dict)
    gave: dict[int, Parameter] = field(default_factory=dict)
    mean: bool = False
    update: tuple[str, Site | None] = "", None
    missed: set[int] = field(default_factory=set)

    def is_applied(self, uid: int) -> bool:
        """Returns whether an update has applied the gradient of a parameter."""
        return uid in self.applied


class Gradients:
    """The backward passes of a program, and the gradients not yet applied."""

    def __init__(self, source: Eager) -> None:
        self.source, self.tensors = source, source.registry.tensors
        self._last: Backward | None = None
        self._calls = itertools.count()
        self._now: Backward | None = None
        self._gave: dict[int, list[Backward]] = {}
        self._claimed: set[int] = set()
        self._asked: list[int] = []
        self._passes: list[Backward] = []
        self._lost: list[tuple[Backward, list[Parameter], Site | None]] = []
        self.handed = Handed(self.tensors)
        self._strays: Strays[Parameter] = Strays()
        self.bounds: Bounds[Parameter] = Bounds()
        self.sums = Sums()

    def start(self, roots: Sequence[Any]) -> Backward | None:
        """Notes that a backward pass begins at some tensors; returns None outside a window."""
        if not self.source.optimized and self.source.updates.stepping == 0:
            self.source.end_step_by_hand()
        window = self.source.window
        self.source.began = True
        if window is None:
            self._last = None
            self.source.turns.took(roots, False)
            self.source.sizes.began(roots, None, ())
            return None
        site = here(2)
        goals = tuple(number for one in roots if (number := window.number(one)) is not None)
        self.source.registry.name(user_frames(2))
        call = self._now = Backward(site, goals, window, way_here(2), next(self._calls))
        self.source.turns.took(roots, True)
        self.source.sizes.began(roots, site, goals)
        self._passes.append(call)
        return call

    def got(self, parameter: Parameter) -> None:
        """Notes that the present backward pass has added to the gradient of a parameter."""
        assert self._now is not None
        given = self._gave.setdefault(parameter.uid, [])
        if self._now not in given:
            given.append(self._now)
        self._now.gave[parameter.uid] = parameter

    def finish(self, call: Backward, failed: bool) -> None:
        """Notes that a backward pass is over."""
        self._last, self._now = self._now, None
        if (failed or not self.source.optimized) and call.window is not None:
            self._ask_by_hand(call.window, call.goals, call.site, failed)

    def requested(self, outputs: Any, inputs: Any, result: Sequence[Any], again: bool) -> None:
        """Records a request for gradients that are returned and not stored; `again` says that they can be
        differentiated again.
        """
        window, site = self.source.window, here(2)
        if window is None:
            return
        self.source.began = True
        roots = [outputs] if isinstance(outputs, self.tensors.Tensor) else list(outputs)
        sources = [inputs] if isinstance(inputs, self.tensors.Tensor) else list(inputs)
        if not all(isinstance(one, self.tensors.Tensor) for one in sources):
            return
        self.source.registry.name(user_frames(2))
        window.asked("grad", site, roots, sources, [one is not None for one in result])
        if again:
            gave = [one for one in result if one is not None and not self.tensors.is_leaf(one)]
            window.differentiated([*roots, *sources], gave, site)

    def _ask_by_hand(self, window: Window, goals: Sequence[int], site: Site | None, failed: bool) -> None:
        """Records the request of a backward pass, for programs without an optimizer."""
        sources = [
            tensor
            for parameter in window.variables
            if (tensor := parameter.tensor()) is not None
            and self.tensors.is_trained(tensor)
            and parameter.kind == "weight"
        ]
        found = [not failed and self.tensors.gradient(one) is not None for one in sources]
        if sources and goals:
            window.asked_numbers("backward", site, goals, sources, found)
            if not failed:
                self._asked.append(window.graph.requests[-1].event)

    def _cleared(self, owner: Any, is_module: bool, site: Site | None) -> None:
        """Notes that a module or an optimizer has cleared its gradients."""
        if is_module:
            self.clear(list(self.tensors.parameters(owner)), site)
            return
        held = [one for group in self.tensors.groups_of(owner) for one in group]
        if not self.source.optimized:
            self._claimed.update(self.source.registry.of(one).uid for one in held)
        self.clear(held, site)

    def added(self, window: Window, calls: Iterable[Backward]) -> None:
        """Is called with passes of a window whose gradients are added up."""

    def keeps_gradient(self, tensor: Any) -> bool:
        """Returns whether a backward pass leaves a gradient with a tensor."""
        raise NotImplementedError

    def clear(self, tensors: Sequence[Any], site: Site | None = None) -> None:
        """Notes that gradients were cleared; a backward pass whose gradients were not applied was wasted."""
        lost: dict[int, tuple[Backward, list[Parameter]]] = {}
        for tensor in tensors:
            parameter = self.source.registry.find(tensor)
            if parameter is None:
                continue
            for call in self._gave.pop(parameter.uid, ()):
                if not call.by and site is not None and not self.source.updates.stepping:
                    lost.setdefault(call.number, (call, []))[1].append(parameter)
        for call, parameters in lost.values():
            if not self.handed.is_kept(call.number):
                self._lost.append((call, parameters, site))

    def hand_out(self, tensor: Any, gradient: Any) -> None:
        """Notes that the program has read a parameter's gradient."""
        parameter = self.source.registry.find(tensor)
        if parameter is not None:
            self.handed.give(tensor, gradient, {call.number for call in self._gave.get(parameter.uid, ())})

    def settle(self, window: Window | None) -> None:
        """Reports gradients that were cleared before they were applied, and sums with unequal weights.

        Gradients that were neither applied nor cleared may still be used. A line whose gradients are usually
        applied skips an update occasionally: that is intended. A line whose gradients are never applied, but
        are read, measures parameters that others train.
        """
        if window is not None and (self.source.optimized or not self.source.sink.steps.count):
            left = {call.number: call for given in self._gave.values() for call in given if not call.by}
            self.added(window, left.values())
        # An optimizer that only clears gradients may have lost its step.
        held = self.source.updates.held if self.source.optimized else self._claimed
        lost = [
            (call, site, [one for one in parameters if one.uid in held])
            for call, parameters, site in self._lost
            if not call.by
        ]
        wasted = {call.number: call.site for call, _, parameters in lost if parameters}
        trained = {uid for one in self._passes for uid in one.applied}
        for call, site, parameters in lost:
            applied = sum(one.site == call.site and bool(one.by) for one in self._passes)
            often = sum(at == call.site for at in wasted.values()) >= applied
            measures = call.read and not applied and trained.issuperset(one.uid for one in parameters)
            # The pass was meant for an optimizer that got nothing, and that has a finding of its own.
            aside = call.missed and call.missed.isdisjoint(one.uid for one in parameters)
            if parameters and often and not measures and not aside:
                self.source.sink.wasted(call.site, site, parameters)
        self._lost.clear()
        self._gave.clear()
        self.handed.clear()
        self._strays.tell(self.source.note)

    def tell_sums(self) -> None:
        """Reports sums that are not divided, and lines that clip without effect."""
        for by, site, asked, count, held in self.sums.told():
            self.source.sink.summed(by, site, asked, count, held)
        for fact, parameters in self.bounds.told():
            self.source.note(fact, parameters)

    def tell_alone(self) -> None:
        """Reports gradients of parameters that no optimizer holds."""
        for call in self._passes:
            if not self.source.updates.held.intersection(call.gave):
                self.source.sink.graded(list(call.gave.values()), alone=True)
        self._passes.clear()

    @property
    def latest(self) -> Site | None:
        """The line of the latest backward pass."""
        return self._last.site if self._last is not None else None

    def has_just_given(self, tensors: Sequence[Any]) -> bool:
        """Returns whether the latest backward pass gave one of these parameters a gradient."""
        gave = self._last.gave if self._last is not None else {}
        return any(self.source.registry.of(one).uid in gave for one in tensors)

    def withdraw(self, window: Window) -> None:
        """Removes the requests of backward passes: the program has optimizers, which make their own."""
        asked = set(self._asked)
        window.graph.requests = [one for one in window.graph.requests if one.event not in asked]

    def goals(self, parameters: Sequence[Parameter], window: Window) -> list[int]:
        """Returns the starting values of the backward passes behind these gradients, in a window."""
        calls = {id(call): call for one in parameters for call in self._gave.get(one.uid, ())}
        if not calls and self._last is not None:
            calls[0] = self._last
        return list(dict.fromkeys(at for one in calls.values() if one.window is window for at in one.goals))

    def all_goals(self, window: Window) -> list[int]:
        """Returns the starting values of all backward passes of a window, also those that store nothing."""
        held = [one.goals for one in self._passes if one.window is window]
        return list(
            {at for goals in (*held, *(one.targets for one in window.graph.requests)) for at in goals}
        )

    def note_applied(self, by: Stepped, site: Site | None, wanted: Sequence[Any]) -> None:
        """Notes which backward passes an update applies, and which of them were applied before.

        Gradients that another optimizer applied before a later backward pass added to them were not cleared
        either: a generator's loss in the gradients of the discriminator.
        """
        again: dict[int, Parameter] = {}
        first: Backward | None = None
        own, now = by.uid, next(self._calls)
        calls: dict[int, Backward] = {}
        moved: list[Parameter] = []
        for one in wanted:
            parameter = self.source.registry.of(one)
            given = self._gave.get(parameter.uid, [])
            latest = given[-1].number if given else -1
            old = [
                call
                for call in given
                if call.number < latest
                and (call.applied.get(parameter.uid, 0) or any(when < latest for when in call.by.values()))
            ]
            if old and self.tensors.gradient(one) is not None:
                again[parameter.uid] = parameter
                first = first or old[0]
            if given:
                moved.append(parameter)
            for call in given:
                calls[call.number] = call
                call.applied[parameter.uid] = call.applied.get(parameter.uid, 0) + 1
                call.by.setdefault(own, now)
                call.update = by.name, site
        self._strays.stepped(by.name, site, way_here(2), calls.values(), moved)
        self.bounds.applied(by.name, site, moved)
        self.sums.applied(by.name, site, list(calls.values()), moved)
        if self.source.window is not None:
            self.added(self.source.window, calls.values())
        if first is not None:
            self.source.sink.applied_again(by.name, site, first.site, list(again.values()))

    def note_missed(self, held: Sequence[Any]) -> None:
        """Notes that an optimizer steps after the latest backward pass without any gradient."""
        if self._last is not None:
            self._last.missed.update(self.source.registry.of(one).uid for one in held)

    def given(self, tensor: Any) -> list[Backward]:
        """Returns the backward passes whose gradients a parameter has."""
        parameter = self.source.registry.find(tensor)
        return self._gave.get(parameter.uid, []) if parameter is not None else []

    def note_read(self, tensor: Any, depth: int) -> None:
        """Notes that a line of the program, `depth` callers up, reads a gradient of any tensor."""
        if not _is_typed(depth):
            return
        parameter = self.source.registry.find(tensor)
        if parameter is None:
            self._note_unkept(tensor)
            return
        for call in self._gave.get(parameter.uid, ()):
            call.read = True

    def _note_unkept(self, tensor: Any) -> None:
        """Notes that a line has read the gradient of an intermediate result of a backward pass."""
        window = self.source.window
        number = window.number(tensor) if window is not None else None
        if window is None or number is None or self.keeps_gradient(tensor):
            return
        through = any(
            number in window.graph.ancestors(one.goals) for one in self._passes if one.window is window
        )
        if through:
            made = window.graph.site(number)
            self.source.note(Unkept(made, here(2)), [Intermediate(self.tensors, tensor, made)])


def _is_typed(depth: int) -> bool:
    """Returns whether the call this many callers up is in the user's own code."""
    return user_frame(1) is sys._getframe(depth)


__all__ = ["Backward", "Gradients"]
