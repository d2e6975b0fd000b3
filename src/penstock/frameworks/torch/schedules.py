"""PyTorch's schedules of learning rates: what makes and steps them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from torch.optim import lr_scheduler

from penstock.flow import schedules
from penstock.frameworks.places import here


class Schedules(schedules.Schedules):
    """The schedules of a program in PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self._making = 0

    def kinds(self) -> Iterator[Any]:
        """Yields PyTorch's classes of schedules that define how they step."""
        for _, kind in inspect.getmembers(lr_scheduler, inspect.isclass):
            if kind.__module__ == lr_scheduler.__name__ and "step" in vars(kind):
                yield kind

    def make(
        self, original: Callable[..., Any], schedule: Any, optimizer: Any, *given: Any, **named: Any
    ) -> Any:
        """Creates a schedule; the step that it makes itself does not count."""
        plain = type(schedule).__module__ == lr_scheduler.__name__
        self.made(schedule, optimizer, here(3), plain)
        self._making += 1
        try:
            return original(schedule, optimizer, *given, **named)
        finally:
            self._making -= 1

    def call_step(self, original: Callable[..., Any], schedule: Any, *given: Any, **named: Any) -> Any:
        """Steps a schedule."""
        if not self._making:
            self.step(schedule, here(2))
        return original(schedule, *given, **named)


__all__ = ["Schedules"]
