"""Distinguishes the paths of a program, so that those it takes later are recorded too."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.frameworks.sampling import scattered
from penstock.frameworks.tensorflow.told import Written

WINDOWS = 32
"""Recording starts over at most this many times."""
AGAIN = 2
"""How many steps are recorded then."""
FIRST, SELDOM = 16, 16
"""After this many steps along known paths, about one in SELDOM is listened to."""


class Turns:
    """The paths of steps, by the kinds of operations between two updates, or by what a function does.

    `opened` counts the windows after the first; `listening` says that the operations of this step are noted.
    """

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._over: set[int] = set()
        self._path = 0
        self._length = 0
        self._same = 0
        self._learning = 0
        self.opened = 0
        self.listening = False

    @property
    def over(self) -> int:
        """How many paths were not recorded, because there had been enough windows."""
        return len(self._over)

    def ran(self, kind: str) -> None:
        """Notes an operation of the step."""
        self._path = hash((self._path, kind))
        self._length += 1

    def is_new(self, path: int) -> bool:
        """Returns whether a path is to be recorded: it is new, and there is room for it."""
        if path in self._known:
            return False
        if self.opened >= WINDOWS:
            self._over.add(path)
            return False
        self._known.add(path)
        return True

    def open(self) -> None:
        """Counts a window after the first."""
        self.opened += 1
        self.listening = False
        self._learning = AGAIN

    def stepped(self, writes: Sequence[Written]) -> bool:
        """Notes an update; returns whether the next steps are to be recorded, and decides about listening."""
        key = hash((self._path, *[one.uid for one in writes]))
        listened, self._path = self.listening and self._length, 0
        self._length = 0
        new = False
        if listened:
            if self._learning:
                # What follows a window is known: its steps were recorded.
                self._learning -= 1
                self._known.add(key)
            elif self.is_new(key):
                self._same = 0
                new = True
        self._same += 1
        self.listening = self._same <= FIRST or not scattered(self._same) % SELDOM
        return new


__all__ = ["AGAIN", "WINDOWS", "Turns"]
