"""Watching a whole program: every run is observed, each distinct path analysed once, the rest is counting."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.errors import NoGradientsError
from penstock.flow import explain as explaining
from penstock.flow.explain import Explanation, Home, explain_value
from penstock.flow.graph import Graph, Region, Request
from penstock.flow.reach import FLOWS, judge
from penstock.flow.recorded import graph_of
from penstock.flow.source import called
from penstock.flow.wording import Place, cut_site
from penstock.flow.writes import Steps, writes_of
from penstock.optimizers.optimizer import Optimizer
from penstock.state import variable as creation
from penstock.tiers import plan
from penstock.tiers.plan import Commit
from penstock.trace.recorder import Trace, engine, local
from penstock.trace.site import Site, is_library


RECENT = 16
"""So many runs are remembered, for gradients that are asked for when their step is over."""


CREATION_DEPTH = 12
"""So many callers of a new variable are asked whether they are an optimizer."""


class Enough(BaseException):
    """Ends a program that has made as many steps as it was to be watched for."""


@dataclass(slots=True)
class Writer:
    """One line that writes one variable: how often, and by how much (`total` adds up the norms of the changes)."""

    by: str
    site: Site | None
    terms: tuple[str, ...]
    times: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        """The mean norm of a change."""
        return self.total / self.times


@dataclass(slots=True)
class Subject:
    """What was seen of one variable.

    `read` is true if a value was computed from it while a tape was recording, `found` if a tape gave its
    gradient, `asked` if one was asked for it, `owned` if an optimizer that stepped was given it. `gradient` is
    "flows" or a word of `penstock.Absence`, `cut` the line it is about. `owner` names the optimizer whose own
    state the variable is.
    """

    path: str
    shape: tuple[int, ...]
    dtype: str
    trainable: bool
    created: Site
    order: int
    owner: str = ""
    read: bool = False
    asked: bool = False
    found: bool = False
    owned: bool = False
    gradient: str = ""
    cut: Site | None = None
    where_asked: Site | None = None
    explanation: Explanation | None = None
    writers: dict[tuple[str, Site | None], Writer] = field(default_factory=dict)
    rank: int = -1

    @property
    def bits(self) -> str:
        """The five bits: trainable, read, gradient, owned, written."""
        return " ".join(
            "1" if bit else "0"
            for bit in (self.trainable, self.read, self.found, self.owned, bool(self.writers))
        )


@dataclass(slots=True)
class Barrier:
    """One line with a stop_gradient, and the trainable variables it holds a gradient back from."""

    site: Site | None
    blocks: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """What the barrier does."""
        return "blocks" if self.blocks else "blocks nothing"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that deserves a look. `line` is where it shows, `cause` where it comes from."""

    code: str
    name: str
    severity: str
    variables: tuple[str, ...]
    site: Site | None
    cause: Site | None
    message: str
    fix: str
    explanation: Explanation | None = None


@dataclass(slots=True)
class Report:
    """What a check found out. `error` is what the program itself failed with; `paths` counts distinct paths."""

    script: str
    steps: int
    subjects: list[Subject]
    barriers: list[Barrier]
    findings: list[Finding]
    error: BaseException | None
    stopped: bool
    paths: int

    @property
    def variables(self) -> list[Subject]:
        """The user's own variables, in the order of their creation."""
        return [subject for subject in self.subjects if not subject.owner]

    @property
    def status(self) -> int:
        """The exit status: 0 nothing to say, 1 findings, 2 the program failed."""
        return 2 if self.error is not None else 1 if self.findings else 0


