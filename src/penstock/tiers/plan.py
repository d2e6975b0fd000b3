"""Running a trace: selects the slots to compute and the tier, donates memory, and commits the writes."""

from __future__ import annotations

import itertools
import operator
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from penstock.errors import AbandonedError, CaptureError, PenstockError
from penstock.tiers.placement import Layouts, in_force
from penstock.tiers.program import HANDLED, Program, extract, own_site, replacements, values_at
from penstock.tiers.reference import interpret
from penstock.trace.budget import budget
from penstock.trace.engine import engine
from penstock.trace.fast_path import alive, holds, launch, release, settle, unshared
from penstock.trace.leaf import Argument, Constant, VariableArgument, Version
from penstock.trace.local import local, value_of
from penstock.trace.recorder import Trace, tidy
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import HEAVY, PLAN_BYTES, Call, Node, tree

if TYPE_CHECKING:
    from penstock.tiers import compiler, xla

getrefcount = sys.getrefcount
ndarray = np.ndarray

HOT_RUNS = 16
"""A program that compiles quickly is compiled at the run after this many runs; others are later, unless they
are heavy."""
HEAVIER = 1.75
"""A kernel of a heavy program counts as this many. Its results do not count: its large products are calls."""
LONG = 2_000
"""The steps of a heavy program beyond this many count as those of a light one do: XLA's passes over them take
longer than its kernels."""
KERNEL, CLIENT = 100_000_000, 60
"""How many arithmetic operations of NumPy are worth compiling one kernel, and how many kernels XLA compiles
in the time that importing JAX takes. NumPy performs two to three times as many while XLA compiles a kernel. A
heavy program is compiled at the run by which NumPy would have performed these. Any program is compiled after
`HOT_RUNS` if NumPy has worked on it for as long as compiling it takes beyond the time of that import."""

ENGINES = ("auto", "numpy", "xla")


class Settings:
    """Which tier runs programs: `engine` is "auto", "numpy" or "xla" (environment: PENSTOCK_ENGINE)."""

    def __init__(self) -> None:
        self.engine = os.environ.get("PENSTOCK_ENGINE", "auto")
        if self.engine not in ENGINES:
            raise PenstockError(
                f"PENSTOCK_ENGINE is {self.engine!r}.",
                remedy=f"Set it to one of {', '.join(ENGINES)}, or unset it.",
            )


settings = Settings()


on_the_way: list[Any] = []
"""The results of the present run, if a report is being made and NumPy has computed them."""


class Computed(NamedTuple):
    """The values of a program that was run for some slots: arguments, constants and results of steps.

    It took the slots in `known` as arguments, beside those of the path.
    """

    wanted: tuple[int, ...]
    known: Sequence[int]
    values: list[Any]


@dataclass(slots=True)
class Commit:
    """The writes of a run, for observers: `writes` holds (variable, value before, value after).

    `start` is the node at which the run began; `arguments` are the values bound on the path, by position, and
    `known` the values of slots that an earlier run of the same path has computed. `missed` is that of
    `Trace`. `computed` are all values of the run if NumPy has computed them, while observers are being told.
    """

    node: Node
    start: Node
    variables: list[Cell]
    writes: list[tuple[Cell, Any, Any]]
    reset: bool
    entries: list[Tensor]
    arguments: Sequence[Any]
    known: Mapping[int, Any]
    missed: Sequence[tuple[int, Cell]] = ()
    computed: Computed | None = None


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


def _locate(error: BaseException, calls: Sequence[Call], wanted: Iterable[int], known: Iterable[int]) -> None:
    """Moves an error to the line of this recording; another line may have recorded the program first."""
    if isinstance(error, PenstockError) and error.trail:
        site = own_site(error.trail, calls, wanted, known)
        error.trail = ()
        if site is not None and site is not error.site:
            error.move(site)


HOLDERS = 3
"""The holders of a variable's value that nothing else references: it, the trace's and program's arguments."""


class Missing(NamedTuple):
    """The result of a run whose program is not compiled yet: nothing has been changed."""

    program: Program
    donated: tuple[int, ...]
    layouts: Layouts | None = None


