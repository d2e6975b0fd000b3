"""Repeated runs of a path under the same conditions: they are recognized and need not be described."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import isfinite
from operator import attrgetter
from typing import Any, NamedTuple

from numpy import asarray

from penstock.flow import sampling
from penstock.flow.conservation import Watch
from penstock.flow.laps import Lap
from penstock.flow.observed import Passage, Sink, Wrote
from penstock.flow.recording import Recording
from penstock.flow.writes import is_finite, writes_of
from penstock.state.members import catch_up
from penstock.tiers.commits import Commit
from penstock.tiers.plan import Plan
from penstock.trace.recorder import Trace
from penstock.trace.tree import Node, tree

_number, _flag = attrgetter("_uid"), attrgetter("_reported")
MOST = 256
"""For how many paths the expected next run is remembered."""


class _Expected:
    """The expected next run of a path.

    After each run, the outputs at `places` and at `scalars`, which are single real numbers, are tested for
    being finite. If the values before are small, `keeps` is true: they outlive the run, so that it can be
    described later.
    """

    __slots__ = (
        "_looks", "_told", "flagged", "keeps", "lap", "numbers", "places", "plan", "reported", "scalars",
    )  # fmt: skip

    def __init__(self, commit: Commit, lap: Lap, writes: Sequence[Wrote], told: Callable[..., None]) -> None:
        self.lap, self._told = lap, told
        self.numbers = tuple(map(_number, commit.variables))
        self.flagged = [place for place, one in enumerate(commit.variables) if hasattr(one, "_reported")]
        self.reported = [_flag(commit.variables[place]) for place in self.flagged]
        index = {number: place for place, number in enumerate(self.numbers)}
        mine = [one for one in writes if not one.own]
        small = [one for one in mine if one.size <= sampling.LARGE]
        sound = {one.event for one in small if one.numbers_steps}
        large = [one for one in mine if one.size > sampling.LARGE and one.event not in sound]
        self._looks = {index[one.uid]: commit.variables[index[one.uid]]._spec for one in (*small, *large)}
        self.keeps = bool(self._looks) and sum(one.size for one in writes) <= sampling.HUGE
        self.plan: Plan | None = None
        self.places: list[int] = []
        self.scalars: list[int] = []

    def fits(self, variables: Sequence[Any]) -> bool:
        """Returns whether a path has the same variables as before, with the same flags."""
        return self.numbers == tuple(map(_number, variables)) and (
            not self.flagged or self.reported == [_flag(variables[place]) for place in self.flagged]
        )

    def __call__(self, trace: Trace, plan: Plan, outputs: Sequence[Any]) -> None:
        """Receives the results of a run, before the variables get them."""
        if plan is not self.plan:
            self.plan, first = plan, len(plan.handles)
            self.places, self.scalars = [], []
            for place, index in enumerate(plan.writes, first):
                spec = self._looks.get(index)
                if spec is not None:
                    scalar = spec.size == 1 and spec.dtype.kind == "f"
                    (self.scalars if scalar else self.places).append(place)
        self._told(self, trace, plan, outputs)


class _Ran(NamedTuple):
    """A run that was not described, as long as that is still possible: `steps` had been made before it."""

    expected: _Expected
    outputs: Sequence[Any]
    steps: int
    plan: Plan
    node: Node
    variables: Sequence[Any]
    before: Sequence[Any]
    entries: Sequence[Any]
    arguments: Sequence[Any]


class Reruns:
    """Recognizes repeated runs of a program. `pending` hold other facts to report about the next run."""

    def __init__(self, sink: Sink, watch: Watch | None, pending: Sequence[Collection[Any]]) -> None:
        self._sink, self._watch, self._pending = sink, watch, pending
        self._known: dict[Node, _Expected] = {}
        self._last: tuple[Any, ...] | None = None

    def foresee(self, trace: Trace) -> _Expected | None:
        """Returns the object to notify of the coming run; None if it has to be described."""
        if self._last is not None:
            self.look()
        known = self._known.get(trace.node)
        if (
            known is None
            or trace.start.depth
            or trace.missed
            or not known.fits(trace.variables)
            or not self._sink.laps.fits(known.lap)
        ):
            return None
        for waiting in self._pending:
            if waiting:
                return None
        if self._watch is not None:
            if not self._watch.left(trace.node):
                return None
            self._watch.reopen(trace.variables, self._sink.steps.count)
        return known

    def note(self, commit: Commit, passage: Passage, writes: Sequence[Wrote]) -> None:
        """Notes a described run, which the next run may repeat."""
        before = self._known.get(commit.node)
        lap = self._sink.laps.begin(passage, writes, before.lap if before is not None else None)
        if lap is None:
            if before is not None:
                del self._known[commit.node]
        elif before is None or before.lap is not lap or not before.fits(commit.variables):
            if len(self._known) >= MOST:
                self._known.clear()
            self._known[commit.node] = _Expected(commit, lap, writes, self._told)

    def look(self) -> None:
        """Tests whether the values of the last run are finite, now that they are known, and drops the run."""
        last, self._last = self._last, None
        if last is None:
            return
        expected, outputs = last[:2]
        for place in expected.scalars:
            if not isfinite(asarray(outputs[place]).item()):
                return self._describe(_Ran(*last))
        for place in expected.places:
            if not is_finite(outputs[place]):
                return self._describe(_Ran(*last))
        return None

    def _told(self, expected: _Expected, trace: Trace, plan: Plan, outputs: Sequence[Any]) -> None:
        first, steps = len(plan.handles), self._sink.steps.count
        self._sink.laps.count(expected.lap)
        if self._watch is not None:
            values = outputs[first : first + len(plan.writes)]
            written = [(trace.variables[index], one) for index, one in zip(plan.writes, values, strict=True)]
            self._watch.reclose(trace.node, written, self._sink.steps.count, len(expected.lap.lines))
        if expected.keeps:
            variables = trace.variables
            before = [variables[index]._value for index in plan.writes]
            self._last = (
                expected, outputs, steps, plan, trace.node, variables, before, trace.entries, trace.arguments
            )  # fmt: skip
        catch_up()

    def _describe(self, ran: _Ran) -> None:
        """Reports the non-finite values of a run."""
        first = len(ran.plan.handles)
        writes = [
            (ran.variables[index], before, after)
            for index, before, after in zip(ran.plan.writes, ran.before, ran.outputs[first:], strict=False)
        ]
        commit = Commit(
            ran.node, tree.root, list(ran.variables), writes, True, list(ran.entries), ran.arguments, {}
        )  # fmt: skip
        passage, lap = Recording(commit), ran.expected.lap
        for one, ((subject, _, _), number, _) in zip(writes_of(commit), lap.lines, strict=True):
            one.step = ran.steps + number
            self._sink.measuring.wrote(passage, one, subject)


__all__ = ["Reruns"]
