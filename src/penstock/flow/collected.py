"""Gradients that a program collects over several requests: which update gets them, and which are lost.

For programs that hold gradients themselves, in lists or in variables of their own. Where autograd stores them
with the variables, `flow/slots.py` finds what is lost, and only sums are judged here.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from penstock.flow import sampling
from penstock.flow.contents import Applying, Asking, Contents, Parts, Storing
from penstock.flow.noted import Discarded, Regrown
from penstock.flow.observed import Sink
from penstock.flow.recorded import graph_of
from penstock.flow.recording import Recording
from penstock.flow.report_model import Subject
from penstock.flow.source import chosen_between, loops_around
from penstock.flow.strays import Way, way_to
from penstock.flow.words import PADDLE
from penstock.tiers.commits import Commit
from penstock.trace.fast_path import alive
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import Site

FEW, MORE = 2, 3
"""A pattern counts if it was seen in this many updates: FEW if the requests have a loop of their own."""
PATHS, VALUES, RUNS, SLOW = 48, 200_000, 256, 8
"""After this many paths, values of paths or runs nothing more is followed. A run that writes more
elements than sampling.HUGE counts as SLOW runs: while it is followed, no value is written over."""


@dataclass(eq=False, slots=True)
class _Pass:
    """One request for gradients: `used` by an update, `read` by the program, `cleared` on this line.

    `slots` are those of the gradients, in the trace that computes them, `way` the calls that led to it.
    """

    site: Site | None
    variables: frozenset[int]
    mean: bool
    slots: frozenset[int] = frozenset()
    way: Way | None = None
    used: bool = False
    read: bool = False
    cleared: Site | None = None


@dataclass(eq=False, slots=True)
class _Held:
    """What a variable or a tensor holds: gradients with their factors, and all that it depends on."""

    factors: dict[_Pass, float | None]
    passes: set[_Pass]


EMPTY = _Held({}, set())


@dataclass(slots=True)
class _Update:
    """An update, of one line: the variables, with what each got, and the requests since the one before.

    `places` are what it got from one variable or tensor. `cleared` has the line that had cleared a request by
    then, `emptied` the one that has cleared all that the update should get.
    """

    by: str
    site: Site | None
    window: list[_Pass]
    got: dict[int, _Held] = field(default_factory=dict)
    variables: dict[int, Subject] = field(default_factory=dict)
    places: dict[int, list[set[_Pass]]] = field(default_factory=dict)
    cleared: dict[_Pass, Site] = field(default_factory=dict)
    emptied: Site | None = None


@dataclass(slots=True)
class _Line:
    """The updates of one line with the gradients of another.

    `lost` has the number of requests for each update that gets only the last of them, `cleared` the lines
    that have cleared the others, `sums` the number of means added up for each update, and `grown` counts the
    updates by a sum that the line has applied before, with more added to it.
    """

    updates: int = 0
    lost: list[int] = field(default_factory=list)
    cleared: dict[Site | None, None] = field(default_factory=dict)
    sums: list[int] = field(default_factory=list)
    grown: int = 0
    variables: dict[int, Subject] = field(default_factory=dict)


class Collected:
    """Follows the gradients of a program from request to update, until it has seen enough.

    `waiting` are requests since the last update.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self.fetches = False
        """Whether sessions run the program: what they compute and store nowhere, it has asked for."""
        self._over = self._stores = False
        self._paths = self._values = self._runs = 0
        self._now: dict[int, _Pass] = {}
        self._before: dict[int, _Held] = {}
        self._held: dict[int, _Held] = {}
        self._tensors: dict[int, tuple[weakref.ref[Any], _Held]] = {}
        self._weights: set[int] = set()
        self._alive: set[_Pass] = set()
        self._slots: set[int] = set()
        self._ways: dict[int, Way] = {}
        self._bound: dict[Any, tuple[int, ...]] = {}
        self._update: _Update | None = None
        self._closed: _Update | None = None
        self._latest: dict[tuple[str, Site | None, int], dict[_Pass, float | None]] = {}
        self._lines: dict[tuple[str, Site | None, Site | None], _Line] = {}
        self.waiting: list[_Pass] = []

    # -- runs --------------------------------------------------------------------------------------------

    def passed(self, passage: Recording, commit: Commit) -> bool:
        """Follows a run; returns whether further runs along its path have to be followed too."""
        if self._over:
            return False
        facts = passage.facts
        if "contents" not in facts:
            facts["contents"] = self._contents(passage)
        contents: Contents | None = facts["contents"]
        if contents is None or self._over:
            return False
        self._runs += SLOW if passage.elements_written > sampling.HUGE else 1
        self._stores = self._stores or passage.graph.words is PADDLE
        if not commit.start.depth:
            for former in self._now.values():
                former.slots = frozenset()
            self._now.clear()
            self._before.clear()
        begins = passage.begins
        for act in contents.acts:
            if act.event < begins:
                continue
            if isinstance(act, Asking):
                self._ask(act, contents, passage)
            elif isinstance(act, Applying):
                self._apply(act, contents, passage)
            else:
                self._store(act, contents, passage)
        if commit.reset:
            self._bound[commit.node] = tuple([cell._uid for cell in commit.variables])
            self._keep(contents, passage, commit)
            self._slots.clear()
            self._ways.clear()
            if self._runs >= RUNS:
                self._finish()
        return contents.is_open

    def asked(self, depth: int, frame: FrameType) -> None:
        """Notes the calls that led to a request, by the number of events up to it."""
        if not self._over:
            self._ways[depth] = way_to(frame)

    def stepped(self) -> None:
        """Notes which gradients the program holds while an optimizer makes an update."""
        if self._over:
            return
        for reference, held in self._tensors.values():
            if len(held.passes) == 1 and reference() is not None:
                self._alive |= held.passes
        trace: Any = local.trace
        if type(trace) is Trace:
            lives = zip(trace.handles, alive(trace.handles), strict=True)
            self._slots.update([handle._slot for handle, there in lives if there])

    def _contents(self, passage: Recording) -> Contents | None:
        graph = passage.graph
        if not (graph.requests or graph.late or graph.writes):
            return None
        self._paths += 1
        self._values += len(graph.values)
        if self._paths > PATHS or self._values > VALUES:
            self._finish()
            return None
        return Contents(graph, graph_of)

    def _finish(self) -> None:
        """Follows nothing more."""
        self._over = True
        for one in (self._now, self._before, self._held, self._tensors, self._bound, self._latest):
            one.clear()
        self.waiting.clear()
        self._update = None

    # -- what is held where ------------------------------------------------------------------------------

    def _at(self, kind: str, number: int, passage: Recording) -> _Held:
        """Returns what a variable or an entry held before the path."""
        if kind == "held":
            if number in self._before:
                return self._before[number]
            return self._held.get(passage.variables[number].uid, EMPTY)
        index = passage.graph.values[number].entry
        tensor = passage.entry(index) if index is not None else None
        found = self._tensors.get(id(tensor))
        return found[1] if found is not None and found[0]() is tensor else EMPTY

    def _content(
        self, number: int, contents: Contents, passage: Recording, own: int = -1, applied: bool = False
    ) -> tuple[_Held, list[set[_Pass]]]:
        """Returns what a value holds, apart from the variable `own`, and the parts that come from outside.

        If all parts have the same unknown factor, an update that is `applied` with them gets their ratios as
        negative factors: the sum is known, its scale is not.
        """
        factors: dict[_Pass, float | None] = {}
        places: list[set[_Pass]] = []
        parts: Parts = contents.parts[number]
        others = {origin: one for origin, one in parts.items() if origin[:2] != ("held", own)}
        tags = {tags for _, tags in others.values()}
        plain = len(tags) < 2 and len({one > 0 for one, _ in others.values()}) < 2
        for (kind, which, _), (factor, _) in others.items():
            if kind == "gradient":
                held = EMPTY
                if which in self._now:
                    one = self._now[which]
                    factors[one] = abs(factor) if factor and plain and one not in factors else None
                continue
            held = self._at(kind, which, passage)
            if held.factors:
                places.append(set(held.factors))
            for one, inner in held.factors.items():
                known = factor and plain and one not in factors
                factors[one] = abs(factor) * inner if known and inner is not None else None
        passes: set[_Pass] = set(factors)
        for kind, which, _ in contents.origins(contents.masks[number]):
            if kind == "gradient":
                if which in self._now:
                    passes.add(self._now[which])
            elif kind != "written" and (kind, which) != ("held", own):
                passes |= self._at(kind, which, passage).passes
        if tags - {()}:
            most = max((one for one in factors.values() if one is not None), default=0.0)
            factors = {
                one: -factor / most if applied and most and factor is not None else None
                for one, factor in factors.items()
            }
        return _Held(factors, passes), places

    # -- what happens ------------------------------------------------------------------------------------

    def _ask(self, act: Asking, contents: Contents, passage: Recording) -> None:
        self._close()
        if act.program is None:
            uids = [passage.variables[index].uid for index, _ in act.given]
        else:
            bound = self._bound.get(act.program, ())
            uids = [bound[index] for index, _ in act.given if index < len(bound)]
        self._weights.update(uids)
        slots = frozenset([number for _, number in act.given])
        way = next((one for depth, one in self._ways.items() if depth > act.event), None)
        one = self._now[act.event] = _Pass(act.site, frozenset(uids), act.mean, slots, way)
        self.waiting.append(one)
        for kind, which, _ in contents.origins(act.behind):
            if kind == "gradient" and which in self._now and which != act.event:
                self._now[which].read = True

    def _apply(self, act: Applying, contents: Contents, passage: Recording) -> None:
        for variable, number in act.given:
            held, places = self._content(number, contents, passage, applied=True)
            emptied = self._emptied(number, contents, passage)
            self._got(act.by, act.site, passage.variables[variable], held, places, emptied)

    def _emptied(self, number: int, contents: Contents, passage: Recording) -> Site | None:
        """Returns the line that has cleared all gradients, if an update gets the variable that held them."""
        cleared = [one.cleared for one in self.waiting]
        if not cleared or not all(cleared):
            return None
        held = [which for kind, which, _ in contents.origins(contents.masks[number]) if kind != "gradient"]
        stored = any(
            passage.variables[which].uid in self._held for which in held if which < len(passage.variables)
        )
        return cleared[-1] if stored else None

    def _store(self, act: Storing, contents: Contents, passage: Recording) -> None:
        variable = passage.variables[act.variable]
        held, places = self._content(act.value, contents, passage, act.variable, True)
        if variable.uid in self._weights:
            own = contents.parts[act.value].get(("held", act.variable, 0))
            if own is not None and own == (1.0, ()) and held.passes:
                self._got(act.by, act.site, variable, held, places, None)
            else:
                for one in held.passes:
                    one.used = True
            return
        mine, _ = self._content(act.value, contents, passage)
        before = self._at("held", act.variable, passage)
        if act.variable not in self._before:
            self._before[act.variable] = before
        now = self._held.get(variable.uid, EMPTY)
        for one in now.passes - mine.passes:
            if not one.used:
                one.cleared = act.site
        self._held[variable.uid] = mine

    def _got(
        self,
        by: str,
        site: Site | None,
        variable: Any,
        held: _Held,
        places: list[set[_Pass]],
        emptied: Site | None,
    ) -> None:
        """Notes that an update moves a variable."""
        update = self._update
        if update is not None and (update.by, update.site) != (by, site):
            self._close()
            update = None
        if update is not None and variable.uid in update.got:
            self._close()
            update = None
        if update is None:
            update = self._update = _Update(by, site, list(self.waiting))
            for one in self.waiting[:-1]:
                # The program still had it, perhaps to choose among several.
                one.read = one.read or one in self._alive or not one.slots.isdisjoint(self._slots)
            self._alive.clear()
            update.cleared = {one: one.cleared for one in self.waiting if one.cleared is not None}
            self.waiting.clear()
        update.got[variable.uid] = held
        subject = self._sink.subject(variable)
        update.variables[subject.order] = subject
        update.places[variable.uid] = places
        update.emptied = update.emptied or emptied
        for one in held.passes:
            one.used = True

    def _keep(self, contents: Contents, passage: Recording, commit: Commit) -> None:
        """Notes what the tensors hold that the program still has after a path."""
        if self.fetches:
            stored: set[_Pass] = set()
            for held in self._held.values():
                stored |= held.passes
            for one in self._now.values():
                one.read = one.read or one not in stored
            return
        trace: Any = local.trace
        if trace.variables is not commit.variables:
            return
        wanted = 0
        for place, (kind, which, _) in enumerate(contents.bits):
            if kind == "gradient" or self._at(kind, which, passage).passes:
                wanted |= 1 << place
        if wanted:
            there = alive(trace.handles)
            for handle, lives in zip(trace.handles, there, strict=True):
                slot = handle._slot
                if not lives or slot >= len(contents.masks) or not contents.masks[slot] & wanted:
                    continue
                held, _ = self._content(slot, contents, passage)
                # Anything but a sum, such as a norm, may be looked at.
                if held.factors:
                    self._tensors[id(handle)] = weakref.ref(handle), held
                else:
                    for one in held.passes:
                        one.read = True
        self._tensors = {key: one for key, one in self._tensors.items() if one[0]() is not None}

    # -- what follows from it ----------------------------------------------------------------------------

    def _close(self) -> None:
        """Judges the update before the last one: by now, what it has not used is gone."""
        update, self._update = self._update, None
        if update is None:
            return
        closed, self._closed = self._closed, update
        if closed is not None:
            self._judge_lost(closed)
        self._judge_sums(update)

    def _kept(self) -> set[_Pass]:
        kept: set[_Pass] = set()
        for reference, held in self._tensors.values():
            if reference() is not None:
                kept |= held.passes
        for held in self._held.values():
            kept |= held.passes
        return kept

    def _judge_lost(self, update: _Update) -> None:
        if not update.window:
            return
        last = update.window[-1]
        line = self._lines.setdefault((update.by, update.site, last.site), _Line())
        line.updates += 1
        line.variables.update(update.variables)
        alike = [one for one in update.window if one.site == last.site and _is_like(one.way, last.way)]
        kept = self._kept()
        lost = [one for one in alike if not (one.used or one.read or one in kept)]
        every = len(lost) == len(alike) and update.emptied is not None
        if len(lost) == len(alike) - 1 and last.used and lost:
            line.lost.append(len(alike))
            line.cleared.update(dict.fromkeys(update.cleared.get(one) for one in lost))
        elif every:
            line.lost.append(len(alike))
            line.cleared[update.emptied] = None

    def _judge_sums(self, update: _Update) -> None:
        grown = False
        counts = set()
        for uid, held in update.got.items():
            key = update.by, update.site, uid
            before = self._latest.get(key, {})
            new = [one for one in held.factors if one in update.window]
            self._latest[key] = held.factors
            factors = set(held.factors.values())
            whole = any(place >= before.keys() for place in update.places[uid])
            if before and new and whole and before.keys() < held.factors.keys():
                same = len(factors) == 1 and None not in factors and factors == set(before.values())
                grown = grown or same
            # A request that is repeated along a known path comes without its calls, except where autograd
            # stores gradients.
            ways = {(one.site, one.way) for one in held.factors if one.way is not None or self._stores}
            sites = {one.site for one in held.factors}
            means = all(one.mean for one in held.factors) and len(sites) == 1 and len(ways) < 2
            counts.add(len(held.factors) if means and factors == {1.0} else 0)
        if not update.window:
            return
        line = self._lines.setdefault((update.by, update.site, update.window[-1].site), _Line())
        line.variables.update(update.variables)
        line.grown = line.grown + 1 if grown else line.grown
        if len(counts) == 1:
            line.sums.append(counts.pop())

    def end(self) -> None:
        """Reports the facts."""
        self._close()
        if self._closed is not None:
            self._judge_lost(self._closed)
        self._finish()
        for (by, site, asked), line in self._lines.items():
            held = list(line.variables.values())
            enough = FEW if _is_inside(asked, site) else MORE
            # What is lost or added again of stored gradients is found where they are stored.
            if self._stores:
                line.grown = 0
            if self._stores or chosen_between(asked, site):
                line.lost.clear()
            if line.grown >= FEW:
                self._sink.noted(Regrown(by, site, asked), held)
            elif len(line.lost) >= max(enough, line.updates - 1) and len(set(line.lost)) == 1:
                cleared = next((one for one in line.cleared if one is not None), None)
                self._sink.noted(Discarded(by, site, asked, cleared, line.lost[0]), held)
            elif len(line.sums) >= FEW and min(line.sums) > 1:
                self._sink.summed(by, site, asked, max(line.sums), held)
        self._lines.clear()


def _is_like(one: Way | None, other: Way | None) -> bool:
    """Returns whether two requests may have been made by the same calls; unknown ones may be any."""
    return one is None or other is None or one == other


def _is_inside(asked: Site | None, site: Site | None) -> bool:
    """Returns whether gradients are requested in a loop of their own, which does not contain the update."""
    if asked is None or site is None or asked.file != site.file:
        return False
    own = loops_around(asked)
    return bool(own) and own[-1] not in loops_around(site)


__all__ = ["Collected"]
