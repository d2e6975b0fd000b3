"""What a check has seen: variables with their writers, barriers, findings, all together in a report."""

from __future__ import annotations

from dataclasses import dataclass, field

from penstock.flow.explanation import Explanation
from penstock.trace.site import Site


@dataclass(slots=True)
class Writer:
    """One line that writes one variable: how often, and by how much: `total` adds up norms of changes."""

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
    gradient, `asked` if one was asked for it, `owned` if an optimizer that stepped was given it. `gradient`
    is "flows" or a word of `penstock.Absence`, `cut` the line it is about; `rank` says how much that weighs.
    `owner` names the optimizer whose own state the variable is. `frozen_after` is the number of steps after
    which `trainable` was taken away, if it was.
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
    frozen_after: int | None = None

    @property
    def bits(self) -> str:
        """The five bits: trainable, read, gradient, owned, written."""
        bits = (self.trainable, self.read, self.found, self.owned, bool(self.writers))
        return " ".join("1" if bit else "0" for bit in bits)


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
    """Something that deserves a look. `site` is the line where it shows, `cause` the one it comes from."""

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
    """What a check found out.

    `error` is what the program itself failed with; `stopped` says that it was ended after enough steps;
    `paths` counts the distinct paths it took.
    """

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
