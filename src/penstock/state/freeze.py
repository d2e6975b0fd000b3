"""Freezing: nothing can write a locked variable, and every lock records what set it and where."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

from penstock.state.flags import Flag
from penstock.state.selection import first_of, name_of, select
from penstock.trace.source_site import here

SHOWN = 6
"""How many variables are named; the others are counted."""


class Frozen:
    """The result of `freeze` or `unfreeze`. Used as a context manager, it is undone at the end of the block.

    `changed` are the variables whose lock this call changed, `unchanged` those that were in that state
    already. Iterating yields both.
    """

    def __init__(self, locked: bool, changed: list[Any], unchanged: list[Any]) -> None:
        self.locked, self.changed, self.unchanged = locked, changed, unchanged

    def __iter__(self) -> Iterator[Any]:
        return iter([*self.changed, *self.unchanged])

    def __len__(self) -> int:
        return len(self.changed) + len(self.unchanged)

    def __enter__(self) -> Frozen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for variable in self.changed:
            if (variable._locked is not None) is self.locked:
                _turn(variable, not self.locked, f"the end of {'freeze' if self.locked else 'unfreeze'}")

    def __repr__(self) -> str:
        done = "frozen" if self.locked else "unfrozen"
        parts = []
        if self.changed or not self.unchanged:
            parts.append(f"{done}: {_listed(self.changed)}")
        if self.unchanged and self.locked:
            since = [f"{name_of(one)} since {one._locked[0].site}" for one in self.unchanged]
            parts.append(f"frozen already: {first_of(since, SHOWN)}")
        elif self.unchanged:
            parts.append(f"not frozen: {_listed(self.unchanged)}")
        return "; ".join(parts)


def freeze(*wanted: Any, of: Any = None) -> Frozen:
    """Locks variables: nothing can write them any more, and training ignores them.

    `wanted` are path patterns, Variables or anything with `variables`; patterns select from the variables of
    `of`, or from all living ones. From now on every write raises LockedError on the writer's line and changes
    nothing, whether it comes from an optimizer (its momentum and decay included), an assignment, an update of
    statistics or a load. Tapes do not watch frozen variables; gradients still pass through values computed
    with them. Captured steps that use them are captured again.

    Variables that are already frozen stay frozen, and the result lists them. In a `with` statement, the
    variables that this call froze are unfrozen at the end of the block. Raises SelectionError if a pattern
    matches nothing.

    Args:
        wanted: patterns of paths, variables, or anything with `variables`.
        of: where to look for variables; None for all living variables.

    Returns:
        A `Frozen`, which lists the variables and says which of them were changed.

    Raises:
        SelectionError: if a pattern names no variable.

    >>> import penstock as ps
    >>> body, head = ps.Variable(2.0, name="body/w"), ps.Variable(3.0, name="head/w")
    >>> ps.freeze("body/*", of=[body, head])
    frozen: body/w
    >>> with ps.GradientTape() as tape:
    ...     loss = body * head
    >>> tape.gradient(loss, [body, head])
    [None, Tensor(2., dtype=float32)]
    >>> try:
    ...     body.assign_add(1.0)
    ... except ps.errors.LockedError as error:
    ...     print(error.fact)
    assign_add tried to write Variable 'body/w', which is frozen.
    """
    return _turned(wanted, of, True)


def unfreeze(*wanted: Any, of: Any = None) -> Frozen:
    """Undoes `freeze`: the variables can be written again, and are trainable if they were before.

    It takes the same arguments as `freeze` and returns the same. A `trainable` set in the meantime stays.

    Args:
        wanted: patterns of paths, variables, or anything with `variables`.
        of: where to look for variables; None for all living variables.

    Returns:
        A `Frozen`, which lists the variables and says which of them were changed.

    Raises:
        SelectionError: if a pattern names no variable.

    >>> import penstock as ps
    >>> weight, mean = ps.Variable(1.0, name="weight"), ps.Variable(0.0, name="mean", trainable=False)
    >>> frozen = ps.freeze(weight, mean)
    >>> ps.unfreeze(weight, mean)
    unfrozen: weight, mean
    >>> weight.trainable, mean.trainable
    (True, False)
    """
    return _turned(wanted, of, False)


def _turned(wanted: tuple[Any, ...], of: Any, locked: bool) -> Frozen:
    what = "freeze" if locked else "unfreeze"
    chosen = select(wanted if len(wanted) != 1 else wanted[0], of, what=what)
    changed = [one for one in chosen if (one._locked is not None) is not locked]
    names = ", ".join(repr(one) for one in wanted if isinstance(one, str))
    for variable in changed:
        _turn(variable, locked, f"{what}({names})" if names else what)
    kept = [one for one in chosen if not any(one is other for other in changed)]
    return Frozen(locked, changed, kept)


def _turn(variable: Any, locked: bool, by: str) -> None:
    variable._lock(Flag("locked", locked, by, here()))


def _listed(variables: list[Any]) -> str:
    return first_of([name_of(one) for one in variables], SHOWN) or "nothing"


__all__ = ["Frozen", "freeze", "unfreeze"]