Compiled = dict[Missing, "xla.Executable"]
"""The executables of one run: they can be launched even if others are not to use them."""


def run(trace: Trace, reset: bool, compiled: Compiled | None = None) -> None:
    """Computes every value of a trace that can still be read, and commits its writes together.

    With `reset` the step is over: the trace goes back to the root. Without, its history stays, for a tape.
    If anything fails, every variable keeps its value and the trace is abandoned.

    A program is compiled without the engine's lock, so that other threads go on in the meantime; then the run
    starts over, with the writes and handles that are pending and alive at that point.
    """
    for guard in trace.guards:
        guard.recorded(trace)
    with engine.lock:
        box: list[Any] = []
        plan: Plan | None = None
        watched = engine.commits.functions
        try:
            foreseen = _foreseen(trace, len(watched)) if watched and reset else None
            keeps = bool(watched) if foreseen is None else foreseen.keeps
            tapes: Sequence[Any] = ()
            for tape in trace.tapes:
                if not tape._used:
                    tapes = live_tapes(trace)
                    break
            held = alive(trace.handles)
            plan = trace.node.plans.get(held) if reset and trace.progress is None else None
            if plan is None:
                plan = _find(trace, held, reset, tapes)
            ready = plan.keep if keeps else plan.launch
            if ready is None or tapes or engine.several or settings.engine == "numpy":
                outputs = _execute(plan, trace, tapes, box, compiled, keeps, foreseen is None)
            else:
                # The same as _execute, for a plan that is compiled and has nothing to check.
                arguments = plan.pick(trace.arguments)
                free = keeps or unshared(arguments, plan.donated, HOLDERS)
                if free and not holds(arguments, ndarray):
                    plan.program.launches += 1
                    # An interrupt after it does no harm if nothing is overwritten.
                    outputs = launch([] if keeps else box, ready, arguments)
                else:
                    # Pass no reference held here: one more holder of a value would prevent overwriting it.
                    arguments = ()
                    outputs = _execute(plan, trace, tapes, box, compiled, keeps, foreseen is None)
            if type(outputs) is not Missing:
                plan.used = budget.now
                if foreseen is not None:
                    foreseen(trace, plan, outputs)
                elif watched:
                    _observe(plan, trace, outputs, reset)
                if not box:
                    box.append(outputs)
                _commit(plan, trace, outputs, reset, tapes)
        except BaseException as error:
            if plan is not None:
                _locate(error, trace.node.program(), plan.wanted, plan.known)
            tell_failed(trace, reset, error)
            if box and plan is not None:
                # An interrupt after the launch: the values before may be gone, so the step counts as done.
                _finish(plan, trace, box[0], reset, tapes)
            else:
                _abandon(trace, error)
            raise
    if type(outputs) is not Missing:
        return
    try:
        compiled = with_compiled(compiled, outputs)
    except BaseException as error:
        with engine.lock:
            _locate(error, trace.node.program(), plan.wanted, plan.known)
            tell_failed(trace, reset, error)
            _abandon(trace, error)
        raise
    run(trace, reset, compiled)


def _foreseen(trace: Trace, watching: int) -> Any:
    """Returns the object to notify of a run in place of a Commit, if the only observer offers one."""
    asked = engine.passes.functions
    return asked[0](trace) if watching == len(asked) == 1 else None


def tell_failed(trace: Trace, reset: bool, error: BaseException) -> None:
    """Tells observers what a failed run would have done."""
    if engine.failures:
        lost = Commit(
            trace.node, trace.start, trace.variables, [], reset, trace.entries, (), {}, trace.missed
        )
        engine.failures.tell(lost, error)


