"""The observations of a check: variables with their writers, terms, barriers, optimizers, in one report."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.flow.explanation import Explanation
from penstock.flow.spans import Gone
from penstock.flow.words import NATIVE, Words
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.flow.clips import Clip
    from penstock.flow.sizes import Size, Unread

CAUSES = (
    "gradient", "scale", "momentum", "clip", "decay", "assign", "state", "load", "constraint", "rounding",
)  # fmt: skip
"""Causes that may move a variable, in the order of the report."""

Key = tuple[str, Site | None]
"""The key of a variable's writer: name and line."""


@dataclass(slots=True)
class Writer:
    """One line that writes one variable: how often, and by how much: `sum` adds up `measured` norms.

    `kind` is that of the event: "write" or "apply". Of large variables not every change is measured. `parts`
    adds up, over `split` writes, the norms of the change by each cause, if requested. `made` is the line that
    created the optimizer. `frozen` of its writes moved a frozen variable, by `frozen_sum` altogether; `idle`
    of them are known to have changed nothing; `undone` of them were undone in the same step, or undid another
    one. `settling` says that repeating the last examined write would change nothing. `last` is the step of
    the latest. `stood_for` counts changes that were not measured: `sum` has another one in place of each.
    `least` says that it may have written more often than `times`. `first` is the norm of the first measured
    change, and `most` that of the largest. `looked` of them had been made at the latest measurement, which
    was `recent`.
    """

    by: str
    site: Site | None
    terms: tuple[str, ...]
    times: int = 0
    sum: float = 0.0
    measured: int = 0
    kind: str = "write"
    parts: dict[str, float] = field(default_factory=dict)
    split: int = 0
    made: Site | None = None
    frozen: int = 0
    frozen_sum: float = 0.0
    idle: int = 0
    undone: int = 0
    settling: bool = False
    last: int = 0
    least: bool = False
    stood_for: int = 0
    first: float = math.nan
    most: float = 0.0
    looked: int = 0
    recent: float = math.nan

    def note(self, change: float, weight: int = 1) -> None:
        """Adds the norm of a change, which counts for this many writes."""
        if not self.measured:
            self.first = change
        self.measured += 1
        # Assume that changes between two measured ones are between them in size.
        before = self.recent if self.measured > 1 else change
        self.stood_for += weight - 1
        self.sum += change + (weight - 1) * (before + change) / 2
        self.recent = change
        if change > self.most:
            self.most = change

    @property
    def means(self) -> dict[str, float]:
        """The mean norm of the change by each cause; empty if it was not requested."""
        return {cause: self.parts[cause] / self.split for cause in CAUSES if cause in self.parts}

    def said(self, times: int) -> str:
        """Returns a count of writes as a reader would write it: "4", or ">=4" if there may have been more."""
        return f">={times}" if self.least else str(times)

    @property
    def mean(self) -> float:
        """The mean norm of a change."""
        if not self.measured:
            return math.nan
        told = self.measured + self.stood_for
        # Assume that changes after the last measured one are like it.
        since = self.times - self.looked if self.looked else 0
        return (self.sum + since * self.recent) / (told + since) if since else self.sum / told

    @property
    def total(self) -> float:
        """The sum of the norms of all changes, an estimate unless every one was measured."""
        return self.sum if self.measured + self.stood_for == self.times else self.mean * self.times


