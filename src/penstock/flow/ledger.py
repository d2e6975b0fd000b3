"""The ledger: who wrote which variable, in which step, on which line, and by how much.

What reads the record is imported when a ledger is made, so that `import penstock` stays quick.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.errors import PenstockError
from penstock.flow.source import called
from penstock.state import selection
from penstock.tiers import plan
from penstock.tiers.plan import Commit
from penstock.trace.recorder import Builder, local
from penstock.trace.site import Site, here

if TYPE_CHECKING:
    from penstock.flow.writes import Written

selection.called = called

LISTED = 24
"""A ledger of more entries than this prints one line for each writer of each variable instead."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One write.

    `step` counts from 1, `variable` is a path, `by` the writer ("SGD", "assign_add"), `site` the line and
    `change` the Euclidean norm of the change. `terms` are its causes. `before` and `after` are NumPy arrays,
    or None unless the ledger was asked to keep values.
    """

    step: int
    variable: str
    by: str
    site: Site | None
    change: float
    terms: tuple[str, ...]
    before: Any = None
    after: Any = None


class Ledger:
    """Every write that took effect while it was open; see `ledger`. Iterating yields `Entry`s in order.

    `state` holds the writes of an optimizer to its own variables, such as moments.
    """

    def __init__(self, values: bool) -> None:
        from penstock.flow.writes import Steps

        self.entries: list[Entry] = []
        self.state: list[Entry] = []
        self._values = values
        self._steps = Steps(self._renumber)
        self._latest: list[tuple[Any, list[Entry], int]] = []
        self._open = False

    def __enter__(self) -> Ledger:
        if self._open:
            raise PenstockError(
                "This ledger is open already.", site=here(), remedy="Open another: ps.ledger()."
            )
        _finish("a ledger is opened")
        self._open = True
        plan.observers.append(self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                _finish("a ledger is closed")
        finally:
            self._open = False
            plan.observers.remove(self._note)

    def _note(self, commit: Commit) -> None:
        from penstock.flow.writes import writes_of

        for written in writes_of(commit, self._steps):
            entries = self.state if written.write.own else self.entries
            if self._latest and self._latest[-1][1][self._latest[-1][2]].step != written.step:
                self._latest.clear()
            self._latest.append(((written.event.site, written.variable._uid), entries, len(entries)))
            entries.append(self._entry(written))

    def _renumber(self, keys: Set[Any], step: int) -> None:
        """Puts the latest writes of some lines into the step that they turned out to begin."""
        for key, entries, position in self._latest:
            if key in keys:
                entries[position] = replace(entries[position], step=step)

    def _entry(self, written: Written) -> Entry:
        before = after = None
        if self._values:
            before, after = (
                None if value is None else np.array(value) for value in (written.before, written.after)
            )
        event = written.event
        return Entry(
            written.step,
            called(written.variable),
            event.name,
            event.site,
            written.change,
            written.write.terms,
            before,
            after,
        )

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def steps(self) -> int:
        """How many steps wrote something."""
        return self._steps.count

    def of(self, variable: Any) -> list[Entry]:
        """Returns the entries of one variable, given as a Variable or by its path.

        >>> import penstock as ps
        >>> count = ps.Variable(0.0, name="count")
        >>> with ps.ledger() as ledger:
        ...     for _ in range(3):
        ...         ignored = count.assign_add(2.0)
        >>> [(entry.step, entry.by, entry.change) for entry in ledger.of(count)]
        [(1, 'assign_add', 2.0), (2, 'assign_add', 2.0), (3, 'assign_add', 2.0)]
        """
        path = variable if isinstance(variable, str) else called(variable)
        return [entry for entry in self.entries if entry.variable == path]

    def __str__(self) -> str:
        if not self.entries:
            return "The ledger is empty: nothing was written."
        if len(self.entries) <= LISTED:
            return _table(
                [("step", "variable", "by", "where", "|change|"), *map(_line, self.entries)], "><<<>"
            )
        groups: dict[tuple[str, str, Site | None], list[Entry]] = {}
        for entry in self.entries:
            groups.setdefault((entry.variable, entry.by, entry.site), []).append(entry)
        header = ("variable", "by", "where", "steps", "times", "mean |change|")
        return _table([header, *map(_group, groups.values())], "<<<>>>")


def _line(entry: Entry) -> tuple[str, ...]:
    return str(entry.step), entry.variable, entry.by, str(entry.site or ""), f"{entry.change:.4g}"


def _group(entries: list[Entry]) -> tuple[str, ...]:
    one, last = entries[0], entries[-1].step
    steps = f"{one.step}–{last}" if one.step != last else str(last)
    mean = sum(entry.change for entry in entries) / len(entries)
    return one.variable, one.by, str(one.site or ""), steps, str(len(entries)), f"{mean:.4g}"


def ledger(values: bool = False) -> Ledger:
    """Returns a ledger, to be used in a `with` statement: it notes every write that happens inside.

    With `values`, entries keep the values before and after. What was pending before the block belongs to
    whoever recorded it; what the block records is run when it ends.

    >>> import penstock as ps
    >>> weight = ps.Variable(1.0, name="weight")
    >>> with ps.ledger() as ledger:
    ...     ps.optimizers.SGD(0.5).apply_gradients([(ps.asarray(3.0), weight)])
    ...     ignored = weight.assign_sub(1.0)
    >>> for entry in ledger:
    ...     print(entry.step, entry.variable, entry.by, entry.change)
    1 weight SGD 1.5
    1 weight assign_sub 1.0
    """
    return Ledger(values)


def _finish(when: str) -> None:
    """Runs what is pending, so that each write falls on its own side of the border."""
    trace = local.trace
    if isinstance(trace, Builder) or trace.capturing:
        raise PenstockError(
            f"Inside a captured step {when}.",
            why="A captured step is recorded once and then replayed without its Python code.",
            remedy="Open the ledger around the calls of the step.",
            site=here(),
        )
    if trace.pending:
        plan.wait(*trace.pending.values())


def _table(rows: list[tuple[str, ...]], alignments: str) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:{side}{wide}}" for cell, side, wide in zip(row, alignments, widths, strict=True)
        ).rstrip()
        for row in rows
    )
