"""Backward passes whose gradients nobody meant to apply: those that were called beside the way to a step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

from penstock.flow.noted import Notice, Strayed
from penstock.frameworks.places import site_of, user_frames
from penstock.trace.site import Site

if TYPE_CHECKING:
    from penstock.frameworks.torch.gradients import Backward
    from penstock.frameworks.torch.parameter import Parameter


@dataclass(frozen=True, slots=True)
class Way:
    """The lines that led to a call: the function that made it, and the lines that called that."""

    function: Any
    callers: tuple[Site | None, ...]

    @staticmethod
    def here(depth: int) -> Way:
        """Returns the way to the call that is made, from `depth` callers up."""
        frames: Sequence[FrameType] = user_frames(depth + 1)
        function = frames[0].f_code if frames else None
        return Way(function, tuple(site_of(one) for one in frames[1:]))


@dataclass(slots=True)
class _Step:
    """An update: its way, and the passes whose gradients it has applied, with whom it moved."""

    by: str
    site: Site | None
    way: Way
    calls: list[Backward]
    moved: list[Parameter]


class Strays:
    """The updates of a window, and the passes that each has applied."""

    def __init__(self) -> None:
        self._steps: list[_Step] = []

    def stepped(
        self, by: str, site: Site | None, calls: Iterable[Backward], moved: Sequence[Parameter]
    ) -> None:
        """Notes an update."""
        ordered = sorted(calls, key=lambda call: call.number)
        if ordered:
            self._steps.append(_Step(by, site, Way.here(2), ordered, list(moved)))

    def tell(self, note: Callable[[Notice, Sequence[Parameter]], None]) -> None:
        """Tells of passes that were left lying. Where every update has them, adding up is what is meant.

        A pass is one if the same line is followed by an update wherever else it is called from; or if it ran
        in inference mode, and the pass it was added to did not.
        """
        ways = {step.way for step in self._steps}
        pure = [step for step in self._steps if not any(_is_foreign(one, step, ways) for one in step.calls)]
        for step in self._steps if pure else ():
            own = step.calls[-1]
            for call in step.calls[:-1]:
                if _is_foreign(call, step, ways):
                    held = [one for one in step.moved if one.uid in call.gave]
                    called, usual = (_first(way.callers) for way in (call.way, own.way))
                    fact = Strayed(step.by, step.site, call.site, called, usual, _is_inferred(call, own))
                    note(fact, held)
        self._steps.clear()


def _is_inferred(call: Backward, own: Backward) -> bool:
    return call.inference and not own.inference


def _is_foreign(call: Backward, step: _Step, ways: set[Way]) -> bool:
    own = step.calls[-1]
    if call is own:
        return False
    if _is_inferred(call, own):
        return True
    same = call.site == own.site and call.way.function is own.way.function
    return same and own.way == step.way and call.way not in ways


def _first(callers: Sequence[Site | None]) -> Site | None:
    return callers[0] if callers else None


__all__ = ["Strays", "Way"]
