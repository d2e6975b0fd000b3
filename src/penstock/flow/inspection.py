"""The sink of a check: it analyses each distinct path once, counts the rest, and reports."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections import deque
from collections.abc import Callable, Sequence, Set
from math import isfinite
from typing import Any
from weakref import WeakKeyDictionary

from penstock.flow import sampling
from penstock.flow.barriers import BarrierFact
from penstock.flow.findings import Evidence, findings
from penstock.flow.graph import Request
from penstock.flow.laps import Lap, Laps, Line
from penstock.flow.loss_terms import TermFact, term_facts
from penstock.flow.measuring import Measuring
from penstock.flow.naming import Place, name_of
from penstock.flow.noted import Lost, Noted, Notice, Unkept, Unlimited
from penstock.flow.observed import Enough, Passage, Source, Stepped, Update, Variable, Wrote
from penstock.flow.paths import Fact, PathFacts, facts, missed
from penstock.flow.report_model import (
    Again,
    Barrier,
    Key,
    Limited,
    Made,
    Misplaced,
    Report,
    Skipped,
    Stale,
    Subject,
    Summed,
    Taken,
    Term,
    Twice,
    Wasted,
    Writer,
)
from penstock.flow.returns import Returns
from penstock.flow.sampling import FEW, is_measured
from penstock.flow.shares import shares
from penstock.flow.sizes import NotFinite
from penstock.flow.source import called
from penstock.flow.spans import Spans
from penstock.flow.steps import Steps
from penstock.trace.source_site import Site

ALWAYS, BUDGET = 32, 400_000
"""The first ALWAYS distinct paths are analysed, later ones as long as all have at most BUDGET values."""
TOLD = 32
"""For how many skipped updates of one line the first non-finite value is looked up."""
LOOKED_AT = 2
"""When a line creates a variable, how many of its earlier ones are checked for still being alive."""
RECENT = 16
"""How many runs are remembered, for gradients that are requested after their step."""


class Inspection:
    """Watches a program while it runs. Use it in a `with` statement, then ask for `report`.

    `source` reports what the program does. `limit` ends the program, by raising Enough, before step limit + 1
    takes effect. `progress` is called with the number of steps after each run. With `deep`, the gradients of
    every step are measured, and those of each term of a loss.
    """

    def __init__(
        self,
        source: Source,
        limit: int | None = None,
        progress: Callable[[int], None] | None = None,
        deep: bool = False,
    ) -> None:
        self.source = source
        self.steps = Steps(self._renumber)
        self.limit = limit
        self.stopped = False
        self.paths = 0
        self.passed_over = 0
        self._values = 0
        self._progress = progress
        self._subjects: dict[int, Subject] = {}
        self._successors: dict[int, int] = {}
        self._made_alike: dict[tuple[object, ...], deque[_Last]] = {}
        self._barriers: dict[Site | None, Barrier] = {}
        self._terms: dict[tuple[str, Site | None, int], Term] = {}
        self._rebound: dict[Site, bool] = {}
        self._made: dict[tuple[str, Site | None], Made] = {}
        self._skipped: dict[Key, Skipped] = {}
        self._stale: dict[tuple[Site | None, Key], Stale] = {}
        self._met: set[int] = set()
        self._stepping: dict[int, Made] = {}
        self._again: dict[Key, Again] = {}
        self._twice: dict[tuple[str, Site | None], Twice] = {}
        self._limited: dict[tuple[Site | None, Site | None], Limited] = {}
        self._summed: dict[tuple[Site | None, Site | None], Summed] = {}
        self._misplaced: dict[Site | None, Misplaced] = {}
        self._wasted: dict[tuple[Site | None, Site | None], Wasted] = {}
        self._noted: dict[Notice, Noted] = {}
        self._returns = Returns()
        self._by_hand: dict[int, tuple[int, Writer | None, Any]] = {}
        self._present: dict[int, tuple[tuple[int, int], list[Key]]] = {}
        self._opened = 0
        self.measuring = Measuring(self.subject, deep)
        self._requests = 0
        self._whole = False
        self.spans = Spans()
        self._together: dict[frozenset[int], None] = {}
        self._absent: dict[int, None] = {}
        self._frozen: dict[int, int] = {}
        self._freed: dict[int, int] = {}
        self._thawed: set[int] = set()
        self._merged: WeakKeyDictionary[PathFacts, tuple[int, ...]] = WeakKeyDictionary()
        self._lines: WeakKeyDictionary[PathFacts, list[Line]] = WeakKeyDictionary()
        self._recent: dict[object, tuple[tuple[int, ...], Passage]] = {}
        self._newest: object = None
        self.laps = Laps(self)

    def __enter__(self) -> Inspection:
        self.source.start(self)
        return self

    def __exit__(self, *exception: object) -> None:
        self.source.stop()

    def finish(self) -> BaseException | None:
        """Runs the program's pending operations; returns their error, if they failed."""
        return self.source.finish()

    # -- while the program runs: reports of the source ---------------------------------------------------

    def failed(self, passage: Passage) -> None:
        """Analyses a passage whose writes took no effect, and reports what it would have done."""
        self.laps.settle()
        self._merge(passage, self.steps.count)

    def passed(
        self, passage: Passage, writes: Sequence[Wrote] = (), updates: Sequence[Update] = ()
    ) -> list[Writer]:
        """Processes a passage, its writes and its updates; returns the writer of each write."""
        if self.stopped:
            raise Enough
        self.laps.settle()
        steps = self.steps.count
        writes = list(self.steps.along(writes))
        if self.limit is not None and self.steps.count > self.limit:
            self.stopped = True
            self.steps.count = self.limit
            raise Enough
        path = self._merge(passage, steps)
        run = self.spans.run_of(path)
        if run is not None:
            self.spans.again(run, self.steps.count)
        opened, tapes = path.opened, self._opened
        if passage.ends_step:
            self._opened += len(opened)
        lines = self._lines_of(path, writes)
        self._measure(passage, writes, lines)
        for one, (subject, writer, key) in zip(writes, lines, strict=True):
            if one.kind == "write":
                self._note_by_hand(subject, writer, one)
            elif self._by_hand:
                self._by_hand.pop(subject.order, None)
            writer.idle += one.idle
            writer.last = one.step
            if one.kind == "apply" and not one.own:
                writer.made = one.made
                if one.trainable:
                    subject.trainable, subject.frozen_after = True, None
                    subject.trained_last = one.step
            self._note_together(
                subject, key, (one.step, tapes + (bisect(opened, one.event) if opened else 0))
            )
            if one.kind == "apply":
                subject.owned = not one.own
                if writer.times == 1 and not one.own:
                    self._returns.updated(subject.order, one)
                if one.own:
                    subject.owner = one.by
        if path.read_last:
            orders = [self.subject(passage.variables[index]).order for index in path.read_last]
            self._returns.measured(orders, self.steps.count)
        self._note_skips(updates, writes)
        self.measuring.passed(passage, self.steps.count)
        self.measuring.tables(passage, writes)
        if self._progress is not None:
            self._progress(self.steps.count)
        return [writer for _, writer, _ in lines]

    def _measure(self, passage: Passage, writes: Sequence[Wrote], lines: Sequence[Line]) -> None:
        """Counts writes, measures those that are due, and tests whether the written values are finite."""
        # As a rule, non-finite values appear in everything a step writes: if one write is finite, a large
        # variable next to it is tested only when it is measured.
        sound: set[int] = set()
        large = []
        for one, (subject, writer, _) in zip(writes, lines, strict=True):
            writer.times += 1
            # It stands for the earlier ones that were not measured.
            change, weight = None, writer.times - writer.looked
            measured = not one.sampled or is_measured(writer.times, one.size, one.own)
            if measured and (change := one.change()) is not None:
                writer.note(change, weight)
                writer.looked = writer.times
                if not isfinite(change):
                    self.measuring.wrote(passage, one, subject)
                elif not one.own and one.numbers_steps:
                    sound.add(one.event)
            elif one.sampled and not one.own:
                if one.size > sampling.LARGE:
                    large.append((one, subject))
                elif not one.is_finite():
                    self.measuring.wrote(passage, one, subject)
                elif one.numbers_steps:
                    sound.add(one.event)
            if one.kind == "apply" and not one.own and not one.trainable:
                # An update of a frozen variable.
                writer.frozen += change is not None or not measured
                writer.frozen_sum += weight * change if change is not None else 0.0
        for one, subject in large:
            if one.event not in sound and one.size <= sampling.HUGE and not one.is_finite():
                self.measuring.wrote(passage, one, subject)

    def _lines_of(self, path: PathFacts, writes: Sequence[Wrote]) -> list[Line]:
        """Returns the variable and writer of each write of a path, looked up at the first pass."""
        known = self._lines.get(path)
        if (
            known is not None
            and len(known) == len(writes)
            and all(
                one.site is key[1]
                and one.by == key[0]
                and self._successors.get(one.uid, one.uid) == subject.order
                for one, (subject, _, key) in zip(writes, known, strict=True)
            )
        ):
            return known
        found: list[Line] = []
        for one in writes:
            subject = self._known(one.uid) or self.subject(one.variable)
            key = (one.by, one.site)
            writer = subject.writers.get(key)
            if writer is None:
                writer = subject.writers[key] = Writer(*key, one.terms, kind=one.kind)
                self.laps.generation += 1
            found.append((subject, writer, key))
        self._lines[path] = found
        return found

    def _note_by_hand(self, subject: Subject, writer: Writer, one: Wrote) -> None:
        """Notes whether a write undoes the previous one in the step, and whether it settles a value."""
        first = subject.order not in self._by_hand
        updated = max((each.last for each in subject.writers.values() if each.kind == "apply"), default=0)
        returned = self._returns.wrote(subject.order, one, first, updated)
        if returned is not None:
            self.noted(returned, [one.variable])
        step, last, before = self._by_hand.get(subject.order, (0, None, None))
        if last is not None and step == one.step and before is not None and one.undoes(before):
            writer.undone += 1
            last.undone += 1
        self._by_hand[subject.order] = one.step, writer, one.before
        # It only matters beside an optimizer: for a layer's statistics, most of the step would be repeated.
        if updated and writer.times <= FEW:
            settles = one.settles()
            writer.settling = writer.settling if settles is None else settles

    def _note_skips(self, updates: Sequence[Update], writes: Sequence[Wrote]) -> None:
        """Counts the skipped updates of a run."""
        if not updates:
            return
        steps = {one.event: one.step for one in writes}
        for update in updates:
            key = update.by, update.site
            line = self._skipped.get(key)
            if line is None:
                line = self._skipped[key] = Skipped(*key)
            line.times += 1
            found = update.left_out()
            step = steps.get(update.event, self.steps.count)
            if found is not False and (found is None or len(line.steps) < TOLD):
                skip = update.skip(step)
                found = skip is not None
                if skip is not None:
                    line.first = line.first or skip
                    what = f"{skip.cause} at {skip.origin}"
                    line.origins[what] = line.origins.get(what, 0) + 1
            if not found:
                continue
            line.steps.append(step)
            scale = update.scale()
            if scale is not None:
                line.scale = (line.scale or scale)[0], scale[1]
            for variable in update.moved():
                subject = self.subject(variable)
                line.moved[subject.order] = subject

    def _note_together(self, subject: Subject, key: Key, step: tuple[int, int]) -> None:
        """Notes in which steps two lines write one variable; counted when the step is over.

        A step is identified by its number and the count of opened tapes: lines that take turns do not share
        one.
        """
        present = self._present.get(subject.order)
        if present is None or present[0] != step:
            if present is not None and len(present[1]) > 1:
                self._count_together(subject, present[1])
            self._present[subject.order] = step, [key]
        elif key not in present[1]:
            present[1].append(key)

    def _count_together(self, subject: Subject, keys: Sequence[Key]) -> None:
        for pair in itertools.combinations(keys, 2):
            subject.together[pair] = subject.together.get(pair, 0) + 1

    def _renumber(self, keys: Set[tuple[Site | None, int]], step: int) -> None:
        """Moves the writes of some lines out of a step, because they turned out to begin the next one."""
        for order in {order for _, order in keys}:
            if order in self._present:
                (_, tapes), present = self._present[order]
                moved = [key for key in present if (key[1], order) in keys]
                self._count_together(self._subjects[order], [key for key in present if key not in moved])
                self._present[order] = (step, tapes), moved

    def consulted(self, variable: Variable) -> None:
        """Notes that the program has read a variable's `trainable`."""
        self.subject(variable).consulted = True

    def flagged(self, variable: Variable, trainable: bool) -> None:
        """Notes that the program sets the flag of a variable, if the source sees when that happens."""
        if not trainable:
            self._frozen[variable.uid] = self.steps.count
        elif self._frozen.pop(variable.uid, 0) < self.steps.count:
            self._thawed.add(variable.uid)
        if trainable:
            self._freed[variable.uid] = self.steps.count
        subject = self._known(variable.uid)
        if subject is None or subject.trainable == trainable:
            return
        subject.frozen_after = None if trainable else self.steps.count
        subject.trainable, subject.flag = trainable, variable.flag
        subject.settings = variable.settings
        subject.frozen_at = None if trainable else variable.settings[-1][1]

    def stepped(self, optimizer: Stepped, moved: Sequence[int], held: Sequence[Variable] = ()) -> None:
        """Notes an update by an optimizer: the numbers of the variables that it moves, and of all that it
        holds.
        """
        known = self._stepping.get(optimizer.uid)
        if known is not None and known.latest == (optimizer.uid, moved) and not held:
            # The notes on the same update one step ago still hold.
            known.times += 1
            return
        for variable in held:
            subject = self.subject(variable)
            subject.owned, subject.replaced = True, variable.replaced
        key = optimizer.name, optimizer.site
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = Made(*key, optimizer.state)
        new = optimizer.uid not in self._met
        successor = True
        if new:
            self._met.add(optimizer.uid)
            made.count += 1
            made.rates.add(optimizer.rate)
            alike = frozenset(self._successors.get(uid, uid) for uid in moved)
            successor, made.alike = alike == made.alike, alike
        made.times += 1
        for uid in moved:
            last = made.last.get(uid)
            if last != optimizer.uid:
                made.last[uid] = optimizer.uid
                if last is not None and not new:
                    made.shared.add(uid)
                elif last is None or successor:
                    made.movers[uid] = made.movers.get(uid, 0) + 1
        if len(self._stepping) >= RECENT:
            self._stepping.clear()
        self._stepping[optimizer.uid], made.latest = made, (optimizer.uid, moved)

    def graded(self, variables: Sequence[Variable], alone: bool = False) -> None:
        """Notes that a backward pass has left gradients with variables, to be applied later."""
        for variable in variables:
            subject = self.subject(variable)
            subject.graded = subject.found = True
            subject.alone = subject.alone or alone

    def noted(self, fact: Notice, variables: Sequence[Variable | Subject] = ()) -> None:
        """Notes a fact about variables, for the diagnosis of facts of its kind."""
        found = self._noted.setdefault(fact, Noted(fact))
        found.times += 1
        for variable in variables:
            subject = variable if isinstance(variable, Subject) else self.subject(variable)
            found.variables[subject.order] = subject

    def wasted(self, asked: Site | None, cleared: Site | None, variables: Sequence[Variable]) -> None:
        """Notes a backward pass whose gradients were cleared before they were applied."""
        found = self._wasted.setdefault((asked, cleared), Wasted(asked, cleared))
        found.times += 1
        for variable in variables:
            subject = self.subject(variable)
            found.variables[subject.order] = subject

    def misplaced(self, site: Site | None, variables: Sequence[Variable], attribute: str = "") -> None:
        """Notes a line that freezes an object which shares a variable's memory but is not the variable."""
        found = self._misplaced.setdefault(site, Misplaced(site, attribute))
        for variable in variables:
            subject = self.subject(variable)
            found.variables[subject.order] = subject

    def applied_again(
        self, by: str, site: Site | None, asked: Site | None, variables: Sequence[Variable]
    ) -> None:
        """Notes an update that applies gradients which an earlier update has already applied."""
        key = by, site
        found = self._again.get(key)
        if found is None:
            found = self._again[key] = Again(by, site, asked)
        found.times += 1
        for variable in variables:
            subject = self.subject(variable)
            found.variables[subject.order] = subject

    def summed(
        self, by: str, site: Site | None, asked: Site | None, count: int,
        variables: Sequence[Variable | Subject],
    ) -> None:  # fmt: skip
        """Notes an update by the sum of so many gradients of means, if the source has followed them."""
        added = self._summed.setdefault((site, asked), Summed(by, site, asked))
        added.count = max(added.count, count)
        for variable in variables:
            subject = variable if isinstance(variable, Subject) else self.subject(variable)
            added.variables[subject.order] = subject

    def followed(self, variable: Variable, by: str, site: Site | None, source: Variable, whole: bool) -> None:
        """Notes a line that writes a variable from another one: by a `whole` copy, or a mixture of both."""
        self.subject(variable).follows[by, site] = Taken(self.subject(source), whole)

    def emptied(
        self, by: str, site: Site | None, variable: Variable, times: int, moved: bool = False
    ) -> None:
        """Notes how many of the last updates have found only zeros as the gradient of a variable."""
        self.subject(variable).emptied = (by, site), times, moved

    def overtaken(
        self,
        site: Site | None,
        by: str,
        written: Site | None,
        read: Site | None,
        variables: Sequence[Variable],
    ) -> None:
        """Notes a backward pass that failed because variables it had read were written since."""
        stale = self._stale.setdefault((site, (by, written)), Stale(site, by, written, read))
        stale.failed = True
        stale.variables += [one for one in map(self.subject, variables) if one not in stale.variables]

    def sized(self, sizes: Sequence[tuple[Variable, float, float]], asked: Site | None) -> None:
        """Notes norms of applied gradients and of their variables, if the source measures them itself."""
        for variable, gradient, value in sizes:
            self.measuring.size(variable).note(self.steps.count + 1, gradient, value, asked)

    def clipped(self, by: str, site: Site | None, active: bool) -> None:
        """Notes that a line clips gradients, and whether it has clipped one, if the source knows itself."""
        self.measuring.clipped(by, site, active)

    def not_finite(self, variables: Sequence[Variable], found: NotFinite) -> None:
        """Notes the first write of non-finite values to these variables, if the source finds it itself."""
        self.measuring.note_lost([self.subject(one) for one in variables], found)

    def uncounted(self, variable: Variable, by: str, site: Site | None) -> None:
        """Notes that a line may have written a variable more often than reported."""
        writer = self.subject(variable).writers.get((by, site))
        if writer is not None:
            writer.least = True

    def unrecorded(self, paths: int) -> None:
        """Notes a number of paths of which only the writes were counted."""
        self.paths += paths
        self.passed_over += paths

    def created(self, variable: Variable, owner: str, returned: bool = True) -> None:
        """Notes a new variable; `owner` is the name of the optimizer whose state it is, or ""."""
        subject = self.subject(variable)
        subject.returned = returned
        subject.data = False
        subject.owner = owner or subject.owner

    def absent(self, variables: Sequence[Variable]) -> None:
        """Notes the variables that an optimizer received without a gradient."""
        for variable in variables:
            subject = self.subject(variable)
            subject.asked = subject.listed = True
            subject.replaced = variable.replaced
            self._absent[subject.order] = None

    def subject(self, variable: Variable) -> Subject:
        """Returns the notes on a variable; it shares them with dead ones created on the same line."""
        found = self._known(variable.uid)
        if found is None:
            path = called(variable)
            key = path, variable.site, variable.shape, variable.dtype, variable.trainable, variable.data
            alike = self._made_alike.setdefault(key, deque())
            for _ in range(min(LOOKED_AT, len(alike))):
                alike.rotate(-1)
                if not alike[-1].is_there():
                    return self._succeed(alike[-1], variable)
            found = self._subjects[variable.uid] = Subject(
                path,
                variable.shape,
                variable.dtype,
                variable.trainable,
                variable.site,
                variable.uid,
                flag=variable.flag,
                words=variable.words,
                data=variable.data,
                replaced=variable.replaced,
                unregistered=variable.unregistered,
                returned=variable.returned,
            )
            alike.append(_Last(found, variable))
        return found

    def _known(self, uid: int) -> Subject | None:
        return self._subjects.get(self._successors.get(uid, uid))

    def _succeed(self, last: _Last, variable: Variable) -> Subject:
        """Makes a variable the successor of a dead one, of which only the notes are kept."""
        subject = last.subject
        self.steps.forget(last.uid)
        if last.uid != subject.order:
            del self._successors[last.uid]
            for made in self._made.values():
                made.last.pop(last.uid, None)
                made.movers.pop(last.uid, None)
        self._successors[variable.uid] = subject.order
        last.uid, last.is_there = variable.uid, variable.is_there()
        return subject

    def _merge(self, passage: Passage, steps: int) -> PathFacts:
        """Adds the facts of a passage to the notes on its variables, after this many steps."""
        path: PathFacts | None = passage.facts.get("check")
        merged = None if path is None else self._merged.get(path)
        if path is None or merged is None:
            self.paths += 1
            self._values += len(passage.graph.values)
            if self.paths > ALWAYS and self._values > BUDGET:
                self.passed_over += 1
            if path is None:
                path = passage.facts["check"] = PathFacts(passage, not self.passed_over)
        self._follow_names(path)
        identities = passage.identities
        if passage.ends_step:
            self._remember(passage)
        if merged == identities:
            return path
        self._merged[path] = identities
        # The flag may have been set within the passage: each read keeps the one of its time.
        held_still = {one.variable for one in passage.graph.values if not one.trainable}
        for index, variable in enumerate(passage.variables):
            subject = self.subject(variable)
            subject.once_frozen = subject.once_frozen or index in held_still
            _follow(subject, variable, steps)
            subject.onward = subject.onward or index in path.passed_over
            subject.read = subject.read or index in path.read
            subject.fed = subject.fed or index in path.fed
            subject.elsewhere = subject.elsewhere or index in path.elsewhere
            if index in path.about:
                self._add(subject, path.about[index])
        for held in path.together:
            self._together[frozenset(self.subject(passage.variables[index]).order for index in held)] = None
        untouched = list(missed(passage, [earlier for _, earlier in self._recent.values()]))
        for variable, fact in untouched:
            subject = self.subject(variable)
            subject.read = subject.read or fact.read
            self._add(subject, fact)
        self.spans.began(path, passage, self._successors, untouched)
        self._add_events(passage, path)
        graph = passage.graph
        self._requests += len(graph.requests)
        self._whole = self._whole or any(request.implied for request in graph.requests)
        for asked in graph.late:
            if asked.program in self._recent:
                self._merge_late(self._recent[asked.program][1], asked.request)
        return path

    def _remember(self, passage: Passage) -> None:
        """Keeps a run for gradients that are requested after it, and forgets the oldest."""
        recent = self._recent.pop(passage.program, None)
        if recent is None or recent[0] != passage.identities:
            recent = passage.identities, passage.without_data()
        self._recent[passage.program], self._newest = recent, passage.program
        if len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]

    def _add_events(self, passage: Passage, path: PathFacts) -> None:
        """Adds what happened on a path: barriers, terms, and what its lines did to variables."""
        for late in path.stale:
            key = late.site, (late.by, late.written)
            stale = self._stale.setdefault(key, Stale(late.site, late.by, late.written, late.read))
            subject = self.subject(passage.variables[late.variable])
            stale.variables += [subject] if subject not in stale.variables else []
        for barrier in path.barriers:
            self._add_barrier(passage, barrier)
        for term in path.terms:
            self._add_term(passage, term)
        for one in path.twice:
            twice = self._twice.setdefault((one.name, one.made), Twice(one.name, one.made, one.added))
            twice.variables = [self.subject(passage.variables[index]) for index in one.variables]
        for site, (name, read) in path.lost.items():
            self.noted(Lost(site, name), [passage.variables[index] for index in sorted(read)])
        self._add_applied(passage, path)
        for hand in path.by_hand:
            subject, line = self.subject(passage.variables[hand.variable]), (hand.by, hand.site)
            if hand.slope:
                subject.descended.add(line)
            if hand.source is not None:
                source = self.subject(passage.variables[hand.source])
                subject.taken[line] = subject.follows[line] = Taken(source, hand.whole)

    def _add_applied(self, passage: Passage, path: PathFacts) -> None:
        """Adds facts about gradients between their request and the update."""
        for limit in path.limits:
            early = self._limited.setdefault((limit.site, limit.scaled), Limited(limit.site, limit.scaled))
            subject = self.subject(passage.variables[limit.variable])
            early.variables[subject.order] = subject
        for late in path.unused:
            self.noted(Unlimited(late.by, late.site, late.limited), [passage.variables[late.variable]])
        for one in path.sums:
            key = one.site, one.asked
            added = self._summed.setdefault(key, Summed(one.by, one.site, one.asked))
            added.count = max(added.count, one.count)
            subject = self.subject(passage.variables[one.variable])
            added.variables[subject.order] = subject

    def _again_along(self, lap: Lap) -> None:
        """Makes the notes on a repeated pass along a path."""
        if self._rebound:
            self._follow_names(lap.path)
        self._opened += lap.opened
        if lap.run is not None:
            self.spans.again(lap.run, self.steps.count)
        if lap.read_last:
            self._returns.measured(lap.read_last, self.steps.count)
        if self._by_hand:
            for order in lap.moved:
                self._by_hand.pop(order, None)
        if lap.program is not self._newest and lap.program in self._recent:
            self._recent[lap.program] = self._recent.pop(lap.program)
            self._newest = lap.program
        if self._progress is not None:
            self._progress(self.steps.count)

    def _follow_names(self, path: PathFacts) -> None:
        """Notes the lines of a path that rebind a name, and whether training goes on after them."""
        if path.trains and self._rebound:
            self._rebound = dict.fromkeys(self._rebound, True)
        for site, trains in path.rebound.items():
            self._rebound[site] = trains or site in self._rebound

    def _merge_late(self, earlier: Passage, request: Request) -> None:
        """Adds the result for a gradient that was requested after its step was over."""
        self._requests += 1
        for index, fact in facts(earlier, [request]).items():
            self._add(self.subject(earlier.variables[index]), fact)
        for term in term_facts(earlier, [request]):
            self._add_term(earlier, term)

    def _add_barrier(self, passage: Passage, fact: BarrierFact) -> None:
        barrier = self._barriers.get(fact.site)
        if barrier is None:
            barrier = self._barriers[fact.site] = Barrier(
                fact.site, behind_another=fact.behind_another, words=passage.graph.words
            )
        barrier.computed = barrier.computed or fact.computed
        barrier.behind_another = barrier.behind_another and fact.behind_another
        for names, held in (
            (barrier.blocks, fact.holds),
            (barrier.changes, fact.changes),
            (barrier.restores, fact.restores),
        ):
            found = [self.subject(passage.variables[index]).path for index in held.variables]
            places = [Place(passage.graph, passage.variables, None, number) for number in held.tensors]
            found += [name_of(place) or f"a tensor {place.value.spec}" for place in places]
            names.extend(name for name in found if name not in names)

    def _add_term(self, passage: Passage, fact: TermFact) -> None:
        key = fact.name, fact.site, fact.twin
        term = self._terms.get(key)
        if term is None:
            term = self._terms[key] = Term(
                fact.name, fact.site, word=fact.word, cut=fact.cut, words=passage.graph.words
            )
        if fact.word and not term.word:
            # The first path may have blocked nothing, such as one on which a network was still data.
            term.word, term.cut = fact.word, fact.cut
        term.alone = term.alone and fact.alone
        for subjects, held in (
            (term.reaches, fact.reaches),
            (term.unasked, fact.unasked),
            (term.blocked, fact.blocked),
            (term.asked, fact.asked),
        ):
            found = [self.subject(passage.variables[index]) for index in held]
            subjects.extend(one for one in found if one not in subjects)

    def _add(self, subject: Subject, fact: Fact) -> None:
        subject.asked = subject.asked or fact.asked
        subject.found = subject.found or fact.found
        if fact.found:
            subject.where_found = fact.site
        if fact.asked and not fact.found:
            subject.held = subject.held or (fact.gradient == "stopped" and not fact.listed)
            if subject.listed and not fact.listed:
                # Keep an earlier fact from a list that names the variable.
                return
            subject.listed = subject.listed or fact.listed
            subject.where_asked, subject.explanation = fact.site, fact.explanation
        if fact.rank >= subject.rank:
            subject.rank, subject.gradient, subject.cut = fact.rank, fact.gradient, fact.cut

    # -- afterwards -------------------------------------------------------------------------------------

    def report(self, script: str, error: BaseException | None) -> Report:
        """Returns the report; `error` is the program's error, if it failed."""
        self.source.end()
        self.laps.settle()
        subjects = _without_twins(sorted(self._subjects.values(), key=lambda subject: subject.order))
        self._settle_subjects(subjects)
        self._settle_terms()
        seen = self._evidence(subjects, error)
        found = [one for one in findings(seen) if not self.source.is_meant(one)]
        named = {path for one in found for path in one.variables}
        zero = {path: one for one in found if one.code == "PS406" for path in one.variables}
        for subject in subjects:
            if subject.path in zero and subject.gradient == "flows":
                subject.gradient, subject.cut = "zero", zero[subject.path].cause
        subjects = [one for one in subjects if not one.data or one.asked or one.path in named]
        terms = _without_others(seen.terms, [one for one in subjects if not one.owner])
        return Report(
            script,
            self.steps.count,
            subjects,
            list(self._barriers.values()),
            found,
            error,
            self.stopped,
            self.paths,
            terms,
            self.passed_over,
            seen.conservation,
            list(seen.skipped),
            self.source.framework,
            asides=[one for one in shares(terms) if not self.source.is_meant(one)],
            sizes=list(self.measuring.sizes.values()),
            clips=list(self.measuring.clips.values()),
            unread=self.measuring.unread(),
            remarks=list(self.source.remarks),
        )

    def _settle_subjects(self, subjects: list[Subject]) -> None:
        """Decides what only the end of the program shows of its variables."""
        for one in self._noted.values():
            for subject in one.held if isinstance(one.fact, Unkept) else ():
                subject.gradient = "unwatched"
        for subject in subjects:
            if subject.trained_last >= max(self.steps.count, 1):
                # It is frozen for a part of each step, like a discriminator while the generator learns.
                subject.trainable, subject.frozen_after = True, None
            if not subject.trainable and (not subject.asked or subject.frozen_after is not None):
                subject.gradient, subject.cut = "frozen", None
            elif subject.graded and subject.gradient in ("", "unused", "dead_end"):
                # It has a gradient, whatever the recorded steps say: the step that gave it was not recorded.
                subject.gradient, subject.cut = "flows", None
            elif not subject.gradient:
                subject.gradient = "dead_end" if subject.read else "unused"
            subject.gone = self.spans.gone(subject.order)
            subject.freed_after = self._freed.get(subject.order)
            subject.once_frozen = subject.once_frozen or subject.order in self._thawed
            subject.among = subjects
        owned = {one.order for one in subjects if one.owned}
        for together in self._together:
            if together & owned:
                for order in together:
                    self._subjects[order].beside = True
        for order, (_, keys) in self._present.items():
            self._count_together(self._subjects[order], keys)
        self._present.clear()

    def _settle_terms(self) -> None:
        """Sorts the variables of each term, and measures what its gradients are of the whole."""
        for term in self._terms.values():
            for held in (term.reaches, term.unasked, term.blocked, term.asked):
                held.sort(key=lambda one: one.order)
            term.unasked = [one for one in term.unasked if one not in term.reaches]
            term.blocked = [one for one in term.blocked if one not in term.reaches + term.unasked]
        self.measuring.tell(self._terms)

    def _evidence(self, subjects: list[Subject], error: BaseException | None) -> Evidence:
        """Returns all that the diagnoses look at."""
        return Evidence(
            subjects,
            [self._subjects[uid] for uid in self._absent],
            error,
            list(self._barriers.values()) if self._requests else [],
            list(self._terms.values()),
            list(self._made.values()),
            self._rebound,
            self._whole,
            self.source.conservation,
            [one for one in self._skipped.values() if one.first is not None],
            list(self._stale.values()),
            list(self._again.values()),
            list(self._wasted.values()),
            list(self._twice.values()),
            list(self._misplaced.values()),
            list(self._noted.values()),
            list(self._limited.values()),
            list(self._summed.values()),
            sizes=list(self.measuring.sizes.values()),
            lost=self.measuring.found(),
        )


