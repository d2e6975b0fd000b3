"""The scope of names in an eager program: the prefix of the names of new variables."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any


class _Scopes(threading.local):
    """The scope of a thread: empty, or a path that ends with "/"; and the open scopes of Keras.

    Of these there are the name, and how many layers were being called when it was opened. `creators` are the
    functions of a program through which variables are made, the outer ones first.
    """

    present = ""
    of_keras: tuple[tuple[str, int], ...] = ()
    creators: tuple[Any, ...] = ()


scopes = _Scopes()


def keras_scope(depth: int) -> str:
    """Returns the path of Keras' scopes that were opened while `depth` layers were being called."""
    return "/".join(name for name, inside in scopes.of_keras if inside == depth)


def below(name: str | None) -> str:
    """Returns the scope of a name in the present one: of none the top, and of one with "/" at its end itself.

    >>> below("first"), below("first/second/"), below("")
    ('first/', 'first/second/', '')
    """
    if not name or name.endswith("/"):
        return name or ""
    return f"{scopes.present}{name}/"


@contextlib.contextmanager
def scope_of(name: str | None) -> Iterator[str]:
    """Enters the scope of a name; variables created inside are called by it."""
    before, scopes.present = scopes.present, below(name)
    try:
        yield scopes.present
    finally:
        scopes.present = before
