"""Scopes: where the parameters of static programs have their values."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle._mode import mode


@named("paddle.static.Scope")
class Scope:
    """Values by the names of parameters. There is one at a time whose values programs read and write."""

    def __init__(self) -> None:
        self.leaves: dict[str, Any] = {}
        self.started: set[Any] = set()
        self._away: dict[Any, np.ndarray[Any, Any]] = {}

    def find_var(self, name: str) -> Any:
        """Returns the variable of this name in the scope, or None."""
        found = self.leaves.get(name)
        return None if found is None else _Held(found)

    var = find_var

    def _leave(self) -> None:
        """Puts its values aside for another scope."""
        self._away = {one: one.numpy() for one in self.started}

    def _enter(self) -> None:
        """Gives the parameters its values."""
        for one, value in self._away.items():
            one.set_value(value)


class _Held:
    """An entry of a scope by its name: `get_tensor` gives the value."""

    def __init__(self, leaf: Any) -> None:
        self._leaf = leaf

    @property
    def name(self) -> str:
        """The name."""
        return str(self._leaf.path)

    def get_tensor(self) -> Any:
        """Returns this: it can be read as an array, and `set`."""
        return self

    def shape(self) -> list[int]:
        """Returns the length of each axis."""
        return list(self._leaf.shape)

    def set(self, value: Any, place: Any = None) -> None:
        """Gives the parameter a value; there is one `place`."""
        with mode.running():
            self._leaf.set_value(np.asarray(value, self._leaf._spec.dtype))
        current().started.add(self._leaf)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        found = np.asarray(self._leaf.numpy())
        return found if dtype is None else found.astype(dtype)


_scopes = [Scope()]


def current() -> Scope:
    """Returns the scope whose values programs read and write now."""
    return _scopes[-1]


@named("paddle.static.global_scope")
def global_scope() -> Scope:
    """Returns the scope whose values programs read and write now."""
    return current()


@named("paddle.static.scope_guard")
@contextlib.contextmanager
def scope_guard(scope: Scope) -> Iterator[None]:
    """Lets programs read and write the values of another scope inside."""
    outer = current()
    if scope is outer:
        yield
        return
    with mode.running():
        outer._leave()
        scope._enter()
    _scopes.append(scope)
    try:
        yield
    finally:
        _scopes.pop()
        with mode.running():
            scope._leave()
            outer._enter()
