"""A ledger of gradients stored with variables: which backward pass left them, which update applied them.

For vocabularies in which a backward pass adds to a slot of each variable, an optimizer applies the slot's
contents, and a third call clears it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from penstock.flow.bounds import Bounds
from penstock.flow.observed import Sink, Variable
from penstock.flow.schedules import Schedules
from penstock.flow.strays import NOWHERE, Strays, Way
from penstock.trace.source_site import Site

WAIT = 32
"""A pass whose gradients were cleared counts as wasted after this many further ones, or at the end."""
MOST = 64
"""How many passes with uncleared gradients are remembered."""
OFTEN = 2
"""A variable counts as moved without a gradient if that happened in this many of the last updates."""
SWEPT = 64
"""Dead variables are forgotten once in this many passes."""


@dataclass(slots=True, eq=False)
class _Pass:
    """One backward pass: `applied` has the variables whose gradients updates have applied, `by` when.

    `way` has the calls that led to it, `gave` the variables that got gradients, and `inference` says that it
    ran with layers in inference mode; `read` that a line has read one of the gradients.
    """

    site: Site | None
    number: int
    way: Way
    gave: set[int]
    inference: bool
    read: bool = False
    applied: set[int] = field(default_factory=set)
    by: list[int] = field(default_factory=list)
    update: tuple[str, Site | None] = "", None

    def is_applied(self, uid: int) -> bool:
        """Returns whether an update has applied the gradient of a variable."""
        return uid in self.applied


@dataclass(slots=True)
class _Empty:
    """Updates of one variable by zeros since the last backward pass that reached it."""

    variable: Variable
    by: str
    site: Site | None
    times: int = 0


class Slots:
    """Notes the lines that leave, apply and clear gradients, and reports lost or misapplied ones to a sink.

    Nothing is kept about dead variables.
    """

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._clock = 0
        self._given: dict[int, list[_Pass]] = {}
        self._there: dict[int, Callable[[], bool]] = {}
        self._held: set[int] = set()
        self._told: set[tuple[int, bool]] = set()
        self._empty: dict[int, _Empty] = {}
        self._strays: Strays[Variable] = Strays()
        self._bounds: Bounds[Variable] = Bounds()
        self.schedules = Schedules()
        self._latest: _Pass | None = None
        self._lost: deque[tuple[_Pass, Site | None, list[Variable]]] = deque()

    def left(
        self, site: Site | None, variables: Sequence[Variable], way: Way = NOWHERE, inference: bool = False
    ) -> None:
        """Notes a backward pass that has added to the gradients of these variables."""
        self._clock += 1
        uids = [variable.uid for variable in variables]
        one = _Pass(site, self._clock, way, set(uids), inference)
        self._latest = one
        alone = bool(self._held) and self._held.isdisjoint(uids)
        for uid, variable in zip(uids, variables, strict=True):
            self._empty.pop(uid, None)
            given = self._given.setdefault(uid, [])
            given.append(one)
            del given[:-MOST]
            if uid not in self._there:
                self._there[uid] = variable.is_there()
            if (uid, alone) not in self._told:
                self._told.add((uid, alone))
                self._sink.graded([variable], alone)
        while self._lost and self._lost[0][0].number < self._clock - WAIT:
            self._settle(*self._lost.popleft())
        if not self._clock % SWEPT:
            self._sweep()

    def _sweep(self) -> None:
        for uid in [uid for uid, there in self._there.items() if not there()]:
            del self._there[uid]
            self._given.pop(uid, None)
            self._empty.pop(uid, None)
            self._held.discard(uid)
            self._told -= {(uid, False), (uid, True)}

    def held(self, variables: Sequence[Variable]) -> None:
        """Notes the variables of an optimizer."""
        self._held.update(one.uid for one in variables)

    def applied(self, by: str, site: Site | None, variables: Sequence[Variable], way: Way = NOWHERE) -> None:
        """Notes an update that applies the gradients of these variables."""
        self._clock += 1
        again: list[Variable] = []
        first: _Pass | None = None
        there: dict[int, _Pass] = {}
        for variable in variables:
            uid = variable.uid
            given = self._given.get(uid, [])
            latest = given[-1].number if given else -1
            # Gradients that another optimizer applied before more were added were not cleared either.
            old = [
                one
                for one in given
                if one.number < latest and (uid in one.applied or any(when < latest for when in one.by))
            ]
            if old:
                again.append(variable)
                first = first or old[0]
            for one in given:
                there[one.number] = one
                one.applied.add(uid)
                one.update = by, site
                if not one.by or one.by[-1] != self._clock:
                    one.by.append(self._clock)
        self._strays.stepped(by, site, way, there.values(), variables)
        self._bounds.applied(by, site, variables)
        if first is not None:
            self._sink.applied_again(by, site, first.site, again)

    def read(self, variables: Sequence[Variable]) -> None:
        """Notes that a line of the program reads these gradients: it may use them for an update.

        Without variables, it reads those of other tensors, for which the latest pass was made.
        """
        if not variables and self._latest is not None:
            self._latest.read = True
        for variable in variables:
            for one in self._given.get(variable.uid, ()):
                one.read = True

    def clipped(self, site: Site | None, variables: Sequence[Variable]) -> None:
        """Notes a line that clips the gradients of these variables."""
        held = [(one, self._given.get(one.uid, ())) for one in variables]
        self._bounds.clip(site, held, True)

    def emptied(self, by: str, site: Site | None, variables: Sequence[Variable]) -> None:
        """Notes variables for which an update has found only the zeros left by clearing."""
        for variable in variables:
            one = self._empty.setdefault(variable.uid, _Empty(variable, by, site))
            one.times += 1

    def cleared(self, site: Site | None, variables: Sequence[Variable]) -> None:
        """Notes that the gradients of these variables were cleared."""
        lost: dict[int, tuple[_Pass, list[Variable]]] = {}
        for variable in variables:
            for one in self._given.pop(variable.uid, ()):
                if not one.by:
                    lost.setdefault(one.number, (one, []))[1].append(variable)
        self._lost.extend((one, site, held) for one, held in lost.values())

    def end(self) -> None:
        """Reports facts that are known only at the end."""
        self._strays.tell(self._sink.noted)
        for fact, variables in self._bounds.told():
            self._sink.noted(fact, variables)
        for schedule in self.schedules.told() if not self._sink.stopped else ():
            self._sink.noted(schedule)
        while self._lost:
            self._settle(*self._lost.popleft())
        for one in self._empty.values():
            if one.times >= OFTEN:
                self._sink.emptied(one.by, one.site, one.variable, one.times)

    def _settle(self, one: _Pass, site: Site | None, variables: Sequence[Variable]) -> None:
        held = [variable for variable in variables if variable.uid in self._held]
        if held and not one.by and not one.read:
            self._sink.wasted(one.site, site, held)


__all__ = ["Slots"]