@dataclass(frozen=True, slots=True)
class Fact:
    """What one path says about one of its variables. `rank` orders facts from different paths."""

    rank: int
    gradient: str
    asked: bool
    found: bool
    cut: Site | None
    site: Site | None
    explanation: Explanation | None


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
        explaining.listeners.append(self._note_absent)
        self._run, engine.run = engine.run, self._running
        return self

    def __exit__(self, *exception: object) -> None:
        engine.run = self._run
        explaining.listeners.remove(self._note_absent)
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

    # -- while the program runs ---------------------------------------------------------------------------

    def _running(self, trace: Trace, reset: bool) -> None:
        lost = Commit(trace.node, trace.start, trace.variables, [], reset, trace.entries)
        try:
            self._run(trace, reset)
        except Enough:
            raise
        except BaseException:
            # The step took no effect, but what it would have done can still be told.
            self._merge(lost)
            raise

    def _note(self, commit: Commit) -> None:
        if self.stopped:
            raise Enough
        written = list(writes_of(commit, self.steps))
        if self.limit is not None and self.steps.count > self.limit:
            self.stopped = True
            self.steps.count = self.limit
            raise Enough
        self._merge(commit)
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
        frame = sys._getframe(1)
        for _ in range(CREATION_DEPTH):
            maker = frame.f_locals.get("self")
            if isinstance(maker, Optimizer):
                subject.owner = type(maker).__name__
            if frame.f_back is None or not is_library(frame.f_code):
                return
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
        found.trainable = variable._trainable
        return found

    def _merge(self, commit: Commit) -> None:
        """Adds what a path says to what is known of the variables it was run with."""
        facts: PathFacts | None = commit.node.facts.get("check")
        if facts is None:
            self.paths += 1
            facts = commit.node.facts["check"] = PathFacts(commit)
        if commit.reset:
            self._recent.append(Commit(commit.node, commit.start, commit.variables, [], True, []))
        identities = tuple(variable._uid for variable in commit.variables)
        if facts.merged == identities:
            return
        facts.merged = identities
        for index, variable in enumerate(commit.variables):
            subject = self._subject(variable)
            subject.read = subject.read or index in facts.read
            if index in facts.about:
                self._add(subject, facts.about[index])
        for site, blocked in facts.barriers:
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
        graph = graph_of(earlier.node)
        for index, variable in enumerate(earlier.variables):
            fact = _fact(graph, earlier, index, [request])
            if fact is not None:
                self._add(self._subject(variable), fact)

    def _add(self, subject: Subject, fact: Fact) -> None:
        subject.asked = subject.asked or fact.asked
        subject.found = subject.found or fact.found
        if fact.asked and not fact.found:
            subject.where_asked = fact.site
            subject.explanation = fact.explanation
        if fact.rank >= subject.rank:
            subject.rank, subject.gradient, subject.cut = fact.rank, fact.gradient, fact.cut

    # -- afterwards -----------------------------------------------------------------------------------------

    def report(self, script: str, error: BaseException | None) -> Report:
        """Returns what was found out; `error` is what the program failed with, if it did."""
        for subject in self._subjects.values():
            if not subject.trainable and not subject.asked:
                subject.gradient, subject.cut = "frozen", None
            elif not subject.gradient:
                subject.gradient = "dead_end" if subject.read else "unused"
        subjects = sorted(self._subjects.values(), key=lambda subject: subject.order)
        findings = self._findings(error)
        return Report(
            script,
            self.steps.count,
            subjects,
            list(self._barriers.values()),
            findings,
            error,
            self.stopped,
            self.paths,
        )

    def _findings(self, error: BaseException | None) -> list[Finding]:
        missing = [
            subject
            for subject in self._subjects.values()
            if subject.asked and not subject.found and not subject.owner
        ]
        refused = isinstance(error, NoGradientsError)
        groups: dict[tuple[str, Site | None, Site | None], list[Subject]] = {}
        for subject in missing:
            groups.setdefault((subject.gradient, subject.cut, subject.where_asked), []).append(subject)
        findings = []
        for (reason, cut, site), group in groups.items():
            names = tuple(subject.path for subject in group)
            listed = ", ".join(repr(name) for name in names[:3]) + (
                f" and {len(names) - 3} more" if names[3:] else ""
            )
            explanation = group[0].explanation
            findings.append(
                Finding(
                    "PS101",
                    "missing-gradient",
                    "error" if refused else "warning",
                    names,
                    site,
                    cut,
                    f"A gradient was asked for {listed}, and there is none: {reason}.",
                    explanation.fix
                    if explanation is not None
                    else "Leave it out of the sources, or let it be read.",
                    explanation,
                )
            )
        if refused:
            assert isinstance(error, NoGradientsError)
            findings.append(
                Finding(
                    "PS102",
                    "nothing-to-apply",
                    "error",
                    tuple(self._subjects[uid].path for uid in self._absent if uid in self._subjects),
                    error.site,
                    missing[0].cut if missing else None,
                    "An optimizer was given gradients that are all None, so the step was refused.",
                    "Mend the path that ends at the cause.",
                )
            )
        return findings