def _execute(
    plan: Plan,
    trace: Trace,
    tapes: Sequence[Any],
    box: list[Any],
    compiled: Compiled | None,
    keeps: bool,
    told: bool,
) -> Sequence[Any]:
    """Computes the values of a plan; if a program must be compiled first, does nothing and returns Missing.

    `keeps` says whether an observer needs the earlier values, `told` whether a Commit will be made.
    """
    if engine.several:
        engine.count_threads()
    program = plan.program
    arguments = plan.arguments(trace)
    for index, position in plan.alias:
        trace.handles[index]._value = trace.arguments[position]
    for index, slot in plan.recalled:
        trace.handles[index]._value = trace.known[slot]
    if not compiled:
        # A run that starts over has been counted already.
        program.runs += 1
    hot = plan.hot
    if hot is None or settings.engine == "numpy":
        if not program.outputs:
            return ()
        if not is_hot(program) or (program.light and _is_for_numpy(trace, arguments)):
            return interpret(
                program, arguments, on_the_way if told and engine.commits and not program.ends else None
            )
        from penstock.tiers import compiler

        lacking = compiler.lack()
        if lacking is not None:
            return without_xla(lacking, program, arguments)
    layouts = None
    if in_force.placement is not None:
        arguments, whose = _put(plan, trace)
        written = [trace.variables[index] for index in plan.writes]
        layouts = in_force.placement.layouts(program, arguments, whose, len(plan.handles), written)
    elif holds(arguments, np.ndarray):
        arguments = _settle_on_device(plan, trace, arguments)
    if keeps or tapes:
        # Observers compare a variable's value with the one before, and a tape may have to replay the
        # step: the earlier values must outlive the run.
        hot = find_compiled(program, (), compiled, layouts)
        if hot is None:
            return Missing(program, (), layouts)
        given = arguments if layouts is not None else lent(program, hot, arguments, ())
        kept = hot(program, given, [])
        if layouts is None and not tapes and given is arguments and _is_plain(plan, hot):
            plan.keep = hot.launch
        return kept
    taken: list[tuple[Cell, Any]] = []
    if engine.several and plan.donated:
        # Do this before counting references: a thread that reads one of these now waits for the lock.
        taken = [(trace.variables[i], trace.variables[i]._value) for i in plan.writes]
        for variable, _ in taken:
            variable._value = None
    outputs: Sequence[Any] | None = None
    try:
        own = plan.donated
        if not unshared(arguments, own, HOLDERS):
            own = tuple(i for i in own if unshared(arguments, (i,), HOLDERS))
        if engine.several:
            # Another thread may have assigned a new value since this one was read, and a third thread may
            # still hold the old one.
            present = {id(variable): value for variable, value in taken}
            owners = dict(zip(plan.donated, plan.owners, strict=True))
            own = tuple(i for i in own if present.get(id(trace.variables[owners[i]])) is arguments[i])
        if layouts is not None:
            hot = find_compiled(program, own, compiled, layouts)
        elif own != plan.donated:
            if own not in program.compiled and len(program.compiled) >= 4:
                own = ()
            hot = find_compiled(program, own, compiled)
        elif hot is None:
            hot = find_compiled(program, own, compiled)
        if hot is None:
            return Missing(program, own, layouts)
        given = arguments if layouts is not None else lent(program, hot, arguments, own)
        outputs = hot(program, given, box)
        if layouts is None and own == plan.donated and given is arguments and not _apart(program, hot, own):
            plan.hot = hot
            if _is_plain(plan, hot):
                plan.launch = hot.launch
        return outputs
    finally:
        # On success the commit gives them their new values; until then nothing may see the overwritten ones.
        for variable, value in taken if outputs is None and not box else ():
            variable._value = value


def _is_plain(plan: Plan, hot: xla.Executable) -> bool:
    """Returns whether a plan's program takes arguments as they are, and has nothing to check."""
    return not (hot.checked or plan.alias or plan.known)


def with_compiled(compiled: Compiled | None, missing: Missing) -> Compiled:
    """Compiles a missing program and adds it to those of a run; called without the engine's lock."""
    from penstock.tiers import xla

    return {**(compiled or {}), missing: xla.executable(*missing)}


def find_compiled(
    program: Program, donated: tuple[int, ...], compiled: Compiled | None, layouts: Layouts | None = None
) -> xla.Executable | None:
    """Returns a compiled program, if one exists already: for all runs, or for this one.

    It may overwrite other arguments than `donated`: see `lent`.
    """
    key: Any = donated if layouts is None else (donated, layouts)
    found: xla.Executable | None = program.compiled.get(key)
    if found is None and compiled:
        found = compiled.get(Missing(program, donated, layouts))
        if found is not None:
            # It was dropped after it was compiled; a launched executable counts again.
            program.compiled[key] = found
    if found is None and layouts is None:
        found = next((one for one in program.compiled.values() if _fits(program, one, donated)), None)
    return found


