"""Trajectories: the values of a variable from step to step, as a ledger has noted them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penstock.flow.paths import PathFacts
from penstock.flow.recording import Recording
from penstock.flow.source import called
from penstock.tiers.commits import Commit
from penstock.trace.source_site import Site

SMALL = 100
"""The values of variables with at most this many elements are kept without a request."""


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The values of one variable: `values[i]` is the value after step `steps[i]`.

    Step 0 is the value before the first write. `steps` is int64[n], `values` is [n, *shape] in the
    variable's dtype. A variable that was only read has one value. `writers` wrote it, as (name, line);
    `gradient` is "flows" or the reason why there was none (a word of `penstock.Absence`), empty if no
    gradient was requested, and `cut` the line of the cut.
    """

    variable: str
    steps: np.ndarray
    values: np.ndarray
    writers: tuple[tuple[str, Site | None], ...] = ()
    gradient: str = ""
    cut: Site | None = None

    @property
    def moved(self) -> bool:
        """Whether the value has ever changed."""
        return bool((self.values != self.values[:1]).any())


@dataclass(slots=True)
class Track:
    """The notes on a variable while a ledger is open; `points` have the entry of each value."""

    variable: Any
    start: np.ndarray
    points: list[tuple[int, np.ndarray]] = field(default_factory=list)
    gradient: str = ""
    cut: Site | None = None
    rank: int = -1


class Tracks:
    """The values of the variables that a ledger follows, by their numbers.

    `everything` follows all variables, `chosen` those with these numbers; small ones are always followed.
    """

    def __init__(self, everything: bool, chosen: set[int]) -> None:
        self.everything, self.chosen = everything, chosen
        self.tracks: dict[int, Track] = {}
        self.left_out: dict[str, int] = {}
        self._judged: set[tuple[int, tuple[int, ...]]] = set()

    def meet(self, commit: Commit) -> None:
        """Notes the variables of a run before its writes take effect."""
        before = {variable._uid: value for variable, value, _ in commit.writes}
        variables: list[Any] = list(commit.variables)
        for variable in variables:
            if variable._uid in self.tracks or variable.own:
                continue
            value = before.get(variable._uid, variable._value)
            if value is None:
                continue
            if self._follows(variable):
                self.tracks[variable._uid] = Track(variable, np.array(value))
            else:
                self.left_out[called(variable)] = variable._spec.size
        key = (id(commit.node), tuple(variable._uid for variable in variables))
        if key not in self._judged:
            self._judged.add(key)
            self._judge(commit, variables)

    def note(self, variable: Any, entry: int, value: Any) -> None:
        """Notes the value written by the ledger's entry of this number."""
        track = self.tracks.get(variable._uid)
        if track is not None and value is not None:
            track.points.append((entry, np.array(value)))

    def _follows(self, variable: Any) -> bool:
        return self.everything or variable._uid in self.chosen or variable._spec.size <= SMALL

    def _judge(self, commit: Commit, variables: list[Any]) -> None:
        """Notes the results of this path's requests for gradients."""
        facts = commit.node.facts.get("check")
        if facts is None:
            facts = commit.node.facts["check"] = PathFacts(Recording(commit))
        for index, fact in facts.about.items():
            track = self.tracks.get(variables[index]._uid)
            if track is not None and fact.rank > track.rank:
                track.rank, track.gradient, track.cut = fact.rank, fact.gradient, fact.cut


def trajectory(track: Track, entries: list[Any]) -> Trajectory:
    """Returns the trajectory of a track, given the ledger's entries: the last value of each step."""
    latest: dict[int, np.ndarray] = {0: track.start}
    writers: dict[tuple[str, Site | None], None] = {}
    for position, value in track.points:
        entry = entries[position]
        latest[entry.step] = value
        writers[entry.by, entry.site] = None
    steps = sorted(latest)
    return Trajectory(
        called(track.variable),
        np.array(steps, np.int64),
        np.stack([latest[step] for step in steps]),
        tuple(writers),
        track.gradient,
        track.cut,
    )
