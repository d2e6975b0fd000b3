"""Watching a whole program: every run is observed, each distinct path analysed once, the rest is counting."""

from __future__ import annotations

import itertools
import linecache
import sys
from bisect import bisect
from collections import deque
from collections.abc import Callable, Sequence, Set
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from penstock.flow import answers
from penstock.flow.addends import TermFact, term_facts
from penstock.flow.barriers import BarrierFact
from penstock.flow.conservation import Watch
from penstock.flow.findings import Evidence, findings
from penstock.flow.flags import flag_of, setter_of
from penstock.flow.graph import Request
from penstock.flow.paths import Fact, PathFacts, facts, missed
from penstock.flow.recorded import graph_of
from penstock.flow.seen import Barrier, Key, Made, Report, Skipped, Stale, Subject, Term, Writer
from penstock.flow.skips import applications, left_out, scale_of, skip_of
from penstock.flow.source import called
from penstock.flow.writes import Steps, Written, writes_of
from penstock.optimizers import optimizer as updating
from penstock.optimizers.optimizer import Optimizer
from penstock.state import variable as creation
from penstock.tiers import plan
from penstock.tiers.plan import Commit
from penstock.trace.recorder import Trace, engine, local
from penstock.trace.site import Site, in_folder, is_library

LARGE, FEW, SELDOM = 10_000, 8, 16
"""Of a variable with more than LARGE elements the first FEW changes are measured, then one in SELDOM."""
ALWAYS, BUDGET = 32, 400_000
"""The first ALWAYS distinct paths are analysed, later ones while all have no more values than BUDGET."""
TOLD = 32
"""Of so many updates of one line that were left out it is looked up what was not finite first."""
RECENT = 16
"""So many runs are remembered, for gradients that are asked for when their step is over."""


class Enough(BaseException):
    """Ends a program that has made as many steps as it was to be watched for."""