LENT = 1 << 12
"""The most bytes of a small argument."""
LOANS = 1000
"""How many copies of small arguments take about as long as compiling a small program."""
LENT_A_PIECE = 1 << 22
"""For each piece that would be compiled, how many bytes of large arguments are copied, or not overwritten."""


def _fits(program: Program, one: xla.Executable, donated: tuple[int, ...]) -> bool:
    """Returns whether an executable overwrites these arguments, or may stand in for one that does.

    One step of a loop may keep what the others overwrite: the first one, or the one after an evaluation.
    Compiling for it takes longer than a few copies.
    """
    if one.placed:
        return False
    large = _apart(program, one, donated)
    if large and program.lent + large > LENT_A_PIECE * program.pieces:
        return False
    more = not set(one.donated).issubset(donated)
    return not more or large > 0 or program.cost > HEAVY or program.loans < LOANS


def _apart(program: Program, one: xla.Executable, donated: tuple[int, ...]) -> int:
    """Returns the bytes of large arguments that either the executable overwrites, or a run may: not both."""
    if one.donated == donated or one.device_guards:
        # With such guards it overwrites nothing, whatever it was compiled for.
        return 0
    apart = set(donated).symmetric_difference(one.donated)
    return sum(size for i in apart if (size := program.specs[i].nbytes) > LENT)


def lent(
    program: Program, hot: xla.Executable, arguments: Sequence[Any], own: tuple[int, ...]
) -> Sequence[Any]:
    """Returns the arguments, with copies of those that an executable overwrites and this run may not."""
    program.lent += _apart(program, hot, own)
    others = [i for i in hot.donated if i not in own]
    if not others:
        return arguments
    from penstock.tiers import xla

    program.loans += len(others)
    copies = {i: xla.on_device(np.array(arguments[i])) for i in others}
    return [copies.get(i, one) for i, one in enumerate(arguments)]


def _is_for_numpy(trace: Trace, arguments: Sequence[Any]) -> bool:
    """Returns whether NumPy may compute a light program: from data alone, all of it already in NumPy.

    Computations on variables change tiers by counts alone, which a checkpoint stores: resumed training is
    then the same to the last bit.
    """
    return (
        settings.engine == "auto"
        and not trace.variables
        and all(isinstance(one, np.ndarray | np.generic) for one in arguments)
    )


def is_hot(program: Program) -> bool:
    """Returns whether a program has been run often enough to be compiled, or must be compiled anyway."""
    if settings.engine == "numpy":
        return False
    if settings.engine == "xla" or (in_force.placement is not None and in_force.placement.compiles):
        return True
    return pays(program, program.runs)


def pays(program: Program, runs: int) -> bool:
    """Returns whether compiling a program pays after this many runs.

    Until then NumPy has worked for less than half of the time that compiling takes. The answer depends on
    counts alone, so that a run is reproducible. A program with a loop that ends by its values is compiled
    after `HOT_RUNS`: how many calls it makes is not known.
    """
    if program.cost > HEAVY:
        beyond = max(0, len(program.steps) - LONG) // HANDLED
        if runs * program.work > KERNEL * (HEAVIER * program.kernels + beyond + CLIENT):
            return True
    if runs <= HOT_RUNS:
        return False
    return runs * program.work > KERNEL * (program.pieces - CLIENT) or program.open_ended


def without_xla(lacking: compiler.Lack, program: Program, arguments: Sequence[Any]) -> Sequence[Any]:
    """Computes a hot program without XLA; NumPy also computes everything after it.

    Raises PenstockError if XLA was requested by name.
    """
    if settings.engine == "xla":
        raise PenstockError(
            f"The engine is set to 'xla', but {lacking.clause}.",
            origin=lacking.error,
            why="No variable was changed.",
            remedy=f"{lacking.remedy}\nOr unset PENSTOCK_ENGINE: without XLA, NumPy runs every step.",
        )
    from penstock.tiers import compiler

    settings.engine = "numpy"
    start = perf_counter()
    outputs = interpret(program, arguments)
    compiler.tell(lacking, program, perf_counter() - start)
    return outputs


