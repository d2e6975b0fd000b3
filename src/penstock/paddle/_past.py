"""Gradients that continue into finished steps: from the latest to the earliest, each once."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from types import FrameType
from typing import Any

from penstock.grad.query import Request
from penstock.grad.replay import replayed
from penstock.paddle import _handing as handing
from penstock.paddle._record import is_freed, record_of
from penstock.paddle._refusals import (
    history_gone,
    hook_gone,
    refuse_freed,
    refuse_not_kept,
    refuse_overwritten,
)
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here
from penstock.trace.spec import differentiable
from penstock.trace.tensor import Cell

noted: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""The results that have hooks, should keep their gradients, or were told to be leaves, by their identity."""


def goes_on(owner: Any) -> bool:
    """Returns whether a tensor that entered a path carries a gradient on to the path that made it."""
    past = getattr(owner, "_past", None)
    return past is not None and not getattr(owner, "_is_watched", False) and not is_freed(owner)


class Descent:
    """One gradient on its way back through steps that are over.

    `arrived` are the cotangents that wait at tensors of such steps. Without `wanted` they are added to `grad`
    of the leaves; with it, the gradients of these tensors are gathered in `found`, by identity.
    """

    def __init__(
        self,
        trace: Trace,
        retain_graph: bool,
        frame: FrameType,
        wanted: Sequence[Any] | None,
        barred: Any = (),
    ) -> None:
        self.trace, self.retain_graph, self.frame = trace, retain_graph, frame
        self.wanted = None if wanted is None else {id(one): one for one in wanted}
        self.barred = {id(one) for one in barred}
        self.found: dict[int, Any] = {}
        self.arrived: dict[int, tuple[Any, Any]] = {}
        self._known: dict[int, bool] = {}

    def arrive(self, tensor: Any, gradient: Any) -> None:
        """Lets a cotangent wait at a tensor, together with those that have arrived there before."""
        _, before = self.arrived.get(id(tensor), (None, None))
        self.arrived[id(tensor)] = tensor, gradient if before is None else _sum(before, gradient)

    def run(self) -> None:
        """Goes back from step to step until no gradient waits."""
        while self.arrived:
            past = max((one._past for one, _ in self.arrived.values()), key=_rank)
            here = [pair for pair in self.arrived.values() if pair[0]._past is past]
            for one, _ in here:
                del self.arrived[id(one)]
            self._through(past, here)

    def _through(self, past: Any, arrived: list[tuple[Any, Any]]) -> None:
        record = record_of(past.node, past.historic)
        arrived = [(one, gradient) for one, gradient in arrived if one._slot in record.carrying]
        if not arrived:
            return
        behind = record.behind([one._slot for one, _ in arrived])
        passed = behind
        if self.wanted is not None:
            passed = record.between(behind, self._leading(past, record, behind))
        self._free(past, record, behind, passed, [one for one, _ in arrived])
        refuse_overwritten(record, passed, past.changed)
        refuse_not_kept(record, passed)
        if not all(differentiable(record.calls[slot].spec) for slot in passed):
            from penstock.paddle._whole_numbers import refuse_without_kernel

            refuse_without_kernel(record, passed)
        here = sorted((one for one in list(noted.values()) if _of(one, past)), key=lambda one: one._slot)
        stops = [one for one in here[::-1] if one._slot in behind and one._gradient_hooks]
        lost = record.hooked.intersection(behind) - {one._slot for one in here}
        if lost:
            raise hook_gone(record.calls[max(lost)])
        sources = self._sources(past, record, behind)
        walls = {one._slot for one in stops}
        waiting = {one._slot: (one, gradient) for one, gradient in arrived}
        for stop in [*stops, None]:
            if (
                stop is not None
                and not any(slot > stop._slot for slot in waiting)
                and stop._slot not in waiting
            ):
                continue
            seeds = [pair for slot, pair in waiting.items() if slot not in walls]
            if seeds:
                waiting = {slot: pair for slot, pair in waiting.items() if slot in walls}
                ends = [*sources, *[one for one in stops if not any(one is other for other, _ in seeds)]]
                for one, gradient in zip(ends, self._replayed(past, record, seeds, ends, walls)):
                    if gradient is None:
                        continue
                    if _of(one, past) and one._slot in walls:
                        before = waiting.get(one._slot)
                        waiting[one._slot] = one, _sum(before[1], gradient) if before else gradient
                    else:
                        self._give(one, gradient, past)
            if stop is not None and stop._slot in waiting:
                walls.discard(stop._slot)
                _, gradient = waiting[stop._slot]
                gradient = handing.through_hooks(stop, gradient)
                if gradient is handing.NOTHING:
                    del waiting[stop._slot]
                    continue
                waiting[stop._slot] = stop, gradient
                if self.wanted is not None:
                    self._give(stop, gradient, past)

    def _give(self, one: Any, gradient: Any, past: Any) -> None:
        if not isinstance(one, Cell) and one._past is not past and goes_on(one):
            self.arrive(one, handing.dense(gradient))
        elif self.wanted is None:
            handing.add_to(one, gradient, self.frame)
        elif id(one := handing.bearer(one)) in self.wanted:
            before = self.found.get(id(one))
            self.found[id(one)] = gradient if before is None else _sum(before, gradient)

    def reaches(self, result: Any) -> bool:
        """Returns whether another requested tensor is behind a result of a step that is over."""
        known = self._known.get(id(result))
        if known is None:
            self._known[id(result)] = False
            past = result._past
            record = record_of(past.node, past.historic)
            behind = record.behind([result._slot])
            leading = self._leading(past, record, behind)
            known = self._known[id(result)] = any(slot != result._slot for slot in leading)
        return known

    def _leading(self, past: Any, record: Any, behind: Any) -> list[int]:
        """Returns those of the slots of a path that are requested, or lead to requested tensors."""
        wanted: Any = self.wanted
        found = [
            one._slot for one in wanted.values() if _of(one, past) and record.carrying.issuperset([one._slot])
        ]
        for (word, where), slots in zip(*handing.ends(record, behind)[::-1], strict=True):
            owner = None
            if word == "variable":
                owner = past.variables[where]
            elif word == "entry":
                owner = past.entries[where]()
            if owner is None or id(owner) in self.barred:
                continue
            carries = getattr(owner, "_past", None) is not None and not owner._is_watched
            if id(handing.bearer(owner)) in wanted or (carries and self.reaches(owner)):
                found += slots
        return found

    def _gone(self, past: Any, record: Any, behind: Any) -> list[int]:
        """Returns the slots of data whose history is asked for, and was freed: before this step, or since."""
        found = []
        for one in past.historic:
            slot = max(one, ~one)
            if slot in behind:
                entry = past.entries[record.calls[slot].primitive.entry]()
                asked = self.wanted is None or (entry is not None and self.reaches(entry))
                if asked and id(entry) not in self.barred and (one < 0 if entry is None else is_freed(entry)):
                    found.append(slot)
        return found

    def _free(self, past: Any, record: Any, behind: Any, passed: Any, targets: list[Any]) -> None:
        """Marks what a gradient passes as freed; refuses what an earlier one has freed."""
        freed = record.operations(passed)
        refuse_freed(past, record, freed, self._gone(past, record, behind), past.entries)
        if past.arguments is None:
            raise history_gone(targets[0])
        if self.wanted is None and not self.retain_graph:
            past.spent = {**(past.spent or {}), **dict.fromkeys(freed, here())}

    def _sources(self, past: Any, record: Any, behind: Any) -> list[Any]:
        """Returns the targets of gradients in a path: its leaves, and the requested tensors."""
        found: dict[int, Any] = {}
        for (word, where), slots in zip(*handing.ends(record, behind)[::-1], strict=True):
            if word == "variable":
                owner: Any = past.variables[where]
            elif word == "entry":
                owner = past.entries[where]()
                if owner is None and not frozenset(past.historic).isdisjoint(slots):
                    # Without an error, the gradient would miss a part.
                    raise history_gone(record.calls[slots[0]])
            else:
                owner = next((one for one in list(noted.values()) if _leaf_at(one, past, where)), None)
            if owner is not None and id(owner) not in self.barred:
                found[id(owner)] = owner
        for one in (self.wanted or {}).values():
            if _of(one, past) and not (one._slot in record.hooked or one._gradient_hooks):
                found[id(one)] = one
        return list(found.values())

    def _replayed(
        self, past: Any, record: Any, seeds: list[tuple[Any, Any]], ends: list[Any], walls: set[int]
    ) -> list[Any]:
        targets, weights = zip(*seeds, strict=True)
        own = {one._slot for one in targets}
        walls = walls - own
        leaves = {**record.leaves, **dict.fromkeys(walls, 0)}
        intervals = tuple(record.intervals_without(walls))
        request = Request(
            list(targets), ends, list(weights), "none", None, intervals, tuple(leaves.items()),
            watch_variables=True, implied=self.wanted is None, frame=self.frame, meeting=_met,
        )  # fmt: skip
        return replayed(request, self.trace, past)


def _met(value: Any, one: Any, other: Any) -> None:
    """Refuses to add up gradients of whole numbers, as Paddle does."""
    from penstock.paddle._whole_numbers import refuse_meeting

    refuse_meeting(value, one, other)


def _of(one: Any, past: Any) -> bool:
    return not isinstance(one, Cell) and one._trace is None and getattr(one, "_past", None) is past


def _leaf_at(one: Any, past: Any, slot: int) -> bool:
    """Returns whether this is the result at a slot of a path that was told to be a leaf."""
    return _of(one, past) and one._slot == slot and one._is_watched


def _sum(before: Any, gradient: Any) -> Any:
    return handing.dense(before) + handing.dense(gradient)


def _rank(past: Any, inside: tuple[Any, ...] = ()) -> int:
    """Returns how many steps lie behind a path, one after another; `inside` are those before it.

    A tensor that was given a value since stands in the step that made the value, which may be one of these.
    """
    rank, inside = 0, (*inside, past)
    for entry in past.entries:
        owner = entry()
        if owner is not None and owner._past is not None and all(owner._past is not one for one in inside):
            rank = max(rank, 1 + _rank(owner._past, inside))
    return rank