class PathFacts:
    """What one path says about its variables, by their numbers: which are read, what became of each gradient.

    `merged` are the identities of the variables these facts were last added to.
    """

    __slots__ = ("about", "barriers", "merged", "read")

    def __init__(self, commit: Commit) -> None:
        graph = graph_of(commit.node)
        self.merged: tuple[int, ...] | None = None
        regions = [tape.region(len(graph.values)) for tape in graph.tapes]
        self.read = {index for index in range(len(commit.variables)) if _is_read(graph, index, regions)}
        self.about = {
            index: fact
            for index in range(len(commit.variables))
            if (fact := _fact(graph, commit, index, graph.requests)) is not None
        }
        self.barriers = [(graph.site(number), _blocked(graph, number, regions)) for number in graph.barriers]


def _is_read(graph: Graph, index: int, regions: Sequence[Region]) -> bool:
    return any(
        graph.events[graph.values[user].event].kind == "operation" and any(r.covers(user) for r in regions)
        for number in graph.versions(index)
        for user in graph.users(number)
    )


def _fact(graph: Graph, commit: Commit, index: int, requests: Sequence[Request]) -> Fact | None:
    """Returns what became of a variable's gradient on a path of which any was asked."""
    numbers = graph.versions(index)
    asked = [
        (request, position)
        for request in requests
        for position, source in enumerate(request.sources)
        if source in numbers
    ]
    for request, position in asked:
        if request.found[position]:
            return Fact(4, FLOWS, True, True, None, request.site, None)
    if asked:
        request, _ = asked[-1]
        target = request.targets[-1] if request.targets else None
        explanation = explain_value(Home(commit), target, commit.variables[index], request)
        return Fact(3, explanation.reason, True, False, explanation.cut, request.site, explanation)
    if not numbers or not requests:
        return None
    request = requests[-1]
    verdict = judge(graph, request.targets, numbers, request.region)
    rank = 2 if verdict.reason == FLOWS else 0 if verdict.reason == "unused" else 1
    home = Place(graph, commit.variables, request.region, -1)
    cut = cut_site(home, verdict.cuts[0]) if verdict.cuts else None
    return Fact(rank, verdict.reason, False, False, cut, request.site, None)


def _blocked(graph: Graph, number: int, regions: Sequence[Region]) -> list[int]:
    """Returns the trainable variables that a barrier holds a gradient back from."""
    around = [region for region in regions if region.covers(number)]
    if graph.requests:
        around = [request.region for request in graph.requests if request.region.covers(number)]
        led_to = graph.ancestors(target for request in graph.requests for target in request.targets)
        if number not in led_to:
            return []
    found: dict[int, None] = {}
    for region in around:
        behind = graph.clear(graph.values[number].inputs, region)
        for leaf in sorted(graph.leaves(region) & behind):
            variable = graph.values[leaf].variable
            if variable is not None:
                found[variable] = None
    return list(found)


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


def user_frames(error: BaseException) -> list[Site]:
    """Returns the user's lines in a traceback, outermost first."""
    sites = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_library(code) and not code.co_filename.startswith("<frozen"):
            sites.append(Site(code.co_filename, traceback.tb_lineno, code.co_name))
        traceback = traceback.tb_next
    return sites


def same_file(file: str, script: str) -> bool:
    """Returns whether two names mean the same file."""
    try:
        return Path(file).resolve() == Path(script).resolve()
    except OSError:
        return file == script


__all__ = ["Inspection", "Report", "inspect", "same_file", "user_frames"]
