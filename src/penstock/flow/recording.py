"""The records of Penstock's own recorder in the form that reports read: its variables and passages."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from penstock.flow.asked import Asked
from penstock.flow.flags import flag_of, words_of
from penstock.flow.gradient_shares import shares_of
from penstock.flow.graph import Graph, Look, Region, Request, route
from penstock.flow.naming import Place
from penstock.flow.observed import Passage, Variable
from penstock.flow.reach import Verdict, judge
from penstock.flow.recorded import graph_of
from penstock.flow.replays import clips_of, responds, values_of
from penstock.flow.source import assigned_name, line_at
from penstock.flow.words import PaddleWords, Words
from penstock.state.members import remedy_for, replacements, statistics, wanted
from penstock.tiers.commits import Commit
from penstock.trace.builder import Builder
from penstock.trace.history import Past
from penstock.trace.recorder import Trace
from penstock.trace.source_site import Site
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import HEAVY, work_of

_uids = itertools.count(1)


class Recorded(Variable):
    """A variable of Penstock, or of one of its dialects."""

    __slots__ = ("cell",)

    def __init__(self, cell: Any) -> None:
        self.cell = cell

    @property
    def uid(self) -> int:  # type: ignore[override]
        """The number that identifies it."""
        return int(self.cell._uid)

    @property
    def path(self) -> str:  # type: ignore[override]
        """Its name in reports."""
        return str(self.cell.path)

    @property
    def unnamed(self) -> bool:
        return bool(self.cell.unnamed)

    @property
    def site(self) -> Site:  # type: ignore[override]
        """Where it was created."""
        found: Site = self.cell.site
        return found

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The length of each axis."""
        return tuple(self.cell._spec.shape)

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """The name of the dtype."""
        return str(self.cell._spec.dtype.name)

    @property
    def spec(self) -> str:
        return repr(self.cell._spec)

    @property
    def trainable(self) -> bool:  # type: ignore[override]
        """Whether training updates it."""
        return wanted(self.cell)

    @property
    def data(self) -> bool:
        return not getattr(self.cell, "_told", True)

    @property
    def replaced(self) -> Site | None:  # type: ignore[override]
        """The line that put another variable in its place."""
        return replacements.get(self.uid)

    @property
    def unregistered(self) -> str:  # type: ignore[override]
        """What to type so that the model that uses it lists it."""
        return remedy_for(self.cell)

    @property
    def statistic(self) -> bool:
        return self.uid in statistics

    @property
    def by_hand(self) -> bool:
        return isinstance(words_of(self.cell), PaddleWords) and self.cell._flags[0].by == "to_tensor"

    @property
    def settings(self) -> Sequence[tuple[bool, Site | None]]:
        return [
            (flag.value, flag.site) for flag in getattr(self.cell, "_flags", ()) if flag.name == "trainable"
        ]

    @property
    def words(self) -> Words:
        return words_of(self.cell)

    @property
    def flag(self) -> str:
        return flag_of(self.cell)

    @property
    def position(self) -> int | None:
        return self.cell.position if isinstance(self.cell, Asked) else None

    @property
    def handle(self) -> Any:
        return self.cell.handle() if isinstance(self.cell, Asked) else None

    def is_there(self) -> Callable[[], bool]:
        if isinstance(self.cell, Asked):
            # The requesting line remains, and recognizes each of its sources.
            return lambda: True
        cell = weakref.ref(self.cell)
        return lambda: cell() is not None


class Former(Variable):
    """A variable that may be dead: only the facts that identify it."""

    __slots__ = ("dtype", "path", "shape", "site", "trainable", "uid")

    replaced, unregistered = None, ""

    def __init__(self, cell: Any) -> None:
        one = Recorded(cell)
        self.uid, self.path, self.site = one.uid, one.path, one.site
        self.shape, self.dtype, self.trainable = one.shape, one.dtype, one.trainable


class Intermediate(Variable):
    """A result whose gradient, or another attribute of variables only, a program reads."""

    __slots__ = ("_words", "dtype", "path", "shape", "site", "uid")

    trainable = data = True
    replaced, unregistered = None, ""

    def __init__(self, tensor: Any, site: Site, words: Words) -> None:
        self.uid, self.site = -next(_uids), site
        self.path = assigned_name(site) or "the result"
        self.shape, self.dtype = tuple(tensor._spec.shape), str(tensor._spec.dtype.name)
        self._words = words

    @property
    def words(self) -> Words:
        return self._words


