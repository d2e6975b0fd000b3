"""The sizes of gradients, changes and values: notes on each variable in the measured steps."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from penstock.flow.report_model import Subject
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class Zero:
    """The reason why a gradient is exactly zero although a path is open.

    `kind` is "factor" (a product with zeros), "mask" (a mask that selects nothing), "dead" (units whose
    inputs are all negative), "saturated" (an activation at its limits), "step" (a step function, which
    `factor` names) or "flat" (another function).
    `operation` is the operation on the user's line, `site`; `factor` describes the zero factor, `waits` names
    the variable, if it is one. `low` and `high` bound the inputs of the function.
    """

    kind: str
    operation: str
    site: Site | None
    factor: str = ""
    waits: int | None = None
    low: float = math.nan
    high: float = math.nan


@dataclass(slots=True, eq=False)
class Size:
    """The sizes of one variable: Euclidean norms of its gradient, and of itself, in the steps measured.

    `times` counts measured gradients, `zeros` those that were exactly zero and `lost` the non-finite ones;
    `sum` adds up the others. `first` and `last` are the first and the last of these; `value` is the norm of
    the variable then, `began` that of the first time, and `values` adds up those of the `sound` times that it
    was finite. `steps` are the steps of the program in which it was measured. `asked` is the requesting line.
    `zero` says why the last one was zero.
    """

    subject: Subject
    asked: Site | None = None
    times: int = 0
    zeros: int = 0
    lost: int = 0
    sum: float = 0.0
    first: float = math.nan
    last: float = math.nan
    value: float = math.nan
    began: float = math.nan
    values: float = 0.0
    sound: int = 0
    steps: set[int] = field(default_factory=set)
    zero: Zero | None = None

    def note(self, step: int, gradient: float, value: float, asked: Site | None) -> None:
        """Adds the norms of a gradient and of the variable in one step."""
        self.times += 1
        self.asked = asked
        self.steps.add(step)
        if math.isfinite(value):
            self.began = value if math.isnan(self.began) else self.began
            self.value = value
            self.values += value
            self.sound += 1
        if not math.isfinite(gradient):
            self.lost += 1
        elif not gradient:
            self.zeros += 1
        else:
            self.sum += gradient
            self.first = gradient if math.isnan(self.first) else self.first
            self.last = gradient

    @property
    def gradient(self) -> float:
        """The mean norm of the finite gradients."""
        finite = self.times - self.lost
        return self.sum / finite if finite else math.nan

    @property
    def mean(self) -> float:
        """The mean norm of the variable, in the steps in which it was finite."""
        return self.values / self.sound if self.sound else math.nan

    @property
    def change(self) -> float:
        """The mean norm of a change, by an optimizer or any other writer."""
        writers = [one for one in self.subject.writers.values() if one.kind == "apply"]
        writers = writers or list(self.subject.writers.values())
        # A measured change stands for those that were only counted since the last one.
        writers = [one for one in writers if one.measured]
        times = sum(one.times for one in writers)
        return sum(one.total for one in writers) / times if times else math.nan

    @property
    def elements(self) -> int:
        """The number of elements of the variable."""
        return math.prod(self.subject.shape)


@dataclass(frozen=True, slots=True)
class NotFinite:
    """The first write of non-finite values by a line, or a gradient that was never finite.

    `value` is the first such number that `by` wrote at `site`; `written` is false if nothing was written.
    `operation` at `origin` is its origin: `source` is "operation", "slope" (its derivative), "data",
    "variable" or "update", and "" if it is unknown. `largest` is the largest of the finite operands. `branch`
    is true for an operation whose result a `where` selects. `since` is the last step in which everything was
    known to be finite, if the step itself is unknown.
    """

    step: int
    by: str
    site: Site | None
    subjects: tuple[Subject, ...]
    value: float
    written: bool = True
    source: str = ""
    operation: str = ""
    origin: Site | None = None
    largest: float = math.nan
    branch: bool = False
    since: int | None = None


@dataclass(slots=True)
class Weighed:
    """The share of a term in its loss, in `times` steps: the `sum` of absolute values, and its last weight.

    `asked` is the line that requested the gradient of the loss. `outer` is the part of the weight that its
    value does not contain yet. `gradients` adds up its shares in the gradients, by numbers of the subjects.
    """

    asked: Site | None
    times: int = 0
    sum: float = 0.0
    weight: float = 1.0
    outer: float = 1.0
    gradients: dict[int, tuple[Subject, float]] = field(default_factory=dict)

    @property
    def mean(self) -> float:
        """The mean of the absolute values."""
        return self.sum / self.times


@dataclass(frozen=True, slots=True)
class Unread:
    """A table with `rows` rows that have not changed since the first update: they were never read."""

    subject: Subject
    rows: int
    of: int


__all__ = ["NotFinite", "Size", "Unread", "Weighed", "Zero"]
