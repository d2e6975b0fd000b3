"""A plan: how to finish one path when certain handles are alive."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from penstock.tiers.program import extract, replacements
from penstock.trace.budget import budget
from penstock.trace.leaf import Argument, Constant, VariableArgument, Version
from penstock.trace.recorder import Trace
from penstock.trace.tree import HEAVY, PLAN_BYTES, Call

if TYPE_CHECKING:
    from penstock.tiers import xla


def _picker(positions: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Returns a function that picks these positions out of a sequence, as a tuple."""
    if len(positions) > 1:
        return operator.itemgetter(*positions)
    if len(positions) == 1:
        only = positions[0]
        return lambda values: (values[only],)
    return lambda _: ()


class Plan:
    """How to finish one path when certain handles are alive. Found by the path's node and those handles.

    `assigned` has the numbers that the path assigns to variables and reads again, by slot, if they are
    arguments of its program. `tapes` are those that can still be asked after a run. `used` is the time of
    its last run, by the clock of trace/budget.py. `launch` and `keep` run the executable when there is
    nothing to check: the first overwrites the donated values, the second keeps them.
    """

    __slots__ = (
        "__weakref__",
        "alias",
        "arrange",
        "assigned",
        "donated",
        "donated_arguments",
        "handles",
        "hot",
        "keep",
        "known",
        "launch",
        "live",
        "owners",
        "pick",
        "program",
        "recalled",
        "residuals",
        "tapes",
        "used",
        "wanted",
        "writes",
    )

    def __init__(
        self, trace: Trace, live: Iterable[int], residuals: list[int], calls: list[Call], reset: bool = True
    ) -> None:
        known = trace.known
        self.live = tuple(live)
        self.alias: list[tuple[int, int]] = []
        self.recalled: list[tuple[int, int]] = []
        handles: list[int] = []
        wanted: list[int] = []
        for index in live:
            handle = trace.handles[index]
            call = calls[handle._slot]
            if handle._slot in known:
                # Computed by an earlier run, perhaps for another handle on the same value.
                self.recalled.append((index, handle._slot))
                continue
            if isinstance(call.primitive, Argument):
                self.alias.append((index, call.primitive.position))
            else:
                handles.append(index)
                wanted.append(handle._slot)
        # In the order of the last writes: what was assigned before a step does not make it another program.
        pending = sorted(trace.pending.values(), key=trace.slot_of)
        writes = [trace.variable_index(variable) for variable in pending]
        wanted.extend(map(trace.slot_of, pending))
        self.handles, self.writes = tuple(handles), tuple(writes)
        self.residuals = residuals
        self.tapes: tuple[int, ...] = ()
        wanted.extend(residuals)
        self.wanted = tuple(wanted)
        self.program, taken = extract(calls, wanted, known)
        self.assigned: dict[int, Any] = {}
        # A captured step is one path at every call, and gets its arguments by their places alone.
        heavy = self.program.cost > HEAVY and not trace.capturing
        if heavy and (assigned := _assigned_numbers(calls)):
            self.program, taken = extract(calls, wanted, {*known, *assigned})
            self.assigned = {slot: assigned[slot] for slot in taken if slot in assigned}
        given = {**known, **self.assigned} if self.assigned else known
        self.known = [slot for slot in taken if slot in given]
        taken_arguments = [slot for slot in taken if slot not in given]
        positions = [calls[slot].primitive.position for slot in taken_arguments]
        self.pick = _picker(positions)
        order = {slot: i for i, slot in enumerate([*taken_arguments, *self.known])}
        self.arrange = _picker([order[slot] for slot in taken])
        self.donated: tuple[int, ...] = ()
        written = set(self.writes)
        # If a variable was read again because another thread wrote it, the last of its arguments holds its
        # value, and the others are stale.
        last: dict[int, int] = {}
        for number, slot in enumerate(taken):
            leaf = calls[slot].primitive
            if slot not in given and isinstance(leaf, VariableArgument) and leaf.variable in written:
                last[leaf.variable] = number
        donated = sorted(last.values())
        # Without a reset the arguments will be needed again, and after a run without one a variable's value
        # may differ from the one that was read.
        if not reset or trace.progress is not None:
            donated = []
        self.donated = tuple(donated)
        if not self.program.replaced:
            # Another recording of the same program may write other variables: then these pairs cost a copy.
            places = {variable: i for i, variable in enumerate(self.writes, len(self.handles))}
            written_by = {number: places[variable] for variable, number in last.items()}
            self.program.replaced = replacements(self.program, written_by)
        self.owners = tuple([calls[taken[number]].primitive.variable for number in donated])
        self.hot: xla.Executable | None = None
        self.launch: Callable[..., Sequence[Any]] | None = None
        self.keep: Callable[..., Sequence[Any]] | None = None
        self.used = budget.now
        budget.take(budget.recorded, PLAN_BYTES)
        self.program.hold(self)

    def forget(self) -> None:
        """Drops the executable; the next run compiles it again."""
        self.hot = self.launch = self.keep = None

    def arguments(self, trace: Trace) -> Sequence[Any]:
        """Returns the arguments of the program."""
        given = self.pick(trace.arguments)
        if not self.known:
            return given
        assigned, known = self.assigned, trace.known
        return self.arrange(
            [*given, *(assigned[one] if one in assigned else known[one] for one in self.known)]
        )


def _assigned_numbers(calls: Sequence[Call]) -> dict[int, Any]:
    """Returns the numbers that a path assigns to variables, by the slot of the write.

    A heavy program takes them as arguments: with the number in it, the first step after `total.assign(0.0)`
    would be another program than the steps that read `total`, and compiling it takes seconds.
    """
    return {
        call.slot: calls[call.inputs[0]].primitive.value
        for call in calls
        if isinstance(call.primitive, Version)
        and call.primitive.written
        and isinstance(calls[call.inputs[0]].primitive, Constant)
    }


def find_plan(trace: Trace, held: Any, reset: bool, wanting: Sequence[Any]) -> Plan:
    node = trace.node
    live = tuple(itertools.compress(itertools.count(), held))
    tapes = (
        () if reset else tuple(i for i, tape in enumerate(trace.tapes) if any(tape is one for one in wanting))
    )
    key = (live, tapes, trace.progress, reset)
    plan = node.plans.get(key)
    if plan is None or trace.progress == "published":
        calls = trace.program()
        residuals = [] if reset else _residuals(trace, tapes, calls)
        plan = Plan(trace, live, residuals, calls, reset)
        plan.tapes = tapes
        node.plans[key] = plan
    if reset and trace.progress is None:
        if len(node.plans) > 64:
            node.plans.clear()
        node.plans[held] = plan
    return plan


def _residuals(trace: Trace, tapes: Iterable[int], calls: list[Call]) -> list[int]:
    """Returns the slots whose values a backward pass may need, although nothing else holds them."""
    slots: set[int] = set()
    # What these tapes need of the part that the last run has computed was kept there.
    before = trace.progress
    first = trace.start.size if isinstance(before, Plan) and before.tapes == tapes else 0
    for index in tapes:
        for start, stop in trace.tapes[index].intervals(len(calls)):
            slots.update(range(max(start, first), stop))
    return [
        s
        for s in sorted(slots)
        if s not in trace.known and not isinstance(calls[s].primitive, Argument | Constant)
    ]


def arguments_of(plan: Plan, sources: Sequence[Any]) -> Sequence[Any]:
    """Returns the sources of the arguments of a plan's program, in its order, from those of the path."""
    return plan.pick(sources)
