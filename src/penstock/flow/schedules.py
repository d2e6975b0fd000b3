"""Schedules of learning rates: those that never step, and those that step before the first update."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from penstock.flow.noted import Unscheduled
from penstock.trace.source_site import Site

FEW = 2
"""A schedule that has not stepped is late after this many updates."""


@dataclass(slots=True, eq=False)
class _Updates:
    """The number of updates with a schedule, with those that a scaler has skipped, and the latest line."""

    times: int = 0
    site: Site | None = None
    by: str = ""


@dataclass(slots=True)
class _Schedule:
    """A schedule: the line that made it, the updates of its optimizer, and how often it has stepped.

    `plain` says that its steps are seen. `begun` is the line of its first step, if that came before any
    update; `alone` says that there was one such step, `again` that the line has stepped it later, too.
    """

    site: Site | None
    plain: bool
    updates: _Updates
    steps: int = 0
    begun: Site | None = None
    alone: bool = False
    again: bool = False


class Schedules:
    """The schedules of a program, and the updates between their steps.

    Updates are known by their optimizer; where an optimizer holds the schedule itself, by the schedule.
    `some` says whether there is any schedule.
    """

    def __init__(self) -> None:
        self.some = False
        self._known: weakref.WeakKeyDictionary[Any, _Schedule] = weakref.WeakKeyDictionary()
        self._all: list[_Schedule] = []
        self._updates: weakref.WeakKeyDictionary[Any, _Updates] = weakref.WeakKeyDictionary()

    def made(self, schedule: Any, optimizer: Any, site: Site | None, plain: bool = True) -> None:
        """Notes a new schedule of an optimizer."""
        updates = self._updates.setdefault(optimizer, _Updates())
        one = self._known[schedule] = _Schedule(site, plain, updates)
        self._all.append(one)
        self.some = True

    def step(self, schedule: Any, site: Site | None) -> None:
        """Notes a line that steps a schedule."""
        one = self._known.get(schedule)
        if one is None:
            return
        if not one.updates.times:
            one.begun, one.alone = site, one.steps == 0
        elif site == one.begun:
            one.again = True
        one.steps += 1

    def updated(self, optimizer: Any, by: str, site: Site | None, made: bool = True) -> None:
        """Notes an update, or one that a scaler has skipped."""
        one = self._updates.get(optimizer)
        if one is not None:
            one.times += 1
            if made:
                one.by, one.site = by, site

    def told(self) -> Iterator[Unscheduled]:
        """Yields a fact for each schedule that never steps, or steps too early."""
        stepped = {id(one.updates) for one in self._all if one.steps or not one.plain}
        for one in self._all:
            updates = one.updates
            if updates.site is None:
                continue
            if one.begun is not None and one.alone and one.again:
                yield Unscheduled(updates.by, updates.site, one.begun, False)
            elif not one.steps and updates.times >= FEW and id(updates) not in stepped:
                yield Unscheduled(updates.by, updates.site, one.site, True)
        self._all.clear()


__all__ = ["Schedules"]
