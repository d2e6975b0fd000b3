"""The record of a path that has been run, and the tape of a dialect whose autograd is always on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Node

if TYPE_CHECKING:
    from penstock.trace.recorder import Trace


STANDING = -1
"""The number of the tape that is never opened, in the details of events: see Standing."""


class Past:
    """A path that has been run: enough to explain it, and, while a tape may still ask, to replay it.

    `arguments` is None unless a tape may still ask; `entries` are references to the tensors that entered,
    weak ones unless a gradient goes on through the tensor, and `historic` the slots of those that a standing
    tape follows into the path that made them, as `Standing.historic` gives them. `missed` is that of `Trace`.
    `changed` are the slots of values that were saved for a gradient and written in place since, each with the
    line; None if there are none. `spent` are likewise those that a gradient has freed since.
    """

    __slots__ = ("arguments", "changed", "entries", "historic", "missed", "node", "spent", "variables")

    changed: dict[int, Any] | None
    spent: dict[int, Any] | None
    node: Node
    variables: list[Cell]
    arguments: list[Any] | None
    entries: Sequence[Callable[[], Tensor | None]]
    historic: tuple[int, ...]
    missed: Sequence[tuple[int, Cell]]


class Standing:
    """A tape that is never closed, for a dialect whose autograd is always on.

    It joins the tapes of a trace while the program holds a tensor whose gradient it can still request, so
    that a run keeps what a backward pass needs. `due` is the depth at which a long trace is checked next;
    `bound` are the variables that were given a value with a history in the present step, by their identity.
    """

    due = 0
    bound: dict[int, Any]

    def keeps(self, trace: Trace) -> bool:
        """Joins the trace's tapes or leaves them; returns whether the history is to stay in the trace.

        A history that is wanted, but too long to stay, is kept as a path to be replayed.
        """
        raise NotImplementedError

    def wants(self, trace: Trace) -> bool:
        """Returns whether the program still holds a tensor through which it can differentiate this trace."""
        raise NotImplementedError

    def stays(self, trace: Trace) -> bool:
        """Does the same as `keeps`, for a long trace that continues in the middle of a computation."""
        return self.keeps(trace)

    def due_after(self, depth: int) -> int:
        """Returns the depth of the next check for a trace that stays at this depth."""
        return 2 * depth

    def historic(self, trace: Trace) -> tuple[int, ...]:
        """Returns the slots of the tensors that entered a trace and whose history an earlier path holds.

        Where a gradient has freed that history, it is `~slot`.
        """
        raise NotImplementedError

    def needed_of(self, trace: Trace, historic: tuple[int, ...]) -> set[int]:
        """Returns those of these slots whose history a gradient may still ask for."""
        raise NotImplementedError

    def carry(self, trace: Trace, past: Past) -> None:
        """Lets the bound variables keep the history of their values when the step is over."""
        raise NotImplementedError

    def begin(self, trace: Trace) -> None:
        """Is called when the trace has gone back to the root."""
        raise NotImplementedError


__all__ = ["STANDING", "Past", "Standing"]
