"""Variables that a term of a loss trains besides its own (PS409): only the user knows the intent."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.codes import CODES
from penstock.flow.report_model import Finding, Subject, Term

TOLD = 4
"""How many lines are shown."""


def shares(terms: Sequence[Term]) -> list[Finding]:
    """Returns a note for each term that trains its own model and also that of another term.

    The other's model is one that a second term trains alone, as a value loss trains a critic. A model that
    both terms train, each besides its own, is shared by design.
    """
    trained = [(one, groups) for one in terms if (groups := _groups(one.reaches))]
    found: dict[str, Finding] = {}
    for term, groups in trained:
        for other, own in trained:
            if other is not term and own < groups and _named(term) and _named(other):
                one = _note(term, other, own)
                found.setdefault(one.message, one)
    return list(found.values())[:TOLD]


def _note(term: Term, other: Term, own: set[str]) -> Finding:
    names, barrier = " and ".join(sorted(own)), term.words.barrier
    message = (
        f"{term.name} at {term.site} also trains {names}, which is trained by {other.name} at {other.site}."
    )
    fix = (
        f"Where {other.name} alone is to train {names}, put a {barrier} on the value that {term.name} takes "
        "from there."
    )
    paths = tuple(one.path for one in other.reaches)
    return Finding("PS409", CODES["PS409"].name, "note", paths, term.site, other.site, message, fix)


def _groups(subjects: Sequence[Subject]) -> set[str]:
    """Returns the models, or single variables, that subjects belong to, as patterns."""
    found = set()
    for one in subjects:
        group = one.words.group(one.path)
        found.add(one.path if group in ("", one.path) else f"{group}{one.path[len(group)]}*")
    return found


def _named(term: Term) -> bool:
    """Returns whether the program has a name for a term, so that a line about it is informative."""
    return term.name.isidentifier()


__all__ = ["shares"]
