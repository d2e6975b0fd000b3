"""What layers know about their variables, for reports: statistics, replacements, models that list them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import finalize

from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.source_site import Site

statistics: set[int] = set()
"""The numbers of the variables that their layers write while they are in training mode."""
replacements: dict[int, Site] = {}
"""The lines that have replaced a variable, by the number of the variable that was replaced."""
_users: dict[int, Callable[[], str]] = {}
_lagging: list[Any] = []
searches: list[Callable[[Any], str]] = []
"""Functions that look for an unlisted variable in the places they know, and return what to type, or ""."""


def note_statistic(variable: Any) -> Any:
    """Marks a variable as a statistic; returns it."""
    statistics.add(variable._uid)
    finalize(variable, statistics.discard, variable._uid)
    return variable


def note_replaced(variable: Any, site: Site) -> None:
    """Notes that a line has replaced this variable by another one."""
    replacements[variable._uid] = site
    finalize(variable, replacements.pop, variable._uid, None)


def note_replaced_layer(before: Sequence[Any], now: Sequence[Any], site: Site) -> None:
    """Notes that a line has replaced a layer with these variables by another one.

    `now` are the variables of its successor: those among them are still in use, or in use again.
    """
    there = {variable._uid for variable in now}
    for variable in before:
        if variable._uid not in there:
            note_replaced(variable, site)
    still_read(now)


def still_read(variables: Iterable[Any]) -> None:
    """Notes that these variables are still read, wherever they are stored now."""
    if replacements:
        for variable in variables:
            replacements.pop(variable._uid, None)


def flag_set(variable: Any) -> None:
    """Notes a change of a flag that tapes do not read: pending operations were recorded under the old one."""
    if engine.commits.functions and local.trace.node.parent is not None:
        _lagging.append(variable)
    else:
        variable._reported = variable._wanted


def catch_up() -> None:
    """Makes the present flags visible to reports, after the pending operations have been run and reported."""
    for variable in _lagging:
        variable._reported = variable._wanted
    _lagging.clear()


def wanted(variable: Any) -> bool:
    """Returns whether training updates a variable, or did so when the reported operations were recorded.

    Some dialects have a separate flag for that, besides the one that tapes read.
    """
    return bool(getattr(variable, "_reported", variable._trainable))


def note_user(variable: Any, remedy: Callable[[], str]) -> None:
    """Stores a function that returns what to type so that a model lists a variable; "" if it does already."""
    _users[variable._uid] = remedy
    finalize(variable, _users.pop, variable._uid, None)


def remedy_for(variable: Any) -> str:
    """Returns what to type so that the model which uses a variable lists it; "" if it already does."""
    asked = _users.get(variable._uid)
    found = asked() if asked is not None else ""
    return found or next((told for search in searches if (told := search(variable))), "")


__all__ = [
    "catch_up",
    "flag_set",
    "note_replaced",
    "note_replaced_layer",
    "note_statistic",
    "note_user",
    "remedy_for",
    "replacements",
    "searches",
    "statistics",
    "still_read",
    "wanted",
]
