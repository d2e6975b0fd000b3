"""Where values are stored once there is more than one device; the room `distribution` installs it here.

Nothing is installed until a program requests a distribution; from then on every run asks it for the place of
each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from penstock.tiers.program import Program


class Layouts(NamedTuple):
    """The shardings a program is compiled for: of its arguments, and of its outputs (None: XLA's choice).

    `together` says whether other processes run it too, so that none of its values may be read before a
    launch.
    """

    arguments: tuple[Any, ...]
    outputs: tuple[Any, ...]
    together: bool = False


class Placement(Protocol):
    """Decides where values are stored."""

    @property
    def compiles(self) -> bool:
        """Whether every program is compiled, as soon as it is run: NumPy has one memory."""

    @property
    def together(self) -> bool:
        """Whether other processes hold parts of values; values that only this process has stay unchanged."""

    def put(self, owner: Any, value: Any) -> Any:
        """Moves a value to its place and returns it; `owner` is its variable or tensor, None for data."""

    def layouts(
        self,
        program: Program,
        arguments: Sequence[Any],
        owners: Sequence[Any],
        handles: int,
        written: Sequence[Any],
    ) -> Layouts | None:
        """Returns the shardings to compile a program for, given its arguments, each in its place.

        `owners` has, for each argument, the variable whose value it is, or something else.

        Its outputs are the values of `handles` handles, then those of the written variables, then others.
        None means one device.
        """

    def compiled(self, program: Program, layouts: Layouts, text: str) -> None:
        """Called before the first launch of a program that several processes run, with XLA's text of it.

        Raises PenstockError unless all of them are about to launch it.
        """

    def whole(self, value: Any) -> Any:
        """Returns the whole of a value, which this process may read."""


class InForce:
    """The active placement, if a program has requested one; `placement` is None in every other program."""

    __slots__ = ("placement",)

    def __init__(self) -> None:
        self.placement: Placement | None = None


in_force = InForce()
