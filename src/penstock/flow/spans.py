"""How long each variable had a gradient: which paths gave it one and which did not, turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from penstock.flow.observed import Passage, Variable
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.flow.paths import Fact, PathFacts

FEW = 3
"""A gradient is gone if it was missing in at least this many turns at the end, and in none before."""
KEPT = 512
"""How many paths are kept separately; the oldest are forgotten first."""


@dataclass(slots=True)
class Run:
    """A path with its bound variables: its first and last turn, their number, and the step of the last.

    `found` and `missing` have the line that requested the gradient, by the variable's number.
    """

    first: int
    last: int = 0
    times: int = 0
    step: int = 0
    found: dict[int, Site | None] = field(default_factory=dict)
    missing: dict[int, Site | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gone:
    """A gradient that existed until a step, and was missing in `times` turns since, requested at `site`."""

    until: int
    times: int
    site: Site | None


class Spans:
    """Notes, turn by turn, which gradients existed and which were missing."""

    def __init__(self) -> None:
        self._turn = 0
        self._now: WeakKeyDictionary[PathFacts, Run] = WeakKeyDictionary()
        self._runs: list[Run] = []

    def began(
        self,
        path: PathFacts,
        passage: Passage,
        known: Mapping[int, int],
        missed: Iterable[tuple[Variable, Fact]],
    ) -> None:
        """Notes a path with different variables than before.

        `known` maps variables to those they succeed, `missed` has those that were requested but never
        touched.
        """
        told = [(passage.variables[index], fact) for index, fact in path.about.items()]
        before = self._now.get(path)
        run = self._now[path] = Run(self._turn + 1)
        for variable, fact in (*told, *missed):
            if fact.asked and fact.listed:
                of = run.found if fact.found else run.missing
                of[known.get(variable.uid, variable.uid)] = fact.site
        alike = before is not None and before.missing and before.found.keys() == run.found.keys()
        if before is not None and alike and not run.missing:
            # A repeated request does not name the sources again for which it got zeros.
            self._now[path] = before
            return
        if not run.found and not run.missing:
            del self._now[path]
            return
        self._runs.append(run)
        if len(self._runs) > KEPT:
            del self._runs[: KEPT // 2]

    def run_of(self, path: PathFacts) -> Run | None:
        """Returns the notes on the turns of a path; None if no gradient is requested on it."""
        return self._now.get(path)

    def again(self, run: Run, step: int) -> None:
        """Notes that a path was taken again, in this step."""
        self._turn += 1
        run.last, run.step = self._turn, step
        run.times += 1

    def gone(self, order: int) -> Gone | None:
        """Returns since when the gradient of a variable has been gone; None if it existed to the end.

        A gradient that comes and goes is not gone, nor is one that another line requested: that is another
        phase.
        """
        last, until, asked = 0, 0, None
        missing: list[Run] = []
        for run in self._runs:
            if order in run.found and run.last > last:
                last, until, asked = run.last, run.step, run.found[order]
            elif order in run.missing:
                missing.append(run)
        times = sum(run.times for run in missing)
        if not last or times < FEW or any(run.first < last for run in missing):
            return None
        site = missing[-1].missing[order]
        return Gone(until, times, site) if site == asked else None


__all__ = ["Gone", "Run", "Spans"]
