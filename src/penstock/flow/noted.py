"""Facts that a source notes beside graphs and writes: each is what one diagnosis asks for."""

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
    """A line that has made the schedule of an optimizer's learning rate: of the one made at `made`."""

    made: Site | None
    site: Site | None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A name for a list of variables, bound at `site`, of which the optimizer made at `made` got none."""

    name: str
    site: Site
    made: Site | None


@dataclass(frozen=True, slots=True)
class Unkept:
    """The gradient of an intermediate result, asked for at `read`, which no backward pass has kept."""

    made: Site | None
    read: Site | None


@dataclass(frozen=True, slots=True)
class Strayed:
    """Gradients of a backward pass that steps of their own kind never apply: `site` has applied them.

    `asked` is the line of the pass, `called` the line that led to it, `usual` one that leads to an update.
    """

    by: str
    site: Site | None
    asked: Site | None
    called: Site | None
    usual: Site | None
    inference: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """A pass that only measures, looked at on line `looked`, and that writes the statistics of layers.

    `site` is the line of the pass, `switched` the one that put the layers into training mode, if one did.
    `again` says that its data are trained on as well.
    """

    site: Site | None
    looked: Site | None
    switched: Site | None
    again: bool


@dataclass(frozen=True, slots=True)
class Inferring:
    """A pass that trains with layers in inference mode, which earlier ones had in training mode.

    `site` is the line of the pass, `switched` the one that put the layers into inference mode.
    """

    site: Site | None
    switched: Site | None


@dataclass(frozen=True, slots=True)
class Clipped:
    """A line that clips gradients while they are those of a scaled loss: of the backward pass at `asked`."""

    site: Site | None
    asked: Site | None


@dataclass(frozen=True, slots=True)
class Undone:
    """A line that has written variables back to the values they had before their first update.

    `by` is what it writes with, `of` the line of the updates that are undone.
    """

    by: str
    site: Site | None
    of: Site | None


@dataclass(frozen=True, slots=True)
class Restored:
    """A line that has given variables back the values which their last update had left."""

    by: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """A line whose copy of a model follows the weights and not the statistics, which are the variables."""

    by: str
    site: Site | None
    model: str


@dataclass(frozen=True, slots=True)
class Untied:
    """Two names that had one variable and were given one each: on `site` the second, on `first` the first."""

    names: tuple[str, str]
    first: Site | None
    site: Site | None


@dataclass(frozen=True, slots=True)
class Shared:
    """Two names of one thing: a loss trains it by the first, and takes it for a constant by the second.

    `paths` are what its variables are called by the second name, `site` is the line that gave that name.
    """

    names: tuple[str, str]
    paths: tuple[str, ...]
    site: Site | None


@dataclass(frozen=True, slots=True)
class Unrun:
    """An operation `by`, built at `site`, that would write the variables, and that no session has run."""

    by: str
    site: Site


@dataclass(frozen=True, slots=True)
class Unequal:
    """Backward passes, added up, whose losses are means over so many elements each, all weighed alike."""

    site: Site | None
    counts: tuple[int, ...]


Notice = (
    Switched
    | Rated
    | LeftOut
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
    | Unequal
    | Unrun
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
    "Clipped", "Inferring", "LeftOut", "Measured", "Noted", "Notice", "Rated", "Restored", "Shared",
    "Strayed", "Switched", "Undone",
    "Unequal", "Unfollowed", "Unkept", "Unrun", "Untied",
]  # fmt: skip
