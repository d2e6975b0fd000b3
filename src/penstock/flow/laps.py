"""Repeated passes along a path with the same variables: counted with a few look-ups, added up on request.

Facts that are the same on every pass were judged at the first one. Passes in which nothing is measured are
laps. A lap only counts steps; the notes on each write are made for many laps at once, before any other note.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from typing import TYPE_CHECKING

from penstock.flow.measuring import until_due
from penstock.flow.observed import Passage, Wrote
from penstock.flow.paths import PathFacts
from penstock.flow.report_model import Key, Subject, Writer
from penstock.flow.sampling import until_measured
from penstock.flow.spans import Run
from penstock.flow.steps import Turn

if TYPE_CHECKING:
    from penstock.flow.inspection import Inspection

Line = tuple[Subject, Writer, Key]
"""The variable that a line writes, the writer, and the key that distinguishes it from others."""


class Lap:
    """One path with the variables bound to it: `left` says how many more passes are laps.

    `passes` of them have been counted but not added up yet; before the last of them, `base` steps had been
    made and `tapes` tapes opened. `lines` are those of the writes, each with the steps and tapes since then;
    `shared` are the lines whose variable another line writes too.
    """

    base: int
    generation: int
    idle: Sequence[bool]
    left: int
    moved: Sequence[int]
    lines: Sequence[tuple[Line, int, int]]
    opened: int
    passes: int
    pasts: int
    path: PathFacts
    program: object
    read_last: Sequence[int]
    requests: Sequence[object]
    run: Run | None
    shared: Sequence[tuple[Line, int, int]]
    source: Sequence[Line]
    tapes: int
    turn: Turn
    writes: Sequence[tuple[bool, bool]]

    __slots__ = tuple(__annotations__)

    def __init__(
        self,
        passage: Passage,
        path: PathFacts,
        source: Sequence[Line],
        writes: Sequence[Wrote],
        turn: Turn,
        generation: int,
    ) -> None:
        self.program, self.path, self.source = passage.program, path, source
        self.turn, self.generation = turn, generation
        self.opened = len(path.opened)
        offsets = [bisect(path.opened, one.event) if path.opened else 0 for one in writes]
        self.lines = list(zip(source, turn.numbers, offsets, strict=True))
        self.shared = [line for line in self.lines if len(line[0][0].writers) > 1]
        self.writes = [(one.kind == "apply" and not one.own, one.trainable) for one in writes]
        self.moved = [subject.order for (subject, _, _), one in zip(source, writes) if one.kind == "apply"]
        self.base = self.tapes = self.passes = self.left = self.pasts = 0


class Laps:
    """The laps of a program; `settle` makes their outstanding notes."""

    def __init__(self, inspection: Inspection) -> None:
        self._inspection = inspection
        self._waiting: list[Lap] = []
        self.generation = 0
        """Counts newly found lines that write a variable: shared facts from before may be out of date."""

    def begin(self, passage: Passage, writes: Sequence[Wrote], lap: Lap | None) -> Lap | None:
        """Returns the lap for further passes like this one; None if the next pass has to be described.

        `lap` is the result for the previous pass along the path.
        """
        seen, path = self._inspection, passage.facts["check"]
        lines = seen._lines[path]
        left = min(
            (until_measured(writer.times, one.size, one.own) for one, (_, writer, _) in zip(writes, lines)),
            default=1 << 20,
        )
        if not left or seen.measuring.in_every_step(passage) or seen.steps.latest is None:
            return None
        if any(one.kind == "write" and _is_moved(subject) for one, (subject, _, _) in zip(writes, lines)):
            # Its new value is compared with the values after updates.
            return None
        requests = seen.measuring.keys(passage)
        left = min([left, *(until_due(seen.measuring.count(key)) for key in requests)])
        if not left:
            return None
        turn = seen.steps.latest
        known = lap is not None and lap.turn is turn and lap.path is path and lap.source is lines
        if lap is None or not known or lap.generation != self.generation:
            lap = Lap(passage, path, lines, writes, turn, self.generation)
        lap.requests = requests
        lap.read_last = [seen.subject(passage.variables[index]).order for index in path.read_last]
        lap.idle = [one.idle for one in writes]
        lap.pasts, lap.left, lap.run = seen.steps.pasts, left, seen.spans.run_of(path)
        return lap

    def fits(self, lap: Lap) -> bool:
        """Returns whether a pass along the path is a lap."""
        seen = self._inspection
        return (
            lap.left > 0
            and not seen.stopped
            and lap.generation == self.generation
            and seen.steps.fits(lap.turn, lap.pasts)
            and (seen.limit is None or seen.steps.count + lap.turn.steps <= seen.limit)
        )

    def count(self, lap: Lap) -> None:
        """Counts a lap."""
        seen = self._inspection
        if not lap.passes:
            self._waiting.append(lap)
        lap.passes += 1
        lap.left -= 1
        lap.base, lap.tapes = seen.steps.count, seen._opened
        seen.steps.repeat(lap.turn)
        seen._again_along(lap)
        for (subject, _, key), number, offset in lap.shared:
            seen._note_together(subject, key, (lap.base + number, lap.tapes + offset))

    def settle(self) -> None:
        """Makes the outstanding notes of all laps on every write."""
        if not self._waiting:
            return
        seen = self._inspection
        for lap in sorted(self._waiting, key=lambda one: one.base):
            passes, lap.passes = lap.passes, 0
            for ((subject, writer, key), number, offset), (moves, trainable), idle in zip(
                lap.lines, lap.writes, lap.idle, strict=True
            ):
                writer.times += passes
                writer.last = lap.base + number
                writer.idle += passes * idle
                if moves and trainable:
                    subject.trainable, subject.frozen_after = True, None
                    subject.trained_last = writer.last
                elif moves:
                    writer.frozen += passes
                if len(subject.writers) == 1:
                    seen._present[subject.order] = (writer.last, lap.tapes + offset), [key]
            for one in lap.requests:
                seen.measuring.add(one, passes)
        self._waiting.clear()


def _is_moved(subject: Subject) -> bool:
    """Returns whether an optimizer updates a variable."""
    return any(writer.kind == "apply" for writer in subject.writers.values())


__all__ = ["Lap", "Laps", "Line"]