class Inspection:
    """Watches a program while it runs. Use it in a `with` statement, then ask for `report`.

    `limit` ends the program, by raising Enough, before step limit + 1 takes effect. `progress` is called with
    the number of steps after each run. `split` takes every write apart by cause and replays it.
    """

    def __init__(
        self,
        limit: int | None = None,
        progress: Callable[[int], None] | None = None,
        split: bool = False,
    ) -> None:
        self.steps = Steps(self._renumber)
        self.limit = limit
        self.stopped = False
        self.paths = 0
        self.passed_over = 0
        self._values = 0
        self._progress = progress
        self._subjects: dict[int, Subject] = {}
        self._barriers: dict[Site | None, Barrier] = {}
        self._terms: dict[tuple[str, Site | None, int], Term] = {}
        self._rebound: dict[Site, None] = {}
        self._made: dict[tuple[str, Site | None], Made] = {}
        self._skipped: dict[Key, Skipped] = {}
        self._stale: dict[tuple[Site | None, Key], Stale] = {}
        self._optimizers = itertools.count()
        self._numbered: WeakKeyDictionary[Optimizer, int] = WeakKeyDictionary()
        self._present: dict[int, tuple[tuple[int, int], list[Key]]] = {}
        self._opened = 0
        self._requests = 0
        self._whole = False
        self._absent: dict[int, None] = {}
        self._recent: deque[Commit] = deque(maxlen=RECENT)
        self._run = engine.run
        self._watch = Watch(self._subject) if split else None

    def __enter__(self) -> Inspection:
        plan.observers.append(self._note)
        creation.created.append(self._note_new)
        creation.consulted.append(self._note_consulted)
        updating.stepped.append(self._note_stepped)
        answers.listeners.append(self._note_absent)
        self._run, engine.run = engine.run, self._running
        return self

    def __exit__(self, *exception: object) -> None:
        engine.run = self._run
        answers.listeners.remove(self._note_absent)
        updating.stepped.remove(self._note_stepped)
        creation.consulted.remove(self._note_consulted)
        creation.created.remove(self._note_new)
        plan.observers.remove(self._note)

    def finish(self) -> BaseException | None:
        """Runs what the program has left pending; returns what that failed with, if it did."""
        trace = local.trace
        if self.stopped:
            plan.abandon(trace)
            return None
        try:
            if trace.node.depth:
                trace.run(True)
        except Enough:
            plan.abandon(trace)
        except Exception as error:
            return error
        return None

    # -- while the program runs -------------------------------------------------------------------------

    def _running(self, trace: Trace, reset: bool) -> None:
        variables, entries, missing = trace.variables, trace.entries, trace.missed
        lost = Commit(trace.node, trace.start, variables, [], reset, entries, (), {}, missing)
        try:
            self._run(trace, reset)
        except Enough:
            raise
        except BaseException:
            # The step took no effect, but what it would have done can still be told.
            self._merge(lost, self.steps.count)
            raise

    def _note(self, commit: Commit) -> None:
        if self.stopped:
            raise Enough
        steps = self.steps.count
        if self._watch is not None:
            self._watch.open(commit, steps)
        written = list(writes_of(commit, self.steps))
        if self.limit is not None and self.steps.count > self.limit:
            self.stopped = True
            self.steps.count = self.limit
            raise Enough
        self._merge(commit, steps)
        opened, tapes = commit.node.facts["check"].opened, self._opened
        if commit.reset:
            self._opened += len(opened)
        writers = []
        for one in written:
            subject = self._subject(one.variable)
            key = (one.event.name, one.event.site)
            writer = subject.writers.get(key)
            if writer is None:
                writer = subject.writers[key] = Writer(*key, one.write.terms, kind=one.event.kind)
            writers.append(writer)
            writer.times += 1
            if one.variable._spec.size <= LARGE or writer.times <= FEW or not writer.times % SELDOM:
                writer.measured += 1
                writer.sum += one.change
            self._note_together(subject, key, (one.step, tapes + bisect(opened, one.event.number)))
            if one.event.kind == "apply":
                subject.owned = not one.write.own
                if one.write.own:
                    subject.owner = one.event.name
        self._note_skips(commit, written)
        if self._watch is not None:
            self._watch.close(commit, written, writers, self.steps.count)
        if self._progress is not None:
            self._progress(self.steps.count)

    def _note_skips(self, commit: Commit, written: Sequence[Written]) -> None:
        """Counts the updates of a run that were left out."""
        steps = {one.event.number: one.step for one in written}
        for node in applications(commit):
            event = node.event
            assert event is not None
            key = event.details["by"], event.site
            line = self._skipped.get(key)
            if line is None:
                line = self._skipped[key] = Skipped(*key)
            line.times += 1
            found = left_out(commit, node)
            step = steps.get(node.depth - 1, self.steps.count)
            if found is not False and (found is None or len(line.steps) < TOLD):
                skip = skip_of(commit, node, step)
                found = skip is not None
                if skip is not None:
                    line.first = line.first or skip
                    what = f"{skip.cause} at {skip.origin}"
                    line.origins[what] = line.origins.get(what, 0) + 1
            if not found:
                continue
            line.steps.append(step)
            _, scale = scale_of(commit, node)
            if scale is not None:
                line.scale = (line.scale or scale)[0], scale[1]
            for pair in event.details["application"].pairs:
                subject = self._subject(commit.variables[event.details["variables"][pair.position]])
                line.moved[subject.order] = subject

    def _note_together(self, subject: Subject, key: Key, step: tuple[int, int]) -> None:
        """Notes in which steps two lines write one variable; counted when the step is over.

        A step is told by its number and by the tapes opened before: lines that take turns do not meet in one.
        """
        present = self._present.get(subject.order)
        if present is None or present[0] != step:
            if present is not None:
                self._count_together(subject, present[1])
            present = self._present[subject.order] = step, []
        if key not in present[1]:
            present[1].append(key)

    def _count_together(self, subject: Subject, keys: Sequence[Key]) -> None:
        for pair in itertools.combinations(keys, 2):
            subject.together[pair] = subject.together.get(pair, 0) + 1

    def _renumber(self, keys: Set[tuple[Site | None, int]], step: int) -> None:
        """Takes the writes of some lines out of the step before the one that they turned out to begin."""
        for order in {order for _, order in keys}:
            if order in self._present:
                (_, tapes), present = self._present[order]
                moved = [key for key in present if (key[1], order) in keys]
                self._count_together(self._subjects[order], [key for key in present if key not in moved])
                self._present[order] = (step, tapes), moved

    def _note_consulted(self, variable: Any) -> None:
        self._subject(variable).consulted = True

    def _note_stepped(self, optimizer: Optimizer, moved: Sequence[Any]) -> None:
        key = type(optimizer).__name__, optimizer.site
        made = self._made.get(key)
        if made is None:
            kept = tuple(slot.name for slot in optimizer.rule.start(moved[0]._spec))
            made = self._made[key] = Made(*key, kept)
        number = self._numbered.get(optimizer)
        if number is None:
            made.count += 1
            number = self._numbered[optimizer] = next(self._optimizers)
        made.times += 1
        for variable in moved:
            uid = variable._uid
            if made.last.get(uid) != number:
                made.last[uid] = number
                made.movers[uid] = made.movers.get(uid, 0) + 1

    def _note_new(self, variable: Any) -> None:
        subject = self._subject(variable)
        subject.data = False
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and is_library(frame.f_code):
            # The outermost optimizer on the way from the user's line to the variable has made it for itself.
            if in_folder(frame.f_code, "optimizers") and "self" in frame.f_locals:
                subject.owner = type(frame.f_locals["self"]).__name__
            frame = frame.f_back

    def _note_absent(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            subject = self._subject(variable)
            subject.asked = subject.listed = True
            self._absent[variable._uid] = None

    def _subject(self, variable: Any) -> Subject:
        found = self._subjects.get(variable._uid)
        if found is None:
            found = self._subjects[variable._uid] = Subject(
                called(variable),
                tuple(variable._spec.shape),
                variable._spec.dtype.name,
                variable._trainable,
                variable.site,
                variable._uid,
                flag=flag_of(variable),
                setter=setter_of(variable),
                data=not getattr(variable, "_told", True),
            )
        return found

    def _merge(self, commit: Commit, steps: int) -> None:
        """Adds what a path says to what is known of the variables it was run with, after so many steps."""
        path: PathFacts | None = commit.node.facts.get("check")
        if path is None:
            self.paths += 1
            self._values += commit.node.size
            if self.paths > ALWAYS and self._values > BUDGET:
                self.passed_over += 1
            path = commit.node.facts["check"] = PathFacts(commit, not self.passed_over)
        if commit.reset:
            self._recent.append(replace(commit, writes=[], entries=[], arguments=(), known={}))
        identities = tuple(
            [variable._uid for variable in commit.variables] + [one._uid for _, one in commit.missed]
        )
        if path.merged == identities:
            return
        path.merged = identities
        for index, variable in enumerate(commit.variables):
            subject = self._subject(variable)
            if subject.trainable and not variable._trainable:
                subject.frozen_after = steps
            subject.trainable, subject.dtype = variable._trainable, variable._spec.dtype.name
            if not subject.trainable:
                subject.flag = flag_of(variable)
            subject.read = subject.read or index in path.read
            if index in path.about:
                self._add(subject, path.about[index])
        for variable, fact in missed(commit, self._recent):
            self._add(self._subject(variable), fact)
        self._rebound.update(dict.fromkeys(path.rebound))
        for late in path.stale:
            key = late.site, (late.by, late.written)
            stale = self._stale.setdefault(key, Stale(late.site, late.by, late.written, late.read))
            subject = self._subject(commit.variables[late.variable])
            stale.variables += [subject] if subject not in stale.variables else []
        for barrier in path.barriers:
            self._add_barrier(commit, barrier)
        for term in path.terms:
            self._add_term(commit, term)
        graph = graph_of(commit.node)
        self._requests += len(graph.requests)
        self._whole = self._whole or any(request.implied for request in graph.requests)
        for asked in graph.late:
            for earlier in reversed(self._recent):
                if earlier.node is asked.program:
                    self._merge_late(earlier, asked.request)
                    break

    def _merge_late(self, earlier: Commit, request: Request) -> None:
        """Adds what became of a gradient that was asked for after its step was over."""
        self._requests += 1
        for index, fact in facts(earlier, [request]).items():
            self._add(self._subject(earlier.variables[index]), fact)
        for term in term_facts(earlier, graph_of(earlier.node), [request]):
            self._add_term(earlier, term)

    def _add_barrier(self, commit: Commit, fact: BarrierFact) -> None:
        barrier = self._barriers.get(fact.site)
        if barrier is None:
            barrier = self._barriers[fact.site] = Barrier(fact.site, behind_another=fact.behind_another)
        barrier.computed = barrier.computed or fact.computed
        barrier.behind_another = barrier.behind_another and fact.behind_another
        for names, held in (
            (barrier.blocks, fact.holds),
            (barrier.changes, fact.changes),
            (barrier.restores, fact.restores),
        ):
            found = [self._subject(commit.variables[index]).path for index in held]
            names.extend(name for name in found if name not in names)

    def _add_term(self, commit: Commit, fact: TermFact) -> None:
        key = fact.name, fact.site, fact.twin
        term = self._terms.get(key)
        if term is None:
            term = self._terms[key] = Term(fact.name, fact.site, word=fact.word, cut=fact.cut)
        term.alone = term.alone and fact.alone
        for subjects, held in (
            (term.reaches, fact.reaches),
            (term.unasked, fact.unasked),
            (term.blocked, fact.blocked),
            (term.asked, fact.asked),
        ):
            found = [self._subject(commit.variables[index]) for index in held]
            subjects.extend(one for one in found if one not in subjects)

    def _add(self, subject: Subject, fact: Fact) -> None:
        subject.asked = subject.asked or fact.asked
        subject.found = subject.found or fact.found
        if fact.asked and not fact.found:
            subject.held = subject.held or (fact.gradient == "stopped" and not fact.listed)
            if subject.listed and not fact.listed:
                # What is said of the variable is what has become of the list that names it.
                return
            subject.listed = subject.listed or fact.listed
            subject.where_asked, subject.explanation = fact.site, fact.explanation
        if fact.rank >= subject.rank:
            subject.rank, subject.gradient, subject.cut = fact.rank, fact.gradient, fact.cut

    # -- afterwards -------------------------------------------------------------------------------------

    def report(self, script: str, error: BaseException | None) -> Report:
        """Returns what was found out; `error` is what the program failed with, if it did."""
        conservation = None
        if self._watch is not None:
            self._watch.end()
            conservation = self._watch.conservation
        subjects = _without_twins(sorted(self._subjects.values(), key=lambda subject: subject.order))
        for subject in subjects:
            if not subject.trainable and (not subject.asked or subject.frozen_after is not None):
                subject.gradient, subject.cut = "frozen", None
            elif not subject.gradient:
                subject.gradient = "dead_end" if subject.read else "unused"
        for order, (_, keys) in self._present.items():
            self._count_together(self._subjects[order], keys)
        self._present.clear()
        for term in self._terms.values():
            for held in (term.reaches, term.unasked, term.blocked, term.asked):
                held.sort(key=lambda one: one.order)
            term.unasked = [one for one in term.unasked if one not in term.reaches]
            term.blocked = [one for one in term.blocked if one not in term.reaches + term.unasked]
        barriers = list(self._barriers.values())
        terms = list(self._terms.values())
        skipped = [one for one in self._skipped.values() if one.first is not None]
        seen = Evidence(
            subjects,
            [self._subjects[uid] for uid in self._absent],
            error,
            barriers if self._requests else [],
            terms,
            list(self._made.values()),
            list(self._rebound),
            self._whole,
            conservation,
            skipped,
            list(self._stale.values()),
        )
        found = findings(seen)
        named = {path for one in found for path in one.variables}
        subjects = [one for one in subjects if not one.data or one.asked or one.path in named]
        terms = _without_others(terms, [one for one in subjects if not one.owner])
        return Report(
            script,
            self.steps.count,
            subjects,
            barriers,
            found,
            error,
            self.stopped,
            self.paths,
            terms,
            self.passed_over,
            conservation,
            skipped,
        )


def _without_others(terms: Sequence[Term], subjects: Sequence[Subject]) -> list[Term]:
    """Leaves out of terms what is none of these subjects, and terms that are made of nothing else."""
    kept = {one.order for one in subjects}
    found = []
    for term in terms:
        for held in (term.reaches, term.unasked, term.blocked, term.asked):
            held[:] = [one for one in held if one.order in kept]
        if term.reaches or term.unasked or term.blocked:
            found.append(term)
    return found


def _without_twins(subjects: Sequence[Subject]) -> list[Subject]:
    """Leaves out what was never touched and has the path and line of one that was.

    A variable of a graph and the one that a session holds for it are such twins: to the user, they are one.
    """

    def touched(one: Subject) -> bool:
        return one.read or one.owned or bool(one.writers) or one.where_asked is not None

    used = {(one.path, one.created) for one in subjects if touched(one)}
    return [one for one in subjects if touched(one) or (one.path, one.created) not in used]


def inspect(
    script: str,
    run: Callable[[], BaseException | None],
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
    split: bool = False,
) -> Report:
    """Runs a program under inspection; `run` returns what it failed with. Nothing is left behind."""
    linecache.checkcache(str(Path(script).resolve()))
    with Inspection(limit, progress, split) as inspection:
        error = run()
        late = inspection.finish()
        error = late if error is None else error
        if isinstance(error, Enough) or (isinstance(error, SystemExit) and not error.code):
            error = None
        return inspection.report(script, error)
