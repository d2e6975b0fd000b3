"""The words for an absent gradient. The value stays `None`; one of these says why."""

from __future__ import annotations

import enum


class Absence(enum.Enum):
    """Why a gradient is None. `value` is the word that reports use; `meaning` says it in a sentence.

    >>> import penstock as ps
    >>> ps.Absence("frozen").meaning
    'it is not trainable, so the tape does not watch it'
    """

    UNUSED = "unused"
    DEAD_END = "dead_end"
    STOPPED = "stopped"
    DISCRETE = "discrete"
    FLAT = "flat"
    ESCAPED = "escaped"
    OUTSIDE = "outside"
    UNWATCHED = "unwatched"
    FROZEN = "frozen"
    OVERWRITTEN = "overwritten"
    UNRULED = "unruled"

    @property
    def meaning(self) -> str:
        """A sentence that says what happened."""
        return _MEANINGS[self]


_MEANINGS = {
    Absence.UNUSED: "nothing reads it",
    Absence.DEAD_END: "it is read, but nothing computed from it reaches a target",
    Absence.STOPPED: "every path meets stop_gradient",
    Absence.DISCRETE: "every path passes through integers or booleans",
    Absence.FLAT: "every path passes through a step function, whose slope is zero wherever it exists",
    Absence.ESCAPED: "the value left the record, as a NumPy array or a Python number, and came back as data",
    Absence.OUTSIDE: "the path was computed while the tape was not recording",
    Absence.UNWATCHED: "the tape does not watch it",
    Absence.FROZEN: "it is not trainable, so the tape does not watch it",
    Absence.OVERWRITTEN: "the path runs through an assignment, which stores a value and not its history",
    Absence.UNRULED: "an operation on the path has no derivative rule",
}