class _Last:
    """The latest variable of a subject, and whether it is still alive."""

    __slots__ = ("is_there", "subject", "uid")

    def __init__(self, subject: Subject, variable: Variable) -> None:
        self.subject, self.uid, self.is_there = subject, variable.uid, variable.is_there()


def _follow(subject: Subject, variable: Variable, steps: int) -> None:
    """Notes what a variable says of itself after this many steps."""
    trainable = variable.trainable
    if subject.path != variable.path:
        # A layer learns its place when the program asks its model for the variables.
        subject.path = called(variable)
    if subject.trainable and not trainable:
        subject.frozen_after = steps
    subject.trainable, subject.dtype = trainable, variable.dtype
    subject.replaced, subject.unregistered = variable.replaced, variable.unregistered
    subject.statistic, subject.by_hand = variable.statistic, variable.by_hand
    subject.given = subject.given or variable.given
    if not trainable:
        subject.flag, subject.once_frozen = variable.flag, True
        settings = variable.settings
        subject.frozen_at = settings[-1][1] if len(settings) > 1 else None
    if not subject.settings:
        subject.settings = variable.settings


def _without_others(terms: Sequence[Term], subjects: Sequence[Subject]) -> list[Term]:
    """Drops variables other than these subjects from terms, and terms that hold no others."""
    kept = {one.order for one in subjects}
    found = []
    for term in terms:
        for held in (term.reaches, term.unasked, term.blocked, term.asked):
            held[:] = [one for one in held if one.order in kept]
        if term.reaches or term.unasked or term.blocked:
            found.append(term)
    return found


def _without_twins(subjects: Sequence[Subject]) -> list[Subject]:
    """Leaves out variables that were never touched, if one with the same path and line was.

    A variable of a graph and the one that a session holds for it are such twins: the user sees one variable.
    """

    def touched(one: Subject) -> bool:
        return one.read or one.owned or bool(one.writers) or one.where_asked is not None

    used = {(one.path, one.created) for one in subjects if touched(one)}
    return [one for one in subjects if touched(one) or (one.path, one.created) not in used]
