"""The ledger: the writer of each variable, with the step, the line and the change.

The modules that read the record are imported with the first ledger, so that `import penstock` stays quick.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.errors import PenstockError, SelectionError
from penstock.flow.source import called
from penstock.state import selection
from penstock.tiers.commits import Commit
from penstock.tiers.completion import wait
from penstock.trace.builder import Builder
from penstock.trace.engine import engine
from penstock.trace.local import local
from penstock.trace.source_site import Site, here

if TYPE_CHECKING:
    from penstock.flow.causes import Balance
    from penstock.flow.report_model import Skip
    from penstock.flow.trajectories import Trajectory
    from penstock.flow.writes import Written


@dataclass(frozen=True, slots=True)
class Entry:
    """One write.

    `step` counts from 1, `variable` is a path, `by` the writer ("SGD", "assign_add"), `site` the line and
    `change` the Euclidean norm of the change. `terms` are its causes. `before` and `after` are NumPy arrays,
    or None unless the ledger was asked to keep values.

    With `split`, `parts` has the norm of the change by each cause, and `replayed` says whether the sum of the
    parts gives the value after, to the last bit. `added` are the parts themselves, in double precision, if
    values are kept.
    """

    step: int
    variable: str
    by: str
    site: Site | None
    change: float
    terms: tuple[str, ...]
    before: Any = None
    after: Any = None
    parts: Mapping[str, float] | None = None
    added: Mapping[str, Any] | None = None
    replayed: bool | None = None

    def replay(self) -> Any:
        """Returns the value before with the parts added to it, which is the value after; see `ledger`.

        Raises PenstockError if the ledger has not kept them.
        """
        from penstock.optimizers.attribution import replay

        if self.added is None:
            raise PenstockError(
                f"The parts of this write of {self.variable!r} were not kept.",
                remedy=f"Open the ledger as ps.ledger(values={self.variable!r}, split=True).",
                site=here(),
            )
        return replay(self.before, self.added)


class Ledger:
    """Every write that took effect while it was open; see `ledger`. Iterating yields `Entry`s in order.

    `state` holds the writes of an optimizer to its own variables, such as moments. `unrecorded` has an entry
    for each change without a record; only a ledger with `split` finds them. `skipped` lists the updates that
    were skipped because a gradient was not finite: which gradient, and which operation caused it.

    >>> import penstock as ps
    >>> weight = ps.Variable(0.0, name="weight")
    >>> optimizer = ps.optimizers.SGD(0.5, loss_scale_factor="dynamic")
    >>> with ps.ledger() as ledger, ps.GradientTape() as tape:
    ...     loss = optimizer.scale_loss(ps.sqrt(weight))
    ...     optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
    >>> [(skip.step, skip.by, skip.variables, skip.value, skip.scale) for skip in ledger.skipped]
    [(1, 'SGD', ('weight',), inf, (32768.0, 16384.0))]
    """

    def __init__(self, values: Any, split: Any) -> None:
        from penstock.flow.steps import Steps
        from penstock.flow.trajectories import SMALL, Tracks

        self.entries: list[Entry] = []
        self.state: list[Entry] = []
        self.unrecorded: list[Entry] = []
        self._balance: Balance | None = None
        self._small = 0 if split is False else SMALL
        self._split: set[int] | None = None
        if split is not False:
            from penstock.flow.causes import Balance

            self._balance = Balance(self._note_unrecorded)
            if not isinstance(split, bool):
                self._split = {variable._uid for variable in selection.select(split, what="ledger")}
        self.skipped: list[Skip] = []
        chosen = () if isinstance(values, bool) else selection.select(values, what="ledger")
        self._everything = values is True
        self._chosen = {variable._uid for variable in chosen}
        self._tracks = Tracks(self._everything, self._chosen)
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
        engine.commits.add(self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                _finish("a ledger is closed")
        finally:
            self._open = False
            engine.commits.remove(self._note)
            if self._balance is not None:
                self._balance.end()

    def _note(self, commit: Commit) -> None:
        lengths = [(one, len(one)) for one in (self.entries, self.state, self.skipped)]
        try:
            self._write_down(commit)
        except BaseException:
            # After an interrupt the run is dropped: it has written nothing.
            for listed, length in lengths:
                del listed[length:]
            self._latest.clear()
            raise

    def _write_down(self, commit: Commit) -> None:
        from penstock.flow.writes import writes_of

        self._tracks.meet(commit)
        steps: dict[int, int] = {}
        if self._balance is not None:
            self._balance.open(commit)
        noted = []
        for written in self._steps.along(list(writes_of(commit))):
            steps[written.event] = written.step
            entries = self.state if written.own else self.entries
            if self._latest and self._latest[-1][1][self._latest[-1][2]].step != written.step:
                self._latest.clear()
            self._latest.append(((written.site, written.uid), entries, len(entries)))
            if entries is self.entries:
                self._tracks.note(written.cell, len(entries), written.after)
            noted.append((written, entries, len(entries)))
            entries.append(self._entry(written))
        self._note_skips(commit, steps)
        if self._balance is not None:
            self._balance.close([written for written, _, _ in noted])
            self._take_apart(commit, noted)

    def _take_apart(self, commit: Commit, noted: Sequence[tuple[Written, list[Entry], int]]) -> None:
        """Adds the change by each cause to the entries of a run."""
        from penstock.flow.causes import accounts

        chosen = [one for one in noted if self._split is None or one[0].uid in self._split]
        found = accounts(commit, [written for written, _, _ in chosen])
        for (written, entries, position), account in zip(chosen, found, strict=True):
            if account is not None:
                added = account.added if self._keeps(written.cell) else None
                entries[position] = replace(
                    entries[position], parts=account.norms, added=added, replayed=account.replayed
                )

    def _note_unrecorded(self, variable: Any, before: Any, after: Any) -> None:
        from penstock.flow.writes import distance

        kept = (np.array(before), np.array(after)) if self._keeps(variable) else (None, None)
        change = distance(before, after)
        self.unrecorded.append(
            Entry(self._steps.count, called(variable), "nobody", None, change, ("unrecorded",), *kept)
        )

    def _keeps(self, variable: Any) -> bool:
        """Returns whether entries keep the values of a variable: chosen ones, and small ones with `split`."""
        small = variable._spec.size <= self._small
        return small or self._everything or variable._uid in self._chosen

    def _note_skips(self, commit: Commit, steps: Mapping[int, int]) -> None:
        """Notes the skipped updates of a run."""
        from penstock.flow.skipped_updates import applications, skip_of

        for node in applications(commit):
            found = skip_of(commit, node, steps.get(node.depth - 1, self._steps.count))
            if found is not None:
                self.skipped.append(found)

    def _renumber(self, keys: Set[Any], step: int) -> None:
        """Moves the latest writes of some lines into the step that they turned out to begin."""
        for key, entries, position in self._latest:
            if key in keys:
                entries[position] = replace(entries[position], step=step)

    def _entry(self, written: Written) -> Entry:
        before = after = None
        if self._keeps(written.cell):
            before, after = (
                None if value is None else np.array(value) for value in (written.before, written.after)
            )
        return Entry(
            written.step,
            called(written.cell),
            written.by,
            written.site,
            written.change(),
            written.terms,
            before,
            after,
        )

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def _repr_html_(self) -> str:
        """The display in a notebook: a row for each variable and writer."""
        from penstock.trace.html import table

        found: dict[tuple[str, str, str], list[float]] = {}
        for one in self.entries:
            found.setdefault((one.variable, one.by, str(one.site or "")), []).append(one.change)
        rows = [(*key, len(changes), sum(changes) / len(changes)) for key, changes in found.items()]
        head = ("variable", "written by", "line", "times", "mean change")
        skipped = [f"{len(self.skipped):,} updates were skipped"] if self.skipped else []
        return table(f"{len(self.entries):,} writes in {self.steps:,} steps", head, rows, skipped)

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

    def trajectory(self, variable: Any) -> Trajectory:
        """Returns the values of one variable from step to step, given as a Variable or by its path.

        Values of variables with at most 100 elements are kept, those of larger ones on request. Raises
        SelectionError for a variable whose values were not kept.

        >>> import penstock as ps
        >>> count = ps.Variable(0.0, name="count")
        >>> with ps.ledger() as ledger:
        ...     for _ in range(3):
        ...         ignored = count.assign_add(2.0)
        >>> ledger.trajectory("count").values
        array([0., 2., 4., 6.], dtype=float32)
        """
        path = variable if isinstance(variable, str) else called(variable)
        found = self.trajectories()
        if path not in found:
            raise self._no_trajectory(path, list(found))
        return found[path]

    def trajectories(self) -> dict[str, Trajectory]:
        """Returns the `trajectory` of every variable whose values were kept, also of those only read."""
        from penstock.flow.trajectories import trajectory

        tracks = sorted(self._tracks.tracks.items())
        made = [trajectory(track, self.entries) for _, track in tracks]
        return {one.variable: one for one in made}

    def _no_trajectory(self, path: str, found: list[str]) -> SelectionError:
        size = self._tracks.left_out.get(path)
        if size is not None:
            return SelectionError(
                f"The values of Variable {path!r} were not kept: it has {size} elements.",
                remedy=f"Request them when you open the ledger: ps.ledger(values={path!r}).",
                site=here(),
            )
        near = selection.near(path, found)
        return SelectionError(
            f"No Variable {path!r} was read or written while the ledger was open.",
            origin=f"Near: {', '.join(near)}" if near else "",
            remedy="Use one of the names above." if near else "Open the ledger around the training loop.",
            site=here(),
        )

    @property
    def conserved(self) -> bool:
        """Whether the writes, replayed on the values before, give the values after, to the last bit.

        False if a change without a record was found: see `unrecorded`. Raises PenstockError for a ledger that
        was opened without `split`.
        """
        if self._balance is None:
            raise PenstockError(
                "This ledger has not split its writes, so there is nothing to replay.",
                remedy="Open it as ps.ledger(split=True).",
                site=here(),
            )
        return not self.unrecorded and all(one.replayed is not False for one in (*self.entries, *self.state))

    def columns(self) -> dict[str, list[Any]]:
        """Returns the entries as columns: step, variable, by, cause, file, line and change.

        If writes were split, a column for each cause has the norm of its change: 0 if it has added nothing,
        None for a write that was not split.

        >>> import penstock as ps
        >>> count = ps.Variable(0.0, name="count")
        >>> with ps.ledger() as ledger:
        ...     ignored = count.assign_add(2.0)
        >>> columns = ledger.columns()
        >>> columns["variable"], columns["by"], columns["change"]
        (['count'], ['assign_add'], [2.0])
        """
        columns: dict[str, list[Any]] = {
            "step": [entry.step for entry in self.entries],
            "variable": [entry.variable for entry in self.entries],
            "by": [entry.by for entry in self.entries],
            "cause": ["+".join(entry.terms) for entry in self.entries],
            "file": [entry.site.file if entry.site else None for entry in self.entries],
            "line": [entry.site.line if entry.site else None for entry in self.entries],
            "change": [entry.change for entry in self.entries],
        }
        if self._balance is not None:
            from penstock.flow.causes import CAUSES

            split = [entry.parts for entry in self.entries]
            for cause in CAUSES:
                if any(parts and cause in parts for parts in split):
                    columns[cause] = [None if parts is None else parts.get(cause, 0.0) for parts in split]
        return columns

    def frame(self, kind: str | None = None) -> Any:
        """Returns the entries as a pandas or polars DataFrame, with the columns of `columns`.

        `kind` is "pandas", "polars" or "columns" (a dict of lists). By default it is the library that is
        already imported, or else an installed one, or else the dict. Raises PenstockError for a library that
        is missing.
        """
        libraries = ("pandas", "polars")
        if kind is None:
            used = [name for name in libraries if name in sys.modules]
            kind = next(iter(used or filter(importlib.util.find_spec, libraries)), "columns")
        if kind == "columns":
            return self.columns()
        if kind not in libraries:
            raise PenstockError(
                f"frame was asked for {kind!r}.",
                remedy="Ask for 'pandas', 'polars' or 'columns'.",
                site=here(),
            )
        try:
            return importlib.import_module(kind).DataFrame(self.columns())
        except ImportError:
            raise PenstockError(
                f"frame was asked for a {kind} DataFrame, and {kind} is not installed.",
                remedy=f"pip install {kind}, or use frame('columns'), which needs no library.",
                site=here(),
            ) from None

    def plot(
        self,
        path: Any = None,
        variables: Any = None,
        *,
        beside: Mapping[str, Any] | None = None,
        title: str | None = None,
    ) -> Any:
        """Draws the values of variables against the steps; returns the matplotlib Figure.

        `path` is a file to write (PNG, PDF, SVG by its ending), if any. `variables` chooses by pattern or
        object; by default, all whose values were kept are drawn. `beside` gives more values to draw, as
        dashed lines, by name. Each line is named at its end; one that did not move says why.

        Needs matplotlib (`pip install 'penstock[plot]'`); raises PenstockError if it is missing.
        """
        from penstock.flow.report.plot import draw

        return draw(self._drawn(variables), path, beside or {}, title)

    def _drawn(self, variables: Any) -> list[Trajectory]:
        found = self.trajectories()
        if variables is None:
            chosen = list(found.values())
        else:
            met = [track.variable for track in self._tracks.tracks.values()]
            chosen = [self.trajectory(one) for one in selection.select(variables, met, what="plot")]
        if not chosen:
            raise PenstockError(
                "There is nothing to plot: the ledger has no values.",
                origin="\n".join(
                    f"{name} has {size} elements" for name, size in self._tracks.left_out.items()
                ),
                why=(
                    "The ledger keeps values of variables that a step reads or writes, and of large ones "
                    "on request."
                ),
                remedy="Open the ledger around the training loop, with values='pattern' for large variables.",
                site=here(),
            )
        return chosen

    def plot_split(self, path: Any = None, variables: Any = None, *, title: str | None = None) -> Any:
        """Draws how far each cause has moved each variable in each step; returns the matplotlib Figure.

        `path` and `variables` are those of `plot`; by default, all variables with split writes are drawn. A
        panel has a line for each cause: the norm of its change, or for a single number the change itself,
        with its sign.

        Needs matplotlib; raises PenstockError if it is missing or no write was split.
        """
        from penstock.flow.report.split import draw_split

        written = dict.fromkeys(entry.variable for entry in self.entries if entry.parts is not None)
        if variables is None:
            chosen = list(written)
        else:
            met = [track.variable for track in self._tracks.tracks.values()]
            chosen = [called(one) for one in selection.select(variables, met, what="plot_split")]
            chosen = [one for one in chosen if one in written]
        if not chosen:
            raise PenstockError(
                "There is nothing to plot: no write of these variables was split.",
                remedy="Open the ledger around the training loop, as ps.ledger(split=True).",
                site=here(),
            )
        entries = [entry for entry in self.entries if entry.parts is not None]
        return draw_split({name: [e for e in entries if e.variable == name] for name in chosen}, path, title)

    def __str__(self) -> str:
        from penstock.flow.report.entries import LISTED, as_text

        text = as_text(self.entries, self.unrecorded, [*self.entries, *self.state])
        return "\n".join([text, *map(str, self.skipped[:LISTED])])


def ledger(values: Any = False, *, split: Any = False) -> Ledger:
    """Returns a ledger for a `with` statement: it notes every write inside.

    `values` says which variables keep their values before and after in the entries: True for all, or a path
    pattern, Variables or anything with `variables`; their trajectories are kept too. (Those of small
    variables always are.) Operations pending before the block belong to the code before it; operations
    recorded in the block are run when it ends.

    `split` splits writes by cause, for all variables or for those that it selects like `values`: the shares
    of the gradient, the loss scale, momentum, clipping, weight decay, an assignment, a layer's state, a
    checkpoint. The parts of a write, added to the value before in double precision and rounded once, give the
    value after to the last bit; "rounding" is the difference of the step's own arithmetic. Every variable is
    also watched: a change without a record is in `unrecorded`. Splitting computes each update a second time,
    so it costs time and memory; without it, nothing is computed or kept for it.

    Args:
        values: the variables whose entries keep values: a bool, patterns or variables.
        split: the variables whose writes are split by cause: a bool, patterns or variables.

    Returns:
        A `Ledger`, to be used in a `with` statement.

    Raises:
        SelectionError: if a pattern names no variable.
        PenstockError: if it is opened twice.

    >>> import penstock as ps
    >>> weight = ps.Variable(1.0, name="weight")
    >>> with ps.ledger() as ledger:
    ...     ps.optimizers.SGD(0.5).apply_gradients([(ps.asarray(3.0), weight)])
    ...     ignored = weight.assign_sub(1.0)
    >>> for entry in ledger:
    ...     print(entry.step, entry.variable, entry.by, entry.change)
    1 weight SGD 1.5
    1 weight assign_sub 1.0
    >>> optimizer = ps.optimizers.SGD(0.1, momentum=0.5, clipvalue=2.0)
    >>> with ps.ledger(split=True) as ledger:
    ...     for _ in range(2):
    ...         optimizer.apply_gradients([(ps.asarray(3.0), weight)])
    >>> for cause in ("gradient", "momentum", "clip"):
    ...     print(f"{cause:9} {ledger.entries[-1].added[cause]:+.3f}")
    gradient  -0.300
    momentum  -0.100
    clip      +0.100
    >>> ledger.entries[-1].replay() == weight.numpy(), ledger.conserved
    (np.True_, True)
    """
    return Ledger(values, split)


def _finish(when: str) -> None:
    """Runs the pending operations, so that each write is on the right side of the ledger's border."""
    trace = local.trace
    if isinstance(trace, Builder) or trace.capturing:
        raise PenstockError(
            f"Inside a captured step {when}.",
            why="A captured step is recorded once and then replayed without its Python code.",
            remedy="Open the ledger around the calls of the step.",
            site=here(),
        )
    if trace.pending:
        wait(*trace.pending.values())
