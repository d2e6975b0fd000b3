"""Schedules of learning rates that are objects of the framework: what makes and steps them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from penstock.flow import schedules
from penstock.frameworks.places import here


class Schedules(schedules.Schedules):
    """The schedules of a program; `home` is the framework's module that has the classes."""

    def __init__(self, home: ModuleType) -> None:
        super().__init__()
        self._home = home
        self._making = 0

    def kinds(self) -> Iterator[Any]:
        """Yields the framework's classes of schedules that define how they step."""
        for _, kind in inspect.getmembers(self._home, inspect.isclass):
            if kind.__module__ == self._home.__name__ and "step" in vars(kind):
                yield kind

    def make(self, original: Callable[..., Any], schedule: Any, owner: Any, *given: Any, **named: Any) -> Any:
        """Creates a schedule; the step that it makes itself does not count. Updates are known by `owner`."""
        plain = type(schedule).__module__ == self._home.__name__
        self.made(schedule, owner, here(3), plain)
        self._making += 1
        try:
            return original(schedule, *given, **named)
        finally:
            self._making -= 1

    def call_step(self, original: Callable[..., Any], schedule: Any, *given: Any, **named: Any) -> Any:
        """Steps a schedule."""
        if not self._making:
            self.step(schedule, here(2))
        return original(schedule, *given, **named)


__all__ = ["Schedules"]
