"""The law of conservation in a check: replayed writes, and changes without a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.flow.causes import Balance, accounts
from penstock.flow.recording import Recorded
from penstock.flow.report_model import Conservation, Unrecorded, Writer
from penstock.flow.sampling import HUGE, until_measured
from penstock.flow.writes import Written, distance
from penstock.tiers.commits import Commit
from penstock.trace.tree import Node

WHOLE = 16
"""The first WHOLE passes of a path are split by cause (the first one, if it writes very much); later passes
are split as rarely as changes of that size are measured."""


class Watch:
    """Splits the writes of a program by cause while it runs; `subject` returns the notes on a variable.

    Before each run, every variable is compared with the value after its last write; a very large one, only
    after a pass that was split.
    """

    def __init__(self, subject: Any) -> None:
        self.conservation = Conservation()
        self._subject = subject
        self._steps = 0
        self._balance = Balance(self._note)

    def _note(self, variable: Any, before: Any, after: Any) -> None:
        found = Unrecorded(self._subject(Recorded(variable)), self._steps, distance(before, after))
        self.conservation.unrecorded.append(found)

    def open(self, commit: Commit, steps: int) -> None:
        """Compares the variables of a run with the values after their last writes; `steps` counts steps."""
        self._steps = steps
        self._balance.open(commit)

    def reopen(self, variables: Sequence[Any], steps: int) -> None:
        """Compares variables with the values after their last writes, before a run that is not split."""
        self._steps = steps
        self._balance.compare(variables)

    def reclose(self, node: Node, written: Sequence[tuple[Any, Any]], steps: int, writes: int) -> None:
        """Stores the result of such a run: variables with their new values."""
        self._steps = steps
        self._balance.leave(written)
        _, passes, size = node.facts["taken apart"]
        node.facts["taken apart"] = self._balance, passes + 1, size
        self.conservation.passed_over += writes

    def left(self, node: Node) -> int:
        """Returns how many more passes of a path are not split."""
        mine, passes, size = node.facts.get("taken apart", (None, 0, 0))
        return until_measured(passes, size, few=_whole(size)) if mine is self._balance else 0

    def close(
        self, commit: Commit, written: Sequence[Written], writers: Sequence[Writer], steps: int
    ) -> None:
        """Adds the change by each cause in these writes to their writers."""
        self._steps = steps
        self._balance.close(written)
        mine, passes, size = commit.node.facts.get("taken apart", (None, 0, 0))
        if mine is not self._balance:
            passes, size = 0, sum(one.size for one in written)
        commit.node.facts["taken apart"] = self._balance, passes + 1, size
        if until_measured(passes, size, few=_whole(size)):
            self.conservation.passed_over += len(written)
            return
        for one, writer, account in zip(written, writers, accounts(commit, written), strict=True):
            if account is None:
                continue
            self.conservation.writes += 1
            writer.split += 1
            for cause, norm in account.norms.items():
                writer.parts[cause] = writer.parts.get(cause, 0.0) + norm
            if not account.replayed:
                key = (writer.by, writer.site)
                self.conservation.failed.append((self._subject(one.variable), key, one.step))

    def end(self) -> None:
        """Compares all variables once more, when the program is over."""
        self._balance.end()


def _whole(size: int) -> int:
    return WHOLE if size <= HUGE else 1


__all__ = ["Watch"]
