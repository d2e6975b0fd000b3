"""Numbers the steps of a program by its writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TypeVar

from penstock.flow.observed import Wrote
from penstock.trace.source_site import Site

Key = tuple[Site | None, int]
"""A line and the number of a variable that it writes."""
OneWrite = TypeVar("OneWrite", bound=Wrote)
MOST = 256
"""How many runs have their numbers remembered."""


@dataclass(slots=True)
class Turn:
    """The step numbers of a run's writes, and the writes in the open step before and after the run."""

    before: set[Key]
    after: set[Key]
    numbers: list[int]
    steps: int
    lines: list[Site | None]


class Steps:
    """Numbers the steps of a program from 1.

    A step ends when a line writes a variable that it has already written in this step: a loop around any
    training step counts its iterations, however often values are read inside. If one loop follows another,
    the first writes of the second seem to belong to the last step of the first. When they are repeated,
    `moved` is called with their lines and the number of the step that they have begun instead.
    """

    def __init__(self, moved: Callable[[Set[Key], int], None] | None = None) -> None:
        self.count = 0
        self._moved = moved
        self._present: set[Key] = set()
        self._past: set[Key] = set()
        self._turns: dict[tuple[object, ...], Turn] = {}
        self.pasts = 0
        """Counts the changes to the known lines of earlier steps: new lines, and forgotten ones."""
        self.latest: Turn | None = None
        """The numbering of the latest run, if a similar run is numbered in the same way."""

    def along(self, writes: Sequence[OneWrite]) -> Iterator[OneWrite]:
        """Yields the writes of a run, in order, each with the number of its step.

        All writes of an event belong to one step. A write that does not number steps belongs to the step
        before it. A loop repeats its writes: their numbering is computed once.
        """
        key = self.pasts, tuple([(one.uid, one.event, id(one.site)) for one in writes])
        turn, before = self._turns.get(key), self._present
        self.latest = turn
        if turn is None or (turn.before is not before and turn.before != before):
            past, count = self.pasts, self.count
            self._present, self.latest = set(before), None
            yield from self._worked_out(writes)
            if past == self.pasts:
                if len(self._turns) >= MOST:
                    self._turns.clear()
                # Keep the lines alive, so that no other object takes their identity.
                numbers = [one.step - count for one in writes]
                lines = [one.site for one in writes]
                self._turns[key] = Turn(before, self._present, numbers, self.count - count, lines)
            return
        count = self.count
        self.count += turn.steps
        # Do not change remembered sets any more.
        turn.before, self._present = before, turn.after
        for one, number in zip(writes, turn.numbers, strict=True):
            one.step = count + number
            yield one

    def fits(self, turn: Turn, pasts: int) -> bool:
        """Returns whether a run would be numbered like `turn`, which was made when `pasts` had this value."""
        return pasts == self.pasts and (turn.before is self._present or turn.before == self._present)

    def repeat(self, turn: Turn) -> None:
        """Numbers a run that fits."""
        self.count += turn.steps
        turn.before, self._present = self._present, turn.after

    def _worked_out(self, writes: Sequence[OneWrite]) -> Iterator[OneWrite]:
        together: dict[int, list[int]] = {}
        for one in writes:
            together.setdefault(one.event, []).append(one.uid)
        numbers: dict[int, int] = {}
        for one in writes:
            if not one.numbers_steps:
                numbers[one.event] = self.count
            elif one.event not in numbers:
                numbers[one.event] = self._number(one.site, together[one.event])
            one.step = numbers[one.event]
            yield one

    def forget(self, uid: int) -> None:
        """Forgets the lines that have written a dead variable."""
        self._past = {key for key in self._past if key[1] != uid}
        self.pasts += 1

    def _number(self, site: Site | None, variables: Iterable[int]) -> int:
        """Returns the number of the step to which a write of these variables at this line belongs."""
        keys = {(site, uid) for uid in variables}
        again = keys & self._present
        if again:
            known = {line for line, _ in self._past}
            fresh = {key for key in self._present if key[0] not in known}
            if fresh != self._present and again & fresh:
                self.count += 1
                self.pasts += 1
                if self._moved is not None:
                    self._moved(fresh, self.count)
        if again or not self.count:
            self.count += 1
            size = len(self._past)
            self._past |= self._present
            self.pasts += len(self._past) != size
            self._present = set()
        self._present |= keys
        return self.count


__all__ = ["Key", "Steps", "Turn"]