def _settle_on_device(plan: Plan, trace: Trace, arguments: Sequence[Any]) -> Sequence[Any]:
    """Moves values that recur in every step (variables, the user's tensors) to XLA's device, once.

    Returns the arguments, which are `arguments` before.
    """
    from penstock.tiers import xla

    taken = trace.arguments
    owners: list[Any] = [*trace.variables, *trace.entries]
    moved: dict[int, tuple[Any, Any]] = {}
    needed = {id(one) for one in arguments if isinstance(one, np.ndarray)}
    # What entered last comes first: a long path has run with the other values already.
    for owner in reversed(owners):
        value = owner._value
        if id(value) in needed:
            owner._value = xla.on_device(value) if isinstance(owner, Cell) else xla.sent(value)
            # Keep the old value too: while it lives, no other value has its identity.
            moved.setdefault(id(value), (value, owner._value))
            if len(moved) == len(needed):
                break
    for position, argument in enumerate(taken):
        if id(argument) in moved:
            taken[position] = moved[id(argument)][1]
    return plan.arguments(trace)


def _put(plan: Plan, trace: Trace) -> tuple[Sequence[Any], Sequence[Any]]:
    """Moves the arguments of a program to their devices; values with an owner stay there.

    Returns the arguments, and the variables whose values they are.
    """
    placement = in_force.placement
    assert placement is not None
    taken = trace.arguments
    moved: dict[int, tuple[Any, Any]] = {}
    owners: list[Any] = [*trace.variables, *trace.entries]
    for owner in owners:
        value = owner._value
        put = placement.put(owner, value)
        if put is not value:
            if isinstance(owner, Cell) or not placement.together:
                owner._value = put
            # Keep the old value too: while it lives, no other value has its identity.
            moved.setdefault(id(value), (value, put))
    for position, argument in enumerate(taken):
        if id(argument) in moved:
            taken[position] = moved[id(argument)][1]
    arguments = [placement.put(None, one) for one in plan.arguments(trace)]
    by_value = {id(variable._value): variable for variable in trace.variables}
    return arguments, [by_value.get(id(one)) for one in arguments]


def _find(trace: Trace, held: Any, reset: bool, wanting: Sequence[Any]) -> Plan:
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


def _finish(plan: Plan, trace: Trace, outputs: Sequence[Any], reset: bool, tapes: Sequence[Any]) -> None:
    """Completes a commit, wherever it was interrupted."""
    if reset and trace.node is tree.root:
        # All results are assigned: the return to the root, which forgets the handles, is the last step.
        trace.clear()
    else:
        _commit(plan, trace, outputs, reset, tapes)


def _commit(plan: Plan, trace: Trace, outputs: Sequence[Any], reset: bool, tapes: Sequence[Any]) -> None:
    """Assigns the results of a run. Until the trace goes back to the root, this may be repeated."""
    handles = trace.handles
    variables = trace.variables
    settle(handles, plan.handles, variables, plan.writes, outputs)
    if reset:
        standing = trace.standing
        bound = standing is not None and standing.bound
        if plan.live or tapes or bound:
            past = trace.previous = trace.past(bool(tapes))
            for tape in tapes:
                tape._past = past
            release(handles, plan.live, past)
            if bound:
                standing.carry(trace, past)  # type: ignore[union-attr]
        trace.renew()
        return
    count = len(plan.handles)
    for index in plan.handles:
        handle = handles[index]
        trace.known[handle._slot] = handle._value
    first = count + len(plan.writes)
    for slot, value in zip(plan.residuals, outputs[first:], strict=True):
        trace.known[slot] = value
    for index in plan.writes:
        variable = variables[index]
        trace.known[trace.slot_of(variable)] = variable._value
    trace.pending, trace.counts = {}, []
    trace.progress = plan
    trace.start = trace.node


