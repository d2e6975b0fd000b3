"""Processes that run one program together, as far as saving a checkpoint needs them; installed from below."""

from __future__ import annotations

from typing import Any, Protocol


class Peers(Protocol):
    """This process among those that run the same program: its `number`, from 0, and their count."""

    number: int
    count: int

    def told(self, what: str, said: str) -> list[str]:
        """Sends a text to all processes, and returns the text of each, by number.

        All of them call this with the same `what`, in the same order. Raises PenstockError in each of them if
        one calls it with a different `what`, or not in time.
        """

    def holds(self, value: Any) -> bool:
        """Returns whether this process has the whole value, so that the others need not help to read it."""


class Joined:
    """The processes that this one has joined; `peers` is None in a program of one process."""

    __slots__ = ("peers",)

    def __init__(self) -> None:
        self.peers: Peers | None = None


joined = Joined()

__all__ = ["Joined", "Peers", "joined"]
