"""Backward passes whose gradients were not meant to be applied: they were called outside of any update."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any, Generic, Protocol, TypeVar

from penstock.flow.noted import Notice, Strayed
from penstock.flow.observed import Variable
from penstock.trace.source_site import Site, is_library, site_of

MOST = 256
"""How many different updates are kept separately."""


@dataclass(frozen=True, slots=True)
class Way:
    """The lines that led to a call: the function that made it, and that function's callers."""

    function: Any
    callers: tuple[Site | None, ...]


def way_to(frame: FrameType) -> Way:
    """Returns the user's lines that led to a frame."""
    callers: list[Site | None] = []
    one = frame.f_back
    while one is not None:
        if not is_library(one.f_code):
            callers.append(site_of(one))
        one = one.f_back
    return Way(frame.f_code, tuple(callers))


NOWHERE = Way(None, ())
"""The way to an unrecorded call."""


class Pass(Protocol):
    """A backward pass: its line, its callers, the numbers of the variables with gradients, and its mode."""

    @property
    def site(self) -> Site | None: ...

    @property
    def way(self) -> Way: ...

    @property
    def number(self) -> int: ...

    @property
    def inference(self) -> bool: ...

    @property
    def gave(self) -> Collection[int]: ...


Kind = TypeVar("Kind", bound=Variable)


@dataclass(slots=True)
class _Step(Generic[Kind]):
    """An update: its way, and the passes whose gradients it has applied, with the updated variables."""

    by: str
    site: Site | None
    way: Way
    calls: list[Pass]
    moved: list[Kind]


class Strays(Generic[Kind]):
    """Updates, and the passes that each has applied."""

    def __init__(self) -> None:
        self._steps: dict[Any, _Step[Kind]] = {}

    def stepped(
        self, by: str, site: Site | None, way: Way, calls: Iterable[Pass], moved: Sequence[Kind]
    ) -> None:
        """Notes an update. Updates that are alike in every relevant fact are noted once."""
        ordered = sorted(calls, key=lambda call: call.number)
        if not ordered or len(self._steps) >= MOST:
            return
        key = by, site, way, tuple([(call.site, call.way, call.inference) for call in ordered])
        if key not in self._steps:
            self._steps[key] = _Step(by, site, way, ordered, list(moved))

    def tell(self, note: Callable[[Notice, Sequence[Kind]], None]) -> None:
        """Reports passes whose gradients were left over. If every update has such passes, adding them up is
        intended.

        A pass is left over if the same line is followed by an update for all its other callers; or if it ran
        in inference mode, and the pass to which it was added did not.
        """
        steps = list(self._steps.values())
        ways = {step.way for step in steps}
        pure = [step for step in steps if not any(_is_foreign(one, step, ways) for one in step.calls)]
        for step in steps if pure else ():
            own = step.calls[-1]
            for call in step.calls[:-1]:
                if _is_foreign(call, step, ways):
                    held = [one for one in step.moved if one.uid in call.gave]
                    called, usual = (_first(way.callers) for way in (call.way, own.way))
                    fact = Strayed(step.by, step.site, call.site, called, usual, _is_inferred(call, own))
                    note(fact, held)
        self._steps.clear()


def _is_inferred(call: Pass, own: Pass) -> bool:
    return call.inference and not own.inference


def _is_foreign(call: Pass, step: _Step[Any], ways: set[Way]) -> bool:
    own = step.calls[-1]
    if call is own:
        return False
    if _is_inferred(call, own):
        return True
    same = call.site == own.site and call.way.function is own.way.function
    return same and own.way == step.way and call.way not in ways


def _first(callers: Sequence[Site | None]) -> Site | None:
    return callers[0] if callers else None


__all__ = ["NOWHERE", "Pass", "Strays", "Way"]