def _observe(plan: Plan, trace: Trace, outputs: Sequence[Any], reset: bool) -> None:
    first = len(plan.handles)
    writes = []
    for index, value in zip(plan.writes, outputs[first:], strict=False):
        variable = trace.variables[index]
        before = variable._value
        if before is not None and getattr(before, "is_deleted", bool)():
            before = None
        writes.append((variable, before, value))
    commit = Commit(
        trace.node,
        trace.start,
        trace.variables,
        writes,
        reset,
        trace.entries,
        trace.arguments,
        dict(trace.known) if trace.known else {},
        trace.missed,
        Computed(plan.wanted, plan.known, on_the_way) if on_the_way else None,
    )
    try:
        engine.commits.tell(commit)
    finally:
        on_the_way.clear()


def _abandon(trace: Trace, error: BaseException) -> None:
    """Drops everything that a failed run would have done."""
    with engine.lock:
        _drop(trace, error)


def _take_back(trace: Trace, variables: Sequence[Cell], node: Node) -> None:
    """Takes back the versions that a trace has counted since its last run, up to a node."""
    if trace.rehearsal:
        return
    own = {id(variable) for variable in variables}
    for number, _ in node.writes(trace.start.depth) if own else ():
        variable = trace.variables[number]
        if id(variable) in own:
            variable._version -= 1
    for updates in trace.counts:
        updates[0] -= 1
    trace.counts = []


def _drop(trace: Trace, error: BaseException) -> None:
    pending = list(trace.pending.values())
    # Not up to the cursor: an interrupt may have come between a write's event and its version.
    _take_back(trace, pending, trace.checkpoint)
    for variable in pending:
        if variable._pending is trace:
            variable._pending = None
    for handle in trace.handles:
        if handle._value is None:
            handle._value = AbandonedError(
                f"This value was never computed, because the step it belongs to failed: {_first_line(error)}"
            )
        handle._trace = None
        handle._past = None
    tapes = [tape for tape in trace.tapes if tape._open]
    trace.clear()
    tidy()
    for tape in tapes:
        tape._restart(trace, sys._getframe(1))


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"


def publish(variable: Cell) -> None:
    """Commits another thread's pending write of a variable, so that this thread may read it.

    All pending writes of that thread are committed together. If they fail, or a contract of that thread
    refuses them, they are dropped: the variables keep their values.
    """
    own = local.trace
    if variable._pending is own and own is not None:
        run(own, reset=not own.taping)
        return
    with engine.lock:
        trace = variable._pending
        if trace is None:
            return
        pending = list(trace.pending.values())
        olds = [one._value for one in pending]
        # Remove the values first: a thread that finds none waits for the lock.
        for one in pending:
            one._value = None
        for one in pending:
            trace.pending.pop(one._uid, None)
            one._pending = None
        node = trace.checkpoint
        values = None
        try:
            if _is_refused(trace):
                return
            last = {id(trace.variables[number]): slot for number, slot in node.writes()}
            values = _evaluate(trace, node.program(), [last[id(one)] for one in pending])
            if engine.commits:
                _observe_published(trace, node, list(zip(pending, olds, values, strict=True)))
        except BaseException:
            values = None
            raise
        finally:
            if values is None:
                _take_back(trace, pending, node)
                values = olds
            for one, value in zip(pending, values, strict=True):
                one._value = value
            trace.progress = "published"
            # Later writes are reported, or taken back, from here on.
            trace.start, trace.counts = node, []


def _is_refused(trace: Trace) -> bool:
    """Returns whether a contract of another thread refuses its pending writes; that thread is told later."""
    try:
        for guard in trace.guards:
            guard.published(trace)
    except PenstockError:
        return True
    return False


def _observe_published(trace: Trace, node: Node, writes: list[tuple[Cell, Any, Any]]) -> None:
    """Tells observers about pending writes of another thread, which are committed for a reader."""
    variables, entries, missed = list(trace.variables), list(trace.entries), tuple(trace.missed)
    commit = Commit(
        node, trace.start, variables, writes, False, entries, list(trace.arguments), dict(trace.known), missed
    )
    engine.commits.tell(commit)


