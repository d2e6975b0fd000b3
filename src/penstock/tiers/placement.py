"""Where values live once there is more than one device: what the room `distribution` installs here.

Nothing is installed until a program asks for a distribution, and then every run asks it where values belong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from penstock.tiers.program import Program


class Layouts(NamedTuple):
    """The shardings a program is compiled for: of its arguments, and of its outputs (None: XLA's choice).

    `together` says whether other processes run it too, so that no value of it is looked at before a launch.
    """

    arguments: tuple[Any, ...]
    outputs: tuple[Any, ...]
    together: bool = False


class Placement(Protocol):
    """What decides where values live."""

    @property
    def compiles(self) -> bool:
        """Whether every program is compiled, as soon as it is run: NumPy has one memory."""

    @property
    def together(self) -> bool:
        """Whether other processes hold parts of values; what this one alone has been given stays as it is."""

    def put(self, owner: Any, value: Any) -> Any:
        """Returns a value where it belongs; `owner` is the variable or tensor that has it, None for data."""

    def layouts(
        self,
        program: Program,
        arguments: Sequence[Any],
        owners: Sequence[Any],
        handles: int,
        written: Sequence[Any],
    ) -> Layouts | None:
        """Returns what to compile a program for, given its arguments, each of them where it belongs.

        `owners` has the variable whose value an argument is, or something else.

        Its outputs are so many values for handles, then those of the variables written, then others. None
        means one device.
        """

    def compiled(self, program: Program, layouts: Layouts, text: str) -> None:
        """Is told of a program that several processes run, before its first launch, with what XLA made of it.

        Raises PenstockError where not all of them are about to launch it.
        """

    def whole(self, value: Any) -> Any:
        """Returns a value that this process may read, all of it."""


class InForce:
    """The placement in force, if a program has asked for one; `placement` is None in every other program."""

    __slots__ = ("placement",)

    def __init__(self) -> None:
        self.placement: Placement | None = None


in_force = InForce()
