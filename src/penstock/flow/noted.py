"""Facts that a source notes besides graphs and writes: each serves one diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.flow.report_model import Subject


@dataclass(frozen=True, slots=True)
class Switched:
    """A line that has put layers into training mode, whose statistics are the variables."""

    site: Site | None


@dataclass(frozen=True, slots=True)
class Rated:
    """A line that created the learning rate schedule of the optimizer created at `made`."""

    made: Site | None
    site: Site | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A name for a list of variables, bound at `site`, of which the optimizer made at `made` got none."""

    name: str
    site: Site
    made: Site | None


@dataclass(frozen=True, slots=True)
class Remade:
    """A line that makes a layer of this kind in each step, and keeps it nowhere."""

    kind: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Unfed:
    """An optimizer that has made this many `steps`, and whose variables had no gradient in any of its steps.

    `asked` is the line of the backward pass before its last step. `frozen` says that all of them were frozen
    in every step, although they were trainable when the optimizer was made at `made`.
    """

    by: str
    site: Site | None
    asked: Site | None
    steps: int
    frozen: bool = False
    made: Site | None = None


@dataclass(frozen=True, slots=True)
class Unkept:
    """The gradient of an intermediate result, read at `read`, which no backward pass has retained."""

    made: Site | None
    read: Site | None


@dataclass(frozen=True, slots=True)
class Strayed:
    """Gradients of a backward pass that has no update of its own: the line `site` has applied them.

    `asked` is the line of the pass, `called` its calling line, `usual` another caller, which an update
    follows.
    """

    by: str
    site: Site | None
    asked: Site | None
    called: Site | None
    usual: Site | None
    inference: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """A pass that only evaluates, read on line `looked`, but that writes the statistics of layers.

    `site` is the line of the pass, `switched` the one that put the layers into training mode, if one did.
    `again` says that its data are also used for training.
    """

    site: Site | None
    looked: Site | None
    switched: Site | None
    again: bool


@dataclass(frozen=True, slots=True)
class Inferring:
    """A pass that trains with layers in inference mode, after earlier ones in training mode.

    `site` is the line of the pass, `switched` the one that put the layers into inference mode.
    """

    site: Site | None
    switched: Site | None


@dataclass(frozen=True, slots=True)
class Clipped:
    """A line that clips gradients which are still those of a scaled loss: of the backward pass at `asked`."""

    site: Site | None
    asked: Site | None


@dataclass(frozen=True, slots=True)
class Undone:
    """A line that has written variables back to the values they had before their first update.

    `by` is the writer, `of` the line of the updates that are undone.
    """

    by: str
    site: Site | None
    of: Site | None


@dataclass(frozen=True, slots=True)
class Restored:
    """A line that has restored variables to their values after the last update."""

    by: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """A line whose copy of a model follows the weights but not the statistics, which are the variables."""

    by: str
    site: Site | None
    model: str


@dataclass(frozen=True, slots=True)
class Untied:
    """Two names that shared a variable and got separate ones: the second on `site`, the first on `first`."""

    names: tuple[str, str]
    first: Site | None
    site: Site | None


@dataclass(frozen=True, slots=True)
class Shared:
    """Two names of one object: a loss trains it under the first, but it is a constant under the second.

    `paths` are the names of its variables under the second name, `site` is the line that gave that name.
    """

    names: tuple[str, str]
    paths: tuple[str, ...]
    site: Site | None


@dataclass(frozen=True, slots=True)
class Unrun:
    """An operation `by`, built at `site`, that would write the variables, but that no session has run."""

    by: str
    site: Site


@dataclass(frozen=True, slots=True)
class Outdated:
    """A step called at `site` and traced at `traced`, before the flag of the variables was set at `flag`.

    It goes by the old flag: it trains the variables although they are frozen now, or leaves them out although
    they are `freed`.
    """

    site: Site | None
    traced: Site | None
    flag: Site | None
    freed: bool


@dataclass(frozen=True, slots=True)
class Untrainable:
    """A call at `site` that should train a model whose variables are all frozen, by the line `flag`."""

    site: Site | None
    flag: Site | None


@dataclass(frozen=True, slots=True)
class Unequal:
    """Accumulated backward passes whose losses are means over `counts` elements, all with the same weight."""

    site: Site | None
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """A line that gives the name of a loop variable to a result that nothing reads."""

    site: Site
    name: str


@dataclass(frozen=True, slots=True)
class Discarded:
    """Gradients requested on line `asked`, of which the update at `site` gets only the last, or none.

    There are `count` requests for each update. `cleared` is the line that clears their sum, if one does.
    """

    by: str
    site: Site | None
    asked: Site | None
    cleared: Site | None
    count: int


@dataclass(frozen=True, slots=True)
class Regrown:
    """A sum of gradients, requested on line `asked`, that is applied at `site` and goes on to grow."""

    by: str
    site: Site | None
    asked: Site | None


@dataclass(frozen=True, slots=True)
class Unlimited:
    """Gradients that are limited on line `limited`, while the update at `site` gets them as they were.

    `late` says that the update comes first, `early` that the limited gradients are cleared after the line.
    """

    by: str
    site: Site | None
    limited: Site | None
    late: bool = False
    early: bool = False


@dataclass(frozen=True, slots=True)
class Unscheduled:
    """A schedule of learning rates, made at `scheduled`, that `never` steps while the line `site` updates.

    Or one that the line `scheduled` steps before the first update.
    """

    by: str
    site: Site | None
    scheduled: Site | None
    never: bool


Notice = (
    Switched
    | Rated
    | LeftOut
    | Remade
    | Unfed
    | Unkept
    | Strayed
    | Measured
    | Inferring
    | Clipped
    | Undone
    | Restored
    | Unfollowed
    | Untied
    | Shared
    | Lost
    | Discarded
    | Regrown
    | Unequal
    | Unrun
    | Outdated
    | Untrainable
    | Unlimited
    | Unscheduled
)


@dataclass(slots=True)
class Noted:
    """A fact, how often it was noted, and the variables it is about."""

    fact: Notice
    times: int = 0
    variables: dict[int, Subject] = field(default_factory=dict)

    @property
    def held(self) -> Sequence[Subject]:
        """The variables, in the order in which they were noted."""
        return list(self.variables.values())


__all__ = [
    "Clipped", "Discarded", "Inferring", "LeftOut", "Lost", "Measured", "Noted", "Notice", "Outdated",
    "Rated", "Regrown", "Remade", "Restored", "Shared", "Strayed", "Switched", "Undone", "Unequal", "Unfed",
    "Unfollowed", "Unkept", "Unlimited", "Unrun", "Unscheduled", "Untied", "Untrainable",
]  # fmt: skip
