"""Penstock's own recorder as a source: reports every run of the tiers to a sink."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from penstock.flow.aliased import alias_facts
from penstock.flow.asked import Naming
from penstock.flow.collected import Collected
from penstock.flow.conservation import Watch
from penstock.flow.contract_clauses import meant
from penstock.flow.flagged import Flagged
from penstock.flow.flags import is_frozen_by_default, words_of
from penstock.flow.left_out import lists_beside
from penstock.flow.modes import Modes
from penstock.flow.noted import Shared, Unequal, Unkept, Unrun, Untied
from penstock.flow.observed import Enough, Sink, Stepped, Update, Variable
from penstock.flow.recording import Former, Intermediate, Recorded, Recording, recording_of
from penstock.flow.report_model import Conservation, Finding, Skip
from penstock.flow.reruns import Reruns
from penstock.flow.skipped_updates import applications, left_out, scale_of, skip_of
from penstock.flow.slots import Slots
from penstock.flow.strays import way_to
from penstock.flow.successions import Successions
from penstock.flow.ties import Ties
from penstock.flow.weights import means_facts
from penstock.flow.words import NATIVE, PaddleWords
from penstock.flow.writes import writes_of
from penstock.optimizers.optimizer import Optimizer
from penstock.state.members import catch_up, still_read
from penstock.tiers import failures
from penstock.tiers.commits import Commit
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import Site, here, in_folder, is_library, site_of, user_frame
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell
from penstock.trace.tree import Node, tree

_HOLDING = ("__init__", "__call__", "build")
"""Methods of a layer that create variables but do not return them."""


class Recorder:
    """Watches programs that run on Penstock, in its own vocabulary or in that of a dialect.

    `split` splits every write by cause and replays it.
    """

    words = NATIVE
    framework = None
    remarks: Sequence[str] = ()

    def __init__(self, split: bool = False) -> None:
        self._split = split
        self._watch: Watch | None = None
        self._numbers = itertools.count()
        self._naming = Naming()
        self._flagged = Flagged()
        self._successions = Successions()
        self._graphs: dict[Any, tuple[Callable[[Any], Any], dict[Any, Former]]] = {}
        self._optimizers: WeakKeyDictionary[Optimizer, Stepped] = WeakKeyDictionary()

    @property
    def conservation(self) -> Conservation | None:
        """The result of replaying the writes, if they are split."""
        return self._watch.conservation if self._watch is not None else None

    def start(self, sink: Sink) -> None:
        """Begins to report runs to a sink."""
        self._sink = sink
        self._slots = Slots(sink)
        self._modes = Modes(sink)
        self._collected = Collected(sink)
        self._ties: Ties[Former] = Ties()
        self._watch = Watch(sink.subject) if self._split else None
        pending = self._modes.waiting, self._successions.waiting, self._collected.waiting
        self._reruns = Reruns(sink, self._watch, pending)
        with ExitStack() as joined:
            for observers, function in (
                (engine.commits, self._note),
                (engine.passes, self._reruns.foresee),
                (engine.failures, self._note_failed),
                (engine.creations, self._note_new),
                (engine.consultations, self._note_consulted),
                (engine.applications, self._note_stepped),
                (engine.absences, self._note_absent),
                (engine.questions, self._note_asked),
                (engine.slots, self._note_slots),
                (engine.misplacements, self._note_misplaced),
                (engine.placements, self._note_placed),
                (engine.plans, self._note_planned),
                (engine.switches, self._note_switched),
                (engine.unkept, self._note_unkept),
            ):
                joined.enter_context(observers.joined_by(function))
            self._joined = joined.pop_all()

    def stop(self) -> None:
        """Stops reporting, and leaves nothing behind."""
        self._joined.close()

    def finish(self) -> BaseException | None:
        """Runs the program's pending operations; returns their error, if they failed."""
        trace = local.trace
        if self._sink.stopped:
            failures.abandon(trace)
            return None
        try:
            if trace.node.depth:
                trace.run(True)
        except Enough:
            failures.abandon(trace)
        except Exception as error:
            return error
        return None

    def end(self) -> None:
        """Reports the remaining facts, and compares all variables once more with the record."""
        self._reruns.look()
        replaced = self._successions.take()
        if replaced and not self._sink.stopped:
            with suppress(Enough):
                self._sink.passed(Recording(Commit(tree.root, tree.root, [], [], True, [], (), {})), replaced)
        if self._watch is not None:
            self._watch.end()
        for (line, first), (other, second), *_ in self._ties.broken():
            fact = Untied((first.path, second.path), line, other)
            self._sink.noted(fact, [first, second])
        for site, variable in self._flagged.told():
            self._sink.misplaced(site, [variable])
        self._slots.end()
        self._modes.end()
        self._collected.end()
        # It is unknown what a program that was stopped early would have run.
        for graph, (unrun, known) in self._graphs.items() if not self._sink.stopped else ():
            for by, site, variables in unrun(graph):
                self._sink.noted(Unrun(by, site), [known[one] for one in variables if one in known])
        self._graphs.clear()

    def is_meant(self, finding: Finding) -> bool:
        """Returns whether a contract allows a finding."""
        return meant(finding)

    def _note_failed(self, lost: Commit, error: BaseException) -> None:
        if not self._sink.stopped and not isinstance(error, Enough):
            self._sink.failed(Recording(lost))

    def _note(self, commit: Commit) -> None:
        sink = self._sink
        self._reruns.look()
        if sink.stopped:
            # The sink ends the program, or lets it run on.
            sink.passed(Recording(commit))
            return
        if self._watch is not None:
            self._watch.open(commit, sink.steps.count)
        written = list(writes_of(commit))
        updates = [_Application(commit, node) for node in applications(commit)]
        replaced = self._successions.take()
        passage = Recording(commit)
        self._flagged.passed(local.trace, commit)
        facts = passage.facts
        if "states" not in facts:
            # Once for each path, whatever is bound to it.
            self._judge(passage)
        if facts["states"] or self._modes.waiting:
            self._modes.passed(passage, commit.reset)
        writers = sink.passed(passage, [*written, *replaced], updates)
        collects = self._collected.passed(passage, commit)
        alone = commit.reset and not (commit.start.depth or commit.missed or collects)
        if alone and not (updates or replaced or facts["states"] or passage.graph.late):
            self._reruns.note(commit, passage, written)
        if self._watch is not None:
            self._watch.close(commit, written, writers[: len(written)], sink.steps.count)
        catch_up()

    def _judge(self, passage: Recording) -> None:
        """Notes the facts of a path on aliases, and on means that are added up."""
        graph = passage.graph
        passage.facts["states"] = [
            (write.variable, write.event) for write in graph.writes if write.terms == ("state",)
        ]
        groups: dict[tuple[str, str, Site], list[Variable]] = {}
        for one in alias_facts(graph):
            key = one.first, one.second, one.site
            groups.setdefault(key, []).append(passage.variables[one.variable])
        for (first, second, site), held in groups.items():
            self._sink.noted(Shared((first, second), tuple([one.path for one in held]), site), held)
        for mean in means_facts(graph):
            counts = passage.values(mean.counts) or {}
            fact = Unequal(mean.site, tuple([int(np.asarray(value)) for value in counts.values()]))
            if len(set(fact.counts)) > 1:
                self._sink.noted(fact, [passage.variables[mean.variable]])

    def _note_new(self, variable: Any) -> None:
        # The latest run may hold variables that are otherwise dead.
        self._reruns.look()
        owner, returned = "", True
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and is_library(frame.f_code):
            code = frame.f_code
            made = frame.f_locals["self"] if code.co_name in _HOLDING and "self" in frame.f_locals else None
            # The variable is state of the outermost optimizer between the user's line and here.
            if in_folder(code, "optimizers") and "self" in frame.f_locals:
                owner = type(frame.f_locals["self"]).__name__
            returned = returned and (made is None or made is variable)
            frame = frame.f_back
        self._sink.created(Recorded(variable), owner, returned)

    def _note_consulted(self, variable: Any) -> None:
        self._sink.consulted(Recorded(variable))

    def _note_stepped(self, optimizer: Optimizer, moved: Sequence[Any]) -> None:
        if self._sink.stopped:
            return
        self._collected.stepped()
        stepped = self._optimizers.get(optimizer)
        new = stepped is None
        if stepped is None:
            state = tuple(slot.name for slot in optimizer.rule.start(moved[0]._spec))
            given = optimizer.learning_rate
            rate = float(given) if isinstance(given, int | float) else None
            stepped = Stepped(next(self._numbers), type(optimizer).__name__, optimizer.site, state, rate)
            self._optimizers[optimizer] = stepped
        held = [Recorded(variable) for variable in optimizer._holds()]
        if new and held:
            numbers = {one.uid for one in held}
            for fact, variables in lists_beside(optimizer.site, user_frame(1), numbers):
                self._sink.noted(fact, [Recorded(one) for one in variables])
        if held:
            self._slots.held(held)
        self._sink.stepped(stepped, [variable._uid for variable in moved], held)

    def _note_slots(self, what: str, frame: FrameType, by: str, variables: Sequence[Any]) -> None:
        if self._sink.stopped or (what == "read" and is_library(frame.f_code)):
            return
        if what == "read":
            # Data with a gradient are not variables: the pass was made for them.
            self._slots.read([Recorded(one) for one in variables if isinstance(one, Cell)])
            return
        while is_library(frame.f_code) and frame.f_back is not None:
            frame = frame.f_back
        if what in ("schedule made", "schedule stepped", "scheduled"):
            self._note_schedule(what, site_of(frame), by, variables[0])
            return
        site, held = site_of(frame), [Recorded(variable) for variable in variables]
        if what == "left":
            still_read(variables)
            self._collected.asked(local.trace.node.depth, frame)
            self._modes.left(site, held)
            self._slots.left(site, held, way_to(frame), self._modes.infers(held))
        elif what == "applied":
            self._slots.applied(by, site, held, way_to(frame))
        elif what == "clipped":
            self._slots.clipped(site, held)
        elif what == "empty":
            self._slots.emptied(by, site, held)
        else:
            self._slots.cleared(site, held)

    def _note_schedule(self, what: str, site: Site, by: str, schedule: Any) -> None:
        schedules = self._slots.schedules
        if what == "schedule made":
            own = type(schedule).__module__.startswith("penstock.")
            schedules.made(schedule, schedule, site, own)
        elif what == "scheduled":
            schedules.updated(schedule, by, site)
        else:
            schedules.step(schedule, site)

    def _note_misplaced(self, frame: FrameType, key: str, variables: Sequence[Any]) -> None:
        if not key:
            for tensor in variables:
                self._flagged.note(site_of(frame), tensor)
            return
        self._sink.misplaced(site_of(frame), [Recorded(variable) for variable in variables], key)

    def _note_placed(self, layer: Any, name: str, variable: Any) -> None:
        self._ties.put(layer, name, variable, Former, here())

    def _note_planned(self, graph: Any, unrun: Callable[[Any], Any], cells: Mapping[Any, Any]) -> None:
        self._collected.fetches = True
        known = self._graphs.setdefault(graph, (unrun, {}))[1]
        known.update({variable: Former(cell) for variable, cell in cells.items() if variable not in known})

    def _note_unkept(self, tensor: Any, frame: FrameType) -> None:
        home = recording_of(tensor)
        if self._sink.stopped or home is None or is_library(frame.f_code):
            return
        graph = home.graph
        made = graph.site(tensor._slot)
        if made is not None and any(tensor._slot in graph.ancestors(one.targets) for one in graph.requests):
            fact = Unkept(made, site_of(frame))
            self._sink.noted(fact, [Intermediate(tensor, made, graph.words)])

    def _note_switched(
        self, layers: Sequence[tuple[bool, Sequence[Any]]], training: bool, frame: FrameType
    ) -> None:
        self._modes.switched(layers, training, site_of(frame))

    def _note_asked(
        self, sources: Any, frame: FrameType, arguments: Sequence[tuple[str, Any]] | None = None
    ) -> None:
        """Notes the sources, besides variables, of the gradient that was recorded last."""
        trace: Any = local.trace
        if type(trace) is not Trace or trace.nested is not None:
            return
        self._collected.asked(trace.node.depth, frame)
        if is_library(frame.f_code):
            return
        missed: list[Any] = trace.missed
        given = flat([leaf for _, leaf in arguments or ()])
        for one in self._naming.asked(sources, site_of(frame), arguments):
            missed.append((trace.node.depth, one))
            if given:
                self._successions.note(one, trace.node.depth - 1, given[one.position])

    def _note_absent(self, variables: Sequence[Any]) -> None:
        self._sink.absent([Recorded(one) for one in variables if not _is_passed_over(one)])


def _is_passed_over(variable: Any) -> bool:
    """Returns whether optimizers skip a variable because the program has frozen it."""
    frozen = isinstance(words_of(variable), PaddleWords) and not variable._trainable
    return frozen and not is_frozen_by_default(variable)


class _Application(Update):
    """An update that a run has made or skipped."""

    __slots__ = ("by", "commit", "event", "node", "site")

    def __init__(self, commit: Commit, node: Node) -> None:
        assert node.event is not None
        self.commit, self.node = commit, node
        self.by, self.site, self.event = node.event.details["by"], node.event.site, node.depth - 1

    def left_out(self) -> bool | None:
        return left_out(self.commit, self.node)

    def skip(self, step: int) -> Skip | None:
        return skip_of(self.commit, self.node, step)

    def scale(self) -> tuple[float, float] | None:
        return scale_of(self.commit, self.node)[1]

    def moved(self) -> Sequence[Variable]:
        assert self.node.event is not None
        details = self.node.event.details
        return [
            Recorded(self.commit.variables[details["variables"][pair.position]])
            for pair in details["application"].pairs
        ]


__all__ = ["Recorder"]
