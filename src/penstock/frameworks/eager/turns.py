"""Distinguishes the paths of a program, so that those it takes later are recorded too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.frameworks.eager.parameter import Registry
from penstock.frameworks.sampling import scattered

WINDOWS = 32
"""Recording starts over at most this many times."""
AGAIN = 2
"""How many steps are recorded then."""
NODES = 5_000
"""How many nodes of autograd's graph distinguish a path."""

FIRST, SELDOM = 16, 16
"""After this many backward passes along known paths, about one in SELDOM is examined, and any that is longer
or shorter than the earlier ones."""
LENGTHS = 64
"""How many lengths are distinguished: in a program whose lengths always change they carry no information."""


class Turns:
    """The paths of backward passes, by the nodes along them and the parameters at their ends.

    `opened` counts the windows after the first, `over` the paths that came after the last allowed window.
    """

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._known: set[int] = set()
        self._over: set[int] = set()
        self._same = 0
        self.lengths: set[tuple[Any, int]] = set()
        self.latest = 0
        self.opened = 0
        self.wanted = False

    @property
    def over(self) -> int:
        """How many paths were not recorded, because there had been enough windows."""
        return len(self._over - self._known)

    def took(self, roots: Sequence[Any], recorded: bool) -> None:
        """Notes the path of a backward pass; requests a window if it is new and not recorded."""
        new = self._is_new_length(roots[0])
        if not recorded:
            self._same += 1
            if not new and self._same > FIRST and scattered(self._same) % SELDOM:
                return
        path = self._path(roots)
        if recorded:
            self._known.add(path)
        elif path not in self._known:
            self._same = 0
            self.want()
            if self.opened >= WINDOWS:
                self._over.add(path)

    def _is_new_length(self, root: Any) -> bool:
        """Returns whether a pass is longer or shorter than earlier ones, if that costs nothing to know."""
        return False

    def want(self) -> None:
        """Requests a window."""
        self.wanted = self.opened < WINDOWS

    def fill(self) -> None:
        """Notes that a step is too long to be recorded, and makes no further request."""
        self.opened, self.wanted = WINDOWS, False

    def open(self) -> None:
        """Counts a window that was opened on request."""
        self.opened += 1
        self.wanted = False

    def _path(self, roots: Sequence[Any]) -> int:
        """Returns a number for the path of a backward pass."""
        raise NotImplementedError


__all__ = ["AGAIN", "LENGTHS", "NODES", "WINDOWS", "Turns"]
