"""Functions of a framework that are replaced during a watch, and restored afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Watched = Callable[..., Any]
"""Is called with the original function and the arguments of a call."""


class Replaced:
    """Replaced functions, the newest last."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def later(self, undo: Callable[[], None]) -> None:
        """Registers an action for the time when everything is restored."""
        self._undo.append(undo)

    def put_back(self) -> None:
        """Restores everything, the newest first."""
        while self._undo:
            self._undo.pop()()

    def function(self, owner: Any, name: str, watched: Watched) -> None:
        """Replaces a function by one that calls `watched(original, *arguments)`."""
        original = getattr(owner, name)

        def instead(*arguments: Any, **options: Any) -> Any:
            return watched(original, *arguments, **options)

        instead.__name__, instead.__doc__ = name, original.__doc__
        instead.__wrapped__ = original  # type: ignore[attr-defined]
        setattr(owner, name, instead)
        self._undo.append(lambda: setattr(owner, name, original))

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Replaces an attribute of a module or class."""
        original = vars(owner)[name]
        setattr(owner, name, value)
        self._undo.append(lambda: setattr(owner, name, original))

    def descriptor(
        self,
        owner: Any,
        name: str,
        get: Callable[[Any, Callable[[Any], Any]], Any] | None,
        put: Callable[[Any, Any, Callable[[Any, Any], None]], None],
    ) -> None:
        """Makes a property call `get(thing, original)` and `put(thing, value, original)`."""
        original = vars(owner)[name]

        def read(thing: Any) -> Any:
            return original.__get__(thing)

        def watched(thing: Any) -> Any:
            return read(thing) if get is None else get(thing, read)

        def write(thing: Any, value: Any) -> None:
            put(thing, value, original.__set__)

        self.put(owner, name, property(watched, write, None, original.__doc__))

    def setter(self, owner: Any, name: str, note: Callable[[Any, Any], None]) -> None:
        """Calls `note(thing, value)` before a property is set."""
        original = vars(owner)[name]

        def put(thing: Any, value: Any) -> None:
            note(thing, value)
            original.fset(thing, value)

        setattr(owner, name, property(original.fget, put, original.fdel, original.__doc__))
        self._undo.append(lambda: setattr(owner, name, original))


__all__ = ["Replaced", "Watched"]
