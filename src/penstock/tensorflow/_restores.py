"""Restores that wait for variables which are not there yet: a layer or an optimizer asks when it has made
some."""

from __future__ import annotations

from collections.abc import Callable

waiting: list[Callable[[], bool]] = []
"""Functions that restore as much as they can, and return whether they are complete."""


def made_variables() -> None:
    """Lets those that wait look again; called where variables have been made."""
    for restore in list(waiting):
        if restore() and restore in waiting:
            waiting.remove(restore)
