"""Processes that run one program together: what saving a checkpoint needs of them, installed from below."""

from __future__ import annotations

from typing import Any, Protocol


class Peers(Protocol):
    """This process among those that run the same program: its `number`, from 0, and how many there are."""

    number: int
    count: int

    def told(self, what: str, said: str) -> list[str]:
        """Says a text to all processes, and returns what each has said, by number.

        All of them call this with the same `what`, in the same order. Raises PenstockError, in each of them,
        where one has called it with another, or has not called it in time.
        """

    def holds(self, value: Any) -> bool:
        """Returns whether this process has all of a value, so that the others need not help to read it."""


class Joined:
    """The processes that this one has joined; `peers` is None in a program of one process."""

    __slots__ = ("peers",)

    def __init__(self) -> None:
        self.peers: Peers | None = None


joined = Joined()

__all__ = ["Joined", "Peers", "joined"]