class Recording(Passage):
    """A recorded path with the variables and data bound to it: a trace, a run, a step that is over."""

    def __init__(self, owner: Trace | Past | Commit) -> None:
        self.owner = owner
        self.program = owner.node
        self.facts = owner.node.facts

    @property
    def graph(self) -> Graph:  # type: ignore[override]
        """The graph of the path."""
        return graph_of(self.owner.node)

    @cached_property
    def variables(self) -> Sequence[Variable]:  # type: ignore[override]
        """The variables of the path."""
        return [Recorded(cell) for cell in self.owner.variables]

    @property
    def missed(self) -> Sequence[tuple[int, Variable]]:  # type: ignore[override]
        """The variables whose gradient was requested although nothing on the path touched them."""
        return [(depth, Recorded(cell)) for depth, cell in self.owner.missed]

    @property
    def ends_step(self) -> bool:  # type: ignore[override]
        """Whether the trace has gone back to the root."""
        return not isinstance(self.owner, Commit) or self.owner.reset

    @property
    def identities(self) -> tuple[int, ...]:
        owner = self.owner
        told = [cell._uid for cell in owner.variables] + [cell._uid for _, cell in owner.missed]
        # A flag that no tape reads may change while the path stays what it is.
        told += [-cell._uid for cell in owner.variables if not getattr(cell, "_reported", True)]
        return tuple(told)

    def without_data(self) -> Recording:
        if not isinstance(self.owner, Commit):
            return self
        return Recording(replace(self.owner, writes=[], entries=[], arguments=(), known={}))

    @property
    def begins(self) -> int:
        return self.owner.start.depth if isinstance(self.owner, Commit) else 0

    @property
    def is_heavy(self) -> bool:
        work: int | None = self.facts.get("work")
        if work is None:
            work = self.facts["work"] = work_of(self.owner.node.program())
        return work > HEAVY

    def values(self, numbers: Iterable[int]) -> dict[int, Any] | None:
        owner = self.owner
        if not isinstance(owner, Commit):
            return None
        return values_of(owner, owner.node.program(), sorted(set(numbers)))

    def clipped(self) -> Sequence[tuple[str, Site | None, bool]]:
        return clips_of(self.owner) if isinstance(self.owner, Commit) else ()

    def shares(self, request: Request, terms: Sequence[int]) -> dict[int, dict[int, float]]:
        owner = self.owner
        return shares_of(owner, self.graph, request, terms) if isinstance(owner, Commit) else {}

    def responds(self, number: int, operand: int, operands: Sequence[Any]) -> bool:
        return responds(self.owner.node.program()[number], operand, operands)

    def entry(self, index: int) -> Tensor | None:
        """Returns the tensor that came in as data, if it is still alive."""
        if index >= len(self.owner.entries):
            return None
        found: Any = self.owner.entries[index]
        return found if isinstance(found, Tensor) else found()

    def is_computed(self, entry: int) -> bool:
        found = self.entry(entry)
        return found is not None and recording_of(found) is not None

    def numbers(self, thing: Any) -> list[int]:
        if isinstance(thing, Variable):
            cell = thing.cell if isinstance(thing, Recorded) else None
            for index, one in enumerate(self.owner.variables):
                if one is cell:
                    return self.graph.versions(index)
            return []
        if thing._trace is self.owner or thing._past is self.owner:
            return [thing._slot]
        return [v.number for v in self.graph.values if v.entry is not None and self.entry(v.entry) is thing]

    def earlier(
        self, numbers: Sequence[int], source: Any, region: Region
    ) -> tuple[Verdict, list[Place]] | None:
        """Follows data behind a target into the earlier step that computed it, on to the source."""
        seen: set[int] = set()
        waiting: list[tuple[Recording, Sequence[int], Region, list[Place]]] = [(self, numbers, region, [])]
        for one, starts, within, before in waiting:
            graph = one.graph
            for entry in sorted(graph.ancestors(starts), reverse=True):
                index = graph.values[entry].entry
                tensor = one.entry(index) if index is not None else None
                if tensor is None or id(tensor) in seen or (origin := recording_of(tensor)) is None:
                    continue
                seen.add(id(tensor))
                lead = route(starts, {entry}, lambda number: graph.values[number].inputs)  # noqa: B023
                places = before + [Place(graph, one.variables, within, v) for v in lead]
                found = judge(
                    origin.graph, [tensor._slot], origin.numbers(source), Region.whole(origin.graph)
                )
                if found.chain and found.reason != "escaped":
                    onward = [Place(origin.graph, origin.variables, None, v) for v in found.chain]
                    return Verdict("outside", (), earlier=True), places + onward
                waiting.append((origin, [tensor._slot], Region.whole(origin.graph), places))
        return None

    def is_after(self, number: int, look: Look) -> bool:
        graph = self.graph
        index = graph.values[number].variable
        if index is None or index >= len(self.owner.variables):
            return False
        made: Any = self.owner.variables[index]
        if words_of(made).maker.strip("()") not in (line_at(made.site) or words_of(made).maker):
            # Ones, or a random draw: it was not created from a value.
            return False
        before = graph.events[look.event].first
        # Numbers are given out in order: variables read before the look were created before it.
        read = {graph.values[one].variable for one in range(before)} - {None}
        if any(self.owner.variables[one]._uid >= made._uid for one in read):  # type: ignore[index]
            return False
        if look.site is None or (made.site.file, made.site.function) != (look.site.file, look.site.function):
            return True
        return bool(made.site.line >= look.site.line)

    def origin(self, source: Any) -> tuple[Variable, Site | None] | None:
        """Returns the variable that a tensor was made from on one line, if the two may be confused."""
        home = recording_of(source) if isinstance(source, Tensor) else None
        if home is None:
            return None
        graph = home.graph
        own = graph.values[source._slot]
        site = graph.site(own.number)
        waiting = [own.number]
        for number in waiting:
            for made_of in graph.values[number].inputs:
                value = graph.values[made_of]
                if value.variable is not None and value.spec == own.spec:
                    return home.variables[value.variable], site
                if value.kind == "operation" and graph.site(made_of) == site and made_of not in waiting:
                    waiting.append(made_of)
        return None


def observed(thing: Any) -> Any:
    """Returns a variable in the form that reports read; anything else unchanged."""
    return Recorded(thing) if isinstance(thing, Cell) else thing


def recording_of(tensor: Tensor) -> Recording | None:
    """Returns the recording in which a tensor was computed, if it is known."""
    trace: Any = tensor._trace
    if trace is not None:
        return Recording(trace.base if isinstance(trace, Builder) else trace)
    return Recording(tensor._past) if tensor._past is not None else None


__all__ = ["Former", "Intermediate", "Recorded", "Recording", "observed", "recording_of"]
