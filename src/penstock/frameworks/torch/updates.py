"""Updates by PyTorch's optimizers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch.optim import lr_scheduler

from penstock.frameworks.eager import told, updates
from penstock.frameworks.eager.parameter import Parameter
from penstock.frameworks.eager.schedules import Schedules
from penstock.frameworks.eager.updates import Group
from penstock.frameworks.places import here
from penstock.frameworks.told import Scaled

if TYPE_CHECKING:
    from penstock.frameworks.torch.source import Torch


class Updates(updates.Updates):
    """The optimizers of a program, and each of their updates."""

    source: Torch
    schedules: Schedules

    def __init__(self, source: Torch) -> None:
        super().__init__(source, Schedules(lr_scheduler))

    def make_optimizer(
        self, original: Callable[..., Any], owner: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Creates an optimizer, and notes the line."""
        result = original(owner, *arguments, **options)
        self.made(owner, here(2))
        return result

    def make_schedule(
        self, original: Callable[..., Any], schedule: Any, optimizer: Any, *arguments: Any, **options: Any
    ) -> Any:
        """Creates the schedule of an optimizer's learning rate, and notes the line."""
        self._schedules[optimizer] = here(2)
        return self.schedules.make(original, schedule, optimizer, optimizer, *arguments, **options)

    def before_step(self, optimizer: Any, arguments: Any, options: Any) -> Any:
        """Notes that an optimizer is about to step."""
        self.source.recording = False
        if self.source.mode.entered:
            self.source.mode.leave()
        closure = arguments[1] if len(arguments) > 1 else options.get("closure")
        if self.begin(optimizer, closure is not None) and closure is not None:
            return self._around_closure(closure, arguments, options)
        return None

    def after_step(self, optimizer: Any, arguments: Any, options: Any) -> None:
        """Notes that an optimizer has stepped."""
        self.end(optimizer, len(arguments) > 1 or (options or {}).get("closure") is not None)

    def _follow(self, group: Group, writes: list[told.Written]) -> None:
        """Continues from the versions after an update."""
        versions, gradients = self.source.versions, self.source.gradients
        same = writes is group.counted and group.renewed == versions.renewed
        versions.follow(group.places if same else self._places(group, writes))
        if gradients.done:
            gradients.release_hooks()
        if self.source.turns.wanted:
            super()._follow(group, writes)

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

    def _places(self, group: Group, writes: list[told.Written]) -> list[int]:
        """Returns the numbers by which the versions of written parameters are counted."""
        versions = self.source.versions
        if writes is not group.counted:
            return versions.places(one.variable for one in writes)
        if group.renewed != versions.renewed:
            group.places, group.renewed = versions.places(one.variable for one in writes), versions.renewed
        return group.places

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
            for one in self.parameters_of(optimizer):
                if one.grad is not None and not bool(torch.isfinite(one.grad).all()):
                    value = float(one.grad[~torch.isfinite(one.grad)].flatten()[0])
                    wrong.append(self.source.registry.of(one))
        self.source.sink.passed(
            self.source.nothing, (), [Scaled(type(optimizer).__name__, site, wrong, value, bool(wrong))]
        )
        return result


__all__ = ["Updates"]
