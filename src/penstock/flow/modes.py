"""The modes of layers in a program on Penstock: the lines that switch them, and the mode of each pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penstock.flow.measured import MeasuredFact, measured_facts, trained_data
from penstock.flow.noted import Inferring, Measured
from penstock.flow.observed import Sink, Variable
from penstock.flow.recording import Former, Recording
from penstock.trace.source_site import Site

OFTEN = 2
"""This many passes in a row are no exception."""
KEPT = 256
"""How many batches of training data are remembered."""
FEW = 64
"""How many elements are compared to recognize data."""


@dataclass(slots=True)
class _Mode:
    """The latest switch of a variable's layer: its line, and whether others were switched with it."""

    training: bool
    site: Site | None
    whole: bool


@dataclass(slots=True)
class _Course:
    """The passes that gave a variable gradients: whether the first ran in training mode, and the others."""

    variable: Variable
    begun: bool = False
    inferring: int = 0
    fact: Inferring | None = None


@dataclass(slots=True)
class _Pending:
    fact: MeasuredFact
    held: list[Variable]
    switched: Site | None
    data: set[Any] = field(default_factory=set)


class Modes:
    """Notes passes that evaluate in training mode, and passes that go on training in inference mode.

    `waiting` are passes that seem to evaluate but may still turn out to train, by their program.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._of: dict[int, _Mode] = {}
        self._courses: dict[int, _Course] = {}
        self._begun: set[int] = set()
        self._lines: set[Site | None] = set()
        self._as_written: dict[int, _Mode | None] = {}
        self.waiting: dict[Any, list[_Pending]] = {}
        self._trained: dict[Any, None] = {}

    # -- switches ----------------------------------------------------------------------------------------

    def switched(
        self, layers: Sequence[tuple[bool, Sequence[Any]]], training: bool, site: Site | None
    ) -> None:
        """Notes a line that has switched layers.

        Each comes with whether the mode changes what it computes, and with its variables.
        """
        varied = any(matters for matters, _ in layers)
        whole = sum(bool(variables) for _, variables in layers) > 1
        for _, variables in layers:
            for variable in variables:
                self._of[variable._uid] = _Mode(training, site, whole and varied)

    def left(self, site: Site | None, variables: Sequence[Variable]) -> None:
        """Notes a backward pass that has given gradients to variables."""
        if not self._of:
            if site not in self._lines:
                self._lines.add(site)
                self._begun.update([variable.uid for variable in variables])
            return
        for variable in variables:
            mode = self._of.get(variable.uid)
            inferring = mode is not None and not mode.training and mode.whole
            course = self._courses.get(variable.uid)
            if course is None:
                begun = variable.uid in self._begun or not inferring
                course = self._courses[variable.uid] = _Course(variable, begun)
            course.inferring = course.inferring + 1 if inferring else 0
            if inferring and mode is not None:
                course.fact = Inferring(site, mode.site)

    def infers(self, variables: Sequence[Variable]) -> bool:
        """Returns whether one of these belongs to a model that was put into inference mode."""
        found = (self._of.get(one.uid) for one in variables) if self._of else ()
        return any(mode is not None and not mode.training and mode.whole for mode in found)

    # -- passes ------------------------------------------------------------------------------------------

    def passed(self, passage: Recording, ends: bool) -> None:
        """Notes a run of the program; its measurements are known when it `ends` the step."""
        graph = passage.graph
        for late in graph.late:
            self.waiting.pop(late.program, None)
        states = passage.facts["states"]
        if not states:
            return
        if self._of:
            begins = passage.begins
            for variable, event in states:
                if event >= begins:
                    uid = passage.variables[variable].uid
                    self._as_written[uid] = self._of.get(uid)
        if len(self._trained) < KEPT:
            entries = passage.facts.get("trained data")
            if entries is None:
                entries = passage.facts["trained data"] = trained_data(graph)
            self._trained.update([(_few(passage.entry(entry)), None) for entry in entries])
        if not ends:
            return
        facts = passage.facts.get("unmeant state")
        if facts is None:
            facts = passage.facts["unmeant state"] = measured_facts(graph)
        held = self.waiting.setdefault(passage.program, []) if facts else []
        for fact in facts:
            variables = [Former(passage.owner.variables[index]) for index in fact.variables]
            modes = [self._as_written.get(one.uid) for one in variables]
            mode = next((one for one in modes if one is not None), None)
            switched = mode.site if mode is not None and mode.training else None
            data = {_few(passage.entry(entry)) for entry in fact.data}
            if not any(one.fact == fact and one.data == data for one in held):
                held.append(_Pending(fact, list(variables), switched, data))
            del held[:-FEW]

    def end(self) -> None:
        """Reports facts that are known only at the end."""
        for one in (one for held in self.waiting.values() for one in held):
            again = bool(one.data) and one.data <= self._trained.keys()
            # A pass on training data may be reported late, when the mode has changed.
            switched = None if again else one.switched
            self._sink.noted(Measured(one.fact.site, one.fact.looked, switched, again), one.held)
        self.waiting.clear()
        for course in self._courses.values():
            if course.begun and course.inferring >= OFTEN and course.fact is not None:
                self._sink.noted(course.fact, [course.variable])


def _few(tensor: Any) -> Any:
    """Returns a few numbers of data, to recognize it later."""
    value = getattr(tensor, "_value", None)
    if value is None:
        return id(tensor)
    flat = np.asarray(value).reshape(-1)
    return (flat.size, flat[:: max(flat.size // FEW, 1)].tobytes())


__all__ = ["Modes"]