@dataclass(slots=True, eq=False)
class Subject:
    """The observations of one variable.

    `read` is true if a value was computed from it while a tape was recording, `found` if a tape gave its
    gradient, `asked` if its gradient was requested, `owned` if it was given to an optimizer that has stepped.
    `gradient` is "flows", "zero" (PS406) or a word of `penstock.Absence`, `cut` the line it is about; `rank`
    is the weight of that fact. `where_found` is the line that requested the existing gradient. `owner` names
    the optimizer whose own state the variable is. `frozen_after` is the number of steps after which it was
    frozen, if it was, `freed_after` the same for when it was unfrozen, and `trained_last` the last step in
    which an optimizer wrote it while it was not frozen; `consulted` is true if the program has read
    `trainable`. `together` counts, for each pair of writers, the steps in which both wrote it. `flag` says in
    the `words` of the user's framework that it is frozen. `listed` is true if a line that got no gradient has
    named it; `held` if a line that requested all variables got no gradient for it because a barrier comes
    before it. `data` is true for a tensor that the program only reads; `graded` for a variable whose gradient
    a backward pass has left for an optimizer, `alone` if that pass has given no gradient to any optimizer's
    variable. `replaced`, `unregistered`, `statistic`, `given`, `by_hand` and `returned` are those of
    `flow.observed.Variable`; `settings` too, as they were at its first use. `once_frozen` is true if it was
    frozen during some step, `frozen_at` the line that froze it after its creation, `beside` if its gradient
    came together with that of an optimizer's variable, `onward` if a loss passes through it to such a
    variable without a request for its own gradient. `fed` says that a line of the program writes it with
    inputs other than itself, `elsewhere` that the program uses it where no gradient is requested. `gone` says
    since when its gradient has been missing, `emptied` which line has updated it by zeros since the last
    backward pass that reached it, how often, and whether these are known to have moved it. `taken` and
    `follows` have the other variable from which a line writes this one, the first only if a graph shows it;
    `among` are all observed variables.
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
    where_found: Site | None = None
    explanation: Explanation | None = None
    writers: dict[tuple[str, Site | None], Writer] = field(default_factory=dict)
    rank: int = -1
    frozen_after: int | None = None
    freed_after: int | None = None
    trained_last: int = 0
    consulted: bool = False
    together: dict[tuple[Key, Key], int] = field(default_factory=dict)
    flag: str = "trainable is False"
    words: Words = NATIVE
    listed: bool = False
    held: bool = False
    data: bool = False
    graded: bool = False
    alone: bool = False
    replaced: Site | None = None
    unregistered: str = ""
    statistic: bool = False
    given: bool = False
    settings: Sequence[tuple[bool, Site | None]] = ()
    once_frozen: bool = False
    frozen_at: Site | None = None
    by_hand: bool = False
    beside: bool = False
    onward: bool = False
    gone: Gone | None = None
    emptied: tuple[Key, int, bool] | None = None
    returned: bool = True
    fed: bool = False
    elsewhere: bool = False
    descended: set[Key] = field(default_factory=set, repr=False)
    taken: dict[Key, Taken] = field(default_factory=dict, repr=False)
    follows: dict[Key, Taken] = field(default_factory=dict, repr=False)
    among: Sequence[Subject] = field(default=(), repr=False)

    @property
    def bits(self) -> str:
        """The five bits: trainable, read, gradient, owned, written."""
        bits = (self.trainable, self.read, self.found, self.owned, bool(self.writers))
        return " ".join("1" if bit else "0" for bit in bits)


@dataclass(frozen=True, slots=True)
class Taken:
    """The variable from which a line writes another: `whole` if it is copied, otherwise it is mixed in."""

    source: Subject
    whole: bool


@dataclass(slots=True)
class Barrier:
    """One line with a stop_gradient, and the trainable variables and tensors it holds a gradient back from.

    Without it, variables in `changes` would have a different gradient, and those in `restores` would have one
    at all. `behind_another` is true if no gradient ever arrived at it, `computed` if its operand is computed
    from a variable or by an earlier step, whether a tape has recorded that or not.
    """

    site: Site | None
    blocks: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    restores: list[str] = field(default_factory=list)
    behind_another: bool = False
    computed: bool = False
    words: Words = NATIVE

    @property
    def verdict(self) -> str:
        """The effect of the barrier."""
        return "blocks" if self.blocks else "blocks nothing"


@dataclass(slots=True)
class Term:
    """One term of a loss: the variables it trains, those without a request, those it cannot reach.

    `word` and `cut` say what stops it, for the first of these. `asked` are the variables whose gradient of
    the loss was requested; `alone` is true for a loss that is not a sum. `weight` is the latest factor of the
    term, and `share` its average part of the loss, by absolute values; nan if it was not measured.
    `gradients` has the mean norm of its share in the gradient of each variable.
    """

    name: str
    site: Site | None
    reaches: list[Subject] = field(default_factory=list)
    unasked: list[Subject] = field(default_factory=list)
    blocked: list[Subject] = field(default_factory=list)
    asked: list[Subject] = field(default_factory=list)
    word: str = ""
    cut: Site | None = None
    alone: bool = True
    words: Words = NATIVE
    weight: float = math.nan
    share: float = math.nan
    gradients: list[tuple[Subject, float]] = field(default_factory=list)


@dataclass(slots=True)
class Made:
    """The optimizers that one line has created: how many have stepped, and how many moved each variable.

    `state` names what each of them keeps; `last` is the one that moved a variable last, `movers` counts those
    that took over a variable from another of the line, including the first. `shared` are the variables that
    several of them move in turns: each of these optimizers is kept. `alike` are the first variables that the
    last one moved: an optimizer that moves others is not its successor. `rates` are their learning rates.
    `latest` is the number of the one that stepped last, with its variables.
    """

    by: str
    site: Site | None
    state: tuple[str, ...]
    count: int = 0
    movers: dict[int, int] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)
    times: int = 0
    shared: set[int] = field(default_factory=set)
    alike: frozenset[int] = frozenset()
    rates: set[float | None] = field(default_factory=set)
    latest: tuple[int, Sequence[int]] | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """An update that changed nothing, because a gradient contained non-finite numbers.

    `by` is the optimizer and `site` its line. `variables` are those whose gradients were not finite, `value`
    is the first such number. `cause` is the first operation of the step that computed one from finite numbers
    (or the data or variable that contained one), with `origin`, its line. `scale` is the loss scale before
    and after the step, or None without a dynamic scale; `scaled` is true if the gradients are finite with a
    scale of 1.
    """

    step: int
    by: str
    site: Site | None
    variables: tuple[str, ...]
    value: float
    cause: str
    origin: Site | None
    scale: tuple[float, float] | None
    scaled: bool = False

    @property
    def reason(self) -> str:
        """The reason why it was skipped, in words."""
        first, others = self.variables[0], len(self.variables) - 1
        more = f" and {others} more" if others else ""
        text = f"the gradient of {first!r}{more} was not finite ({self.value}). "
        text += f"First not finite: {self.cause} at {self.origin}."
        if self.scale is not None:
            text += f" The loss scale went from {self.scale[0]:g} to {self.scale[1]:g}."
        return text

    def __str__(self) -> str:
        return f"Step {self.step} of {self.by} at {self.site} was skipped: {self.reason}"


RANGES, ORIGINS = 4, 3
"""How many stretches of skipped steps are listed, and how many operations that caused them."""


@dataclass(slots=True)
class Skipped:
    """The skipped updates of one line: those of `steps`, out of `times` updates.

    `first` describes the non-finite gradient in the first of them; `origins` counts, in words, the first
    non-finite values, where they were looked up. `scale` is the loss scale before the first and after the
    last; None without a dynamic one. `moved` are the variables that the line should update.
    """

    by: str
    site: Site | None
    times: int = 0
    first: Skip | None = None
    steps: list[int] = field(default_factory=list)
    origins: dict[str, int] = field(default_factory=dict)
    scale: tuple[float, float] | None = None
    moved: dict[int, Subject] = field(default_factory=dict)

    @property
    def always(self) -> bool:
        """Whether no update of the line was made."""
        return len(self.steps) == self.times

    @property
    def said(self) -> str:
        """A few sentences that describe it."""
        assert self.first is not None
        count = len(self.steps)
        text = f"{count} of {self.times} updates by {self.by} were skipped "
        if self.always:
            text = f"all {count} updates by {self.by} were skipped "
            text = text if count > 1 else f"the one update by {self.by} was skipped "
        value, paths = self.first.value, self.first.variables
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        text += f"(step{'s' * (count > 1)} {ranges(self.steps)}): the gradient of {paths[0]!r}{more} was not "
        text += f"finite ({value}). First not finite: "
        told = [f"{what} ({many} times)" if many > 1 else what for what, many in self.origins.items()]
        text += "; ".join(told[:ORIGINS]) + ("; ..." if len(told) > ORIGINS else "") + "."
        if self.scale is not None:
            text += f" The loss scale went from {self.scale[0]:g} to {self.scale[1]:g}."
        return text


def ranges(steps: Sequence[int]) -> str:
    """Returns the numbers of steps in short form.

    >>> ranges([1, 2, 3, 7, 9, 10])
    '1 to 3, 7, 9, 10'
    """
    found: list[list[int]] = []
    for step in steps:
        if found and step <= found[-1][1] + 1:
            found[-1][1] = step
        else:
            found.append([step, step])
    said = [
        f"{first} to {last}" if last > first + 1 else f"{first}, {last}" if last > first else str(first)
        for first, last in found[:RANGES]
    ]
    return ", ".join(said) + (", ..." if len(found) > RANGES else "")


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """A change of a variable without a record, found after `steps` steps; `change` is its norm."""

    subject: Subject
    steps: int
    change: float


@dataclass(slots=True)
class Conservation:
    """The result of replaying every write: `failed` names the writes whose parts did not add up.

    Each is a subject, the key of the writer, and the step. Of a path that recurs often only some passes are
    replayed: `passed_over` counts the writes of the others.
    """

    writes: int = 0
    failed: list[tuple[Subject, Key, int]] = field(default_factory=list)
    unrecorded: list[Unrecorded] = field(default_factory=list)
    passed_over: int = 0

    @property
    def holds(self) -> bool:
        """Whether every value is the result of its recorded writes."""
        return not self.failed and not self.unrecorded


@dataclass(slots=True)
class Again:
    """A line whose updates apply gradients that an earlier update has applied: how often, and to what.

    `asked` is the line of the backward pass whose gradients were applied before.
    """

    by: str
    site: Site | None
    asked: Site | None
    times: int = 0
    variables: dict[int, Subject] = field(default_factory=dict)


@dataclass(slots=True)
class Twice:
    """A term that a loss contains more than once: its name on its line, and the lines that add it."""

    name: str
    made: Site | None
    added: tuple[Site, ...]
    variables: list[Subject] = field(default_factory=list)


@dataclass(slots=True)
class Limited:
    """A line that limits gradients before they are divided by the loss scale, and the dividing line."""

    site: Site | None
    scaled: Site | None
    variables: dict[int, Subject] = field(default_factory=dict)


@dataclass(slots=True)
class Summed:
    """A line that applies the sum of `count` gradients of means; `asked` is the line that requested them."""

    by: str
    site: Site | None
    asked: Site | None
    count: int = 0
    variables: dict[int, Subject] = field(default_factory=dict)


@dataclass(slots=True)
class Misplaced:
    """A line that has frozen an object which shares the memory of a variable but is not the variable.

    `attribute` is the flag that it has set on a layer, if it did that.
    """

    site: Site | None
    attribute: str = ""
    variables: dict[int, Subject] = field(default_factory=dict)


@dataclass(slots=True)
class Wasted:
    """A line of backward passes whose gradients the line `cleared` discarded before they were applied."""

    asked: Site | None
    cleared: Site | None
    times: int = 0
    variables: dict[int, Subject] = field(default_factory=dict)


@dataclass(slots=True)
class Stale:
    """A line that requests a gradient at values that another line has replaced: see `flow.stale_gradients`.

    `failed` says that it could not be computed, because the old values are gone.
    """

    site: Site | None
    by: str
    written: Site | None
    read: Site | None
    variables: list[Subject] = field(default_factory=list)
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A result of a diagnosis. `site` is the line where it shows, `cause` the line it comes from.

    `severity` is "error" if the program fails or certainly does not train as intended, "warning" if it very
    likely does not, and "note" if everything may be intended.
    """

    code: str
    name: str
    severity: str
    variables: tuple[str, ...]
    site: Site | None
    cause: Site | None
    message: str
    fix: str
    explanation: Explanation | None = None

    @property
    def line(self) -> str:
        """The finding in one line, with its code: `penstock explain` has the rest."""
        return f"{self.message.removesuffix('.')} ({self.code})."