def _evaluate(trace: Trace, calls: list[Call], slots: list[int]) -> list[Any]:
    known = dict(trace.known)
    program, taken = extract(calls, slots, known)
    try:
        return interpret(program, values_at(taken, calls, known, trace.arguments))
    except PenstockError as error:
        _locate(error, calls, slots, known)
        raise


def peek(tensor: Tensor) -> Any:
    """Returns the value of another thread's pending tensor, without touching that thread's trace."""
    with engine.lock:
        trace = tensor._trace
        if tensor._value is None and trace is not None:
            base = getattr(trace, "base", trace)
            tensor._value = _evaluate(base, base.node.program(), [tensor._slot])[0]
        return tensor._value


def live_tapes(trace: Trace) -> list[Any]:
    """Returns the tapes of a trace that can still compute a gradient."""
    return [tape for tape in trace.tapes if tape._open or (not tape._used and getrefcount(tape) > LISTED)]


LISTED = max([getrefcount(tape) for tape in [object()]])
"""The reference count, in such a list, of a tape that only its trace holds."""


def wait(*values: Any) -> None:
    """Runs the pending operations; returns when these variables or tensors, or all, have their values.

    Args:
        values: variables or tensors; none means everything.

    Returns:
        None.

    Raises:
        AbandonedError: if a step that was to compute a value has failed.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> ps.wait(x.assign_add(1.0))
    """
    trace = local.trace
    if trace.pending or (not values and trace.node is not tree.root):
        trace.run(not trace.taping and not live_tapes(trace))
    for value in values:
        runtime = value._value
        if runtime is None:
            runtime = (
                value_of(value, "wait()")
                if isinstance(value, Tensor)
                else value._look("wait()", sys._getframe(1))
            )
        if type(runtime) is not np.ndarray:
            runtime.block_until_ready()
    if not values:
        _block_until_ready()


def _block_until_ready() -> None:
    if "jax" in sys.modules and settings.engine != "numpy":
        from penstock.tiers import compiler

        for one in compiler.jax().live_arrays() if compiler.lack() is None else ():
            one.block_until_ready()


def _before_fork() -> None:
    """Lets XLA and every other thread finish: a child process would wait forever for their results.

    A child process cannot ask an accelerator for a value, so the values there are copied to this processor's
    memory; JAX then answers from the copy.
    """
    engine.lock.acquire()
    _block_until_ready()
    for one in _on_accelerators():
        np.asarray(one)


def _on_accelerators() -> list[Any]:
    """Returns the arrays on this process's accelerators."""
    if "jax" not in sys.modules or settings.engine == "numpy":
        return []
    from penstock.tiers import compiler

    if compiler.lack() is not None or compiler.jax().default_backend() == "cpu":
        return []
    return [one for one in compiler.jax().live_arrays() if one.is_fully_addressable]


def _after_fork_in_parent() -> None:
    engine.lock.release()


def _after_fork() -> None:
    """A child process has none of XLA's threads: it continues with NumPy."""
    engine.after_fork()
    if "jax" in sys.modules:
        _keep_for_ever(_on_accelerators())
        settings.engine = "numpy"


def _keep_for_ever(arrays: Sequence[Any]) -> None:
    """Keeps arrays on accelerators, and the programs there, until this forked process has ended.

    Freeing them would call the driver, which a forked process cannot: it crashes, at its exit at the latest.
    """
    if not arrays:
        return
    import ctypes

    client = next(iter(arrays[0].devices())).client
    for one in (client, *client.live_executables(), *arrays):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(one))


def abandon(trace: Trace) -> None:
    """Forgets the recorded operations that have not been run; variables keep their values and versions."""
    _abandon(trace, CaptureError("the step was recorded to be replayed"))


def arguments_of(plan: Plan, sources: Sequence[Any]) -> Sequence[Any]:
    """Returns the sources of the arguments of a plan's program, in its order, from those of the path."""
    return plan.pick(sources)


engine.install(run=run, abandon=_abandon, publish=publish, peek=peek, live_tapes=live_tapes)
with suppress(AttributeError):
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork
    )

__all__ = ["Commit", "Plan", "interpret", "run", "settings", "value_of", "wait"]
