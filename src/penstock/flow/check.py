"""Watching a whole program: every run is observed, each distinct path analysed once, the rest is counting."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

from penstock.flow import answers
from penstock.flow.findings import findings
from penstock.flow.graph import Request
from penstock.flow.paths import Fact, PathFacts, facts
from penstock.flow.recorded import graph_of
from penstock.flow.seen import Barrier, Report, Subject, Writer
from penstock.flow.source import called
from penstock.flow.writes import Steps, writes_of
from penstock.state import variable as creation
from penstock.tiers import plan
from penstock.tiers.plan import Commit
from penstock.trace.recorder import Trace, engine, local
from penstock.trace.site import Site, in_folder, is_library

RECENT = 16
"""So many runs are remembered, for gradients that are asked for when their step is over."""


class Enough(BaseException):
    """Ends a program that has made as many steps as it was to be watched for."""


class Inspection:
    """Watches a program while it runs. Use it in a `with` statement, then ask for `report`.

    `limit` ends the program, by raising Enough, before step limit + 1 takes effect. `progress` is called with
    the number of steps after each run.
    """

    def __init__(self, limit: int | None = None, progress: Callable[[int], None] | None = None) -> None:
        self.steps = Steps()
        self.limit = limit
        self.stopped = False
        self.paths = 0
        self._progress = progress
        self._subjects: dict[int, Subject] = {}
        self._barriers: dict[Site | None, Barrier] = {}
        self._absent: dict[int, None] = {}
        self._recent: deque[Commit] = deque(maxlen=RECENT)
        self._run = engine.run

    def __enter__(self) -> Inspection:
        plan.observers.append(self._note)
        creation.created.append(self._note_new)
        answers.listeners.append(self._note_absent)
        self._run, engine.run = engine.run, self._running
        return self

    def __exit__(self, *exception: object) -> None:
        engine.run = self._run
        answers.listeners.remove(self._note_absent)
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
        lost = Commit(trace.node, trace.start, trace.variables, [], reset, trace.entries, (), {})
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
        written = list(writes_of(commit, self.steps))
        if self.limit is not None and self.steps.count > self.limit:
            self.stopped = True
            self.steps.count = self.limit
            raise Enough
        self._merge(commit, steps)
        for one in written:
            subject = self._subject(one.variable)
            key = (one.event.name, one.event.site)
            writer = subject.writers.get(key)
            if writer is None:
                writer = subject.writers[key] = Writer(one.event.name, one.event.site, one.write.terms)
            writer.times += 1
            writer.total += one.change
            if one.event.kind == "apply":
                subject.owned = not one.write.own
                if one.write.own:
                    subject.owner = one.event.name
        if self._progress is not None:
            self._progress(self.steps.count)

    def _note_new(self, variable: Any) -> None:
        subject = self._subject(variable)
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and is_library(frame.f_code):
            # The outermost optimizer on the way from the user's line to the variable has made it for itself.
            if in_folder(frame.f_code, "optimizers") and "self" in frame.f_locals:
                subject.owner = type(frame.f_locals["self"]).__name__
            frame = frame.f_back

    def _note_absent(self, variables: Sequence[Any]) -> None:
        for variable in variables:
            self._subject(variable).asked = True
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
            )
        return found

    def _merge(self, commit: Commit, steps: int) -> None:
        """Adds what a path says to what is known of the variables it was run with, after so many steps."""
        path: PathFacts | None = commit.node.facts.get("check")
        if path is None:
            self.paths += 1
            path = commit.node.facts["check"] = PathFacts(commit)
        if commit.reset:
            self._recent.append(replace(commit, writes=[], entries=[], arguments=(), known={}))
        identities = tuple(variable._uid for variable in commit.variables)
        if path.merged == identities:
            return
        path.merged = identities
        for index, variable in enumerate(commit.variables):
            subject = self._subject(variable)
            if subject.trainable and not variable._trainable:
                subject.frozen_after = steps
            subject.trainable = variable._trainable
            subject.read = subject.read or index in path.read
            if index in path.about:
                self._add(subject, path.about[index])
        for site, blocked in path.barriers:
            barrier = self._barriers.setdefault(site, Barrier(site))
            names = [self._subject(commit.variables[index]).path for index in blocked]
            barrier.blocks.extend(name for name in names if name not in barrier.blocks)
        for late in graph_of(commit.node).late:
            for earlier in reversed(self._recent):
                if earlier.node is late.program:
                    self._merge_late(earlier, late.request)
                    break

    def _merge_late(self, earlier: Commit, request: Request) -> None:
        """Adds what became of a gradient that was asked for after its step was over."""
        for index, fact in facts(earlier, [request]).items():
            self._add(self._subject(earlier.variables[index]), fact)

    def _add(self, subject: Subject, fact: Fact) -> None:
        subject.asked = subject.asked or fact.asked
        subject.found = subject.found or fact.found
        if fact.asked and not fact.found:
            subject.where_asked, subject.explanation = fact.site, fact.explanation
        if fact.rank >= subject.rank:
            subject.rank, subject.gradient, subject.cut = fact.rank, fact.gradient, fact.cut

    # -- afterwards -------------------------------------------------------------------------------------

    def report(self, script: str, error: BaseException | None) -> Report:
        """Returns what was found out; `error` is what the program failed with, if it did."""
        subjects = sorted(self._subjects.values(), key=lambda subject: subject.order)
        for subject in subjects:
            if not subject.trainable and (not subject.asked or subject.frozen_after is not None):
                subject.gradient, subject.cut = "frozen", None
            elif not subject.gradient:
                subject.gradient = "dead_end" if subject.read else "unused"
        absent = [self._subjects[uid] for uid in self._absent]
        found = findings(subjects, absent, error)
        barriers = list(self._barriers.values())
        return Report(script, self.steps.count, subjects, barriers, found, error, self.stopped, self.paths)


def inspect(
    script: str,
    run: Callable[[], BaseException | None],
    limit: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Runs a program under inspection; `run` returns what it failed with. Nothing is left behind."""
    with Inspection(limit, progress) as inspection:
        error = run()
        late = inspection.finish()
        error = late if error is None else error
        if isinstance(error, Enough) or (isinstance(error, SystemExit) and not error.code):
            error = None
        return inspection.report(script, error)