@dataclass(slots=True)
class Report:
    """The result of a check.

    `error` is the program's own error; `stopped` says that it was ended after enough steps; `paths` counts
    the distinct paths it took, and `passed_over` those whose writes were counted but whose gradients were not
    analysed, because there were too many. `conservation` is the result of replaying the writes, if requested.
    `skipped` has the skipped updates, by line. `framework` is the name and version of the program's
    framework, if it is not Penstock. `remarks` are sentences on the report itself, such as the findings it
    was told to leave out. `asides` are findings of one line, about which only the user knows whether they are
    intended: a right program may have them. `block` is true for a watched block, which is a part of `script`.
    `sizes` are those of gradients and values, and `clips` the lines that clip gradients, as far as they were
    measured; `unread` are tables with rows that are never read. `costs` has the result of
    `distribution.report` for each distribution of the program over devices.
    """

    script: str
    steps: int
    subjects: list[Subject]
    barriers: list[Barrier]
    findings: list[Finding]
    error: BaseException | None
    stopped: bool
    paths: int
    terms: list[Term] = field(default_factory=list)
    passed_over: int = 0
    conservation: Conservation | None = None
    skipped: list[Skipped] = field(default_factory=list)
    framework: tuple[str, str] | None = None
    remarks: list[str] = field(default_factory=list)
    asides: list[Finding] = field(default_factory=list)
    block: bool = False
    sizes: list[Size] = field(default_factory=list)
    clips: list[Clip] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    costs: list[Any] = field(default_factory=list)

    @property
    def variables(self) -> list[Subject]:
        """The user's own variables, in the order of their creation."""
        return [subject for subject in self.subjects if not subject.owner]

    @property
    def status(self) -> int:
        """The exit status: 0 without findings, 1 with findings, 2 after a failure. Notes do not count."""
        if self.error is not None:
            return 2
        return int(any(finding.severity != "note" for finding in self.findings))
