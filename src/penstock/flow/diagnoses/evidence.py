"""The input of the diagnoses, and their ways to list variables and write findings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from penstock.errors import NoGradientsError
from penstock.flow.codes import CODES
from penstock.flow.explanation import Explanation
from penstock.flow.folding import ALIKE, chosen
from penstock.flow.noted import Noted, Notice
from penstock.flow.report_model import (
    Again,
    Barrier,
    Conservation,
    Finding,
    Key,
    Limited,
    Made,
    Misplaced,
    Skipped,
    Stale,
    Subject,
    Summed,
    Term,
    Twice,
    Wasted,
)
from penstock.flow.sizes import NotFinite, Size
from penstock.trace.source_site import Site

Kind = TypeVar("Kind", bound=Notice)
NAMED = 3
"""How many variables a sentence names; the others are counted."""


CAUSES = {"momentum": "momentum", "decay": "weight decay"}
"""Causes that change a variable without a new gradient, in words, by the name of the term."""


FOLLOWERS = frozenset(("target", "ema", "average", "averaged", "averages", "avg", "shadow", "slow", "swa"))
"""Names of models that follow another."""
WORD = re.compile("[a-z]+")


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that a check has observed in a program.

    `absent` are the variables that an optimizer received without a gradient, `error` is the program's error.
    `rebound` are lines that give the name of an operand to the result, each with whether training goes on
    after it. `barriers` is empty if no gradient was ever requested. `whole` is true if a line has requested
    the gradients of all variables. `conservation` is the result of replaying every write, if that was
    requested. `skipped` has the skipped updates, `stale` the gradients at values that have been replaced
    since, `again` the updates that apply gradients a second time, `wasted` the gradients that were cleared
    unapplied. `twice` are the terms that a loss contains twice, `misplaced` the flags that were set next to a
    variable, `limited` and `summed` are gradients that were limited too early, or summed where a mean was
    meant; `noted` has all other facts of a source. `sizes` are those of gradients and values, `lost` the
    first non-finite values.
    """

    subjects: Sequence[Subject]
    absent: Sequence[Subject]
    error: BaseException | None
    barriers: Sequence[Barrier]
    terms: Sequence[Term]
    made: Sequence[Made]
    rebound: Mapping[Site, bool]
    whole: bool = False
    conservation: Conservation | None = None
    skipped: Sequence[Skipped] = ()
    stale: Sequence[Stale] = ()
    again: Sequence[Again] = ()
    wasted: Sequence[Wasted] = ()
    twice: Sequence[Twice] = ()
    misplaced: Sequence[Misplaced] = ()
    noted: Sequence[Noted] = ()
    limited: Sequence[Limited] = ()
    summed: Sequence[Summed] = ()
    sizes: Sequence[Size] = ()
    lost: Sequence[NotFinite] = ()

    def of(self, kind: type[Kind]) -> list[tuple[Kind, Noted]]:
        """Returns the facts of one kind, with the variables that each is about."""
        return [(one.fact, one) for one in self.noted if isinstance(one.fact, kind)]

    def maker(self, key: Key, moved: Sequence[Subject]) -> Made | None:
        """Returns the line that created the optimizers which move these variables, if there is just one."""
        orders = {one.order for one in moved}
        found = [one for one in self.made if one.by == key[0] and orders <= one.movers.keys()]
        return found[0] if len(found) == 1 else None

    @property
    def refusal(self) -> NoGradientsError | None:
        """The error of an optimizer that received only None, if the program failed with it."""
        return self.error if isinstance(self.error, NoGradientsError) else None


def finding(
    code: str,
    severity: str,
    subjects: Sequence[Subject],
    site: Site | None,
    cause: Site | None,
    message: str,
    fix: str,
    explanation: Explanation | None = None,
) -> Finding:
    """Returns a finding with the name of its code and the paths of its variables."""
    paths = tuple(dict.fromkeys(one.path for one in subjects))
    return Finding(code, CODES[code].name, severity, paths, site, cause, message, fix, explanation)


def listed(subjects: Sequence[Subject]) -> str:
    """Returns the names of variables for a sentence: the first few, and how many more there are.

    >>> from penstock.trace.source_site import Site
    >>> def one(name):
    ...     return Subject(name, (), "float32", True, Site("train.py", 1, ""), 0)
    >>> print(listed([one("a"), one("b")]), "|", listed([one(name) for name in "abcdef"]))
    'a' and 'b' | 'a', 'b', 'c' and 3 more
    """
    paths = list(dict.fromkeys(one.path for one in subjects))
    names = [repr(path) for path in paths]
    more = len(names) - NAMED
    if len(names) >= ALIKE:
        # Whole layers and blocks are called by their patterns.
        wanted = all(one.trainable for one in subjects)
        known = [one.path for one in subjects[0].among if not one.owner and (one.trainable or not wanted)]
        rows = chosen(paths, known)
        names = [repr(row.name) for row in rows]
        more = sum(len(row.members) for row in rows[NAMED:])
    if more > 0:
        return f"{', '.join(names[:NAMED])} and {more} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def at(site: Site | None) -> str:
    """Returns " at file:line", or nothing if the line is unknown."""
    return f" at {site}" if site is not None else ""


def opened(barriers: Sequence[Barrier], site: Site | None, meant: Sequence[Subject]) -> str:
    """Returns a sentence on what else would change without the barrier of a line, or nothing.

    `meant` are the variables for which it should be removed.
    """
    known = {one.path for one in meant}
    found = [
        name
        for barrier in barriers
        if barrier.site == site
        for name in (*barrier.changes, *barrier.restores)
        if name not in known
    ]
    names = list(dict.fromkeys(map(repr, found)))
    if not names:
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (
        f" That changes the algorithm: it would also change the gradient of {', '.join(names[:NAMED])}{more}."
    )


def plural(subjects: Sequence[Subject], one: str, several: str) -> str:
    """Returns the word that suits the number of variables."""
    return one if len(subjects) == 1 else several


def call_it(message: str, fix: str, forgotten: tuple[str, Site] | None) -> tuple[str, str]:
    """Returns the words of a finding whose cause may be a method that a line names and does not call."""
    if forgotten is None:
        return message, fix
    method, site = forgotten
    message += f" `{method}`{at(site)} is no call: without parentheses it does nothing."
    return message, f"Write {method}(){at(site)}."
