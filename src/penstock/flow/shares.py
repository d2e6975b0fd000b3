"""What a term of a loss trains besides its own, in one line each: only the user knows whether it is meant."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.flow.seen import Subject, Term

TOLD = 4
"""So many lines are told."""


def shares(terms: Sequence[Term]) -> list[str]:
    """Returns a line for each term that trains a model of its own, and another's beside.

    Another's is a model that a second term trains by itself, as a value loss does a critic. What both train,
    beside something of their own, is shared by design.
    """
    trained = [(one, groups) for one in terms if (groups := _groups(one.reaches))]
    found = []
    for term, groups in trained:
        for other, own in trained:
            if other is not term and own < groups and _named(term) and _named(other):
                names = " and ".join(sorted(own))
                found.append(
                    f"{term.name} at {term.site} also trains {names}, which is trained by {other.name} at "
                    f"{other.site}."
                )
    return list(dict.fromkeys(found))[:TOLD]


def _groups(subjects: Sequence[Subject]) -> set[str]:
    """Returns what models, or single variables, subjects belong to, as patterns."""
    found = set()
    for one in subjects:
        group = one.words.group(one.path)
        found.add(one.path if group in ("", one.path) else f"{group}{one.path[len(group)]}*")
    return found


def _named(term: Term) -> bool:
    """Returns whether the program has a name for a term, so that a line on it says something."""
    return term.name.isidentifier()


__all__ = ["shares"]
