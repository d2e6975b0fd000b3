"""Running a trace: selects the slots to compute and the tier, donates memory, and commits the writes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.tiers.choice import is_for_numpy, is_hot, settings
from penstock.tiers.commits import commit, finish, observe, on_the_way, tell_failed
from penstock.tiers.executables import (
    Compiled,
    Missing,
    apart,
    find_compiled,
    lent,
    with_compiled,
    without_xla,
)
from penstock.tiers.failures import drop, locate
from penstock.tiers.placement import in_force
from penstock.tiers.plan import Plan, find_plan
from penstock.tiers.publishing import peek, publish
from penstock.tiers.reference import interpret
from penstock.trace.budget import budget
from penstock.trace.engine import engine
from penstock.trace.fast_path import alive, holds, launch, unshared
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell

if TYPE_CHECKING:
    from penstock.tiers import xla

getrefcount = sys.getrefcount
ndarray = np.ndarray

HOLDERS = 3
"""The holders of a variable's value that nothing else references: it, the trace's and program's arguments."""


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
                plan = find_plan(trace, held, reset, tapes)
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
                    observe(plan, trace, outputs, reset)
                if not box:
                    box.append(outputs)
                commit(plan, trace, outputs, reset, tapes)
        except BaseException as error:
            if plan is not None:
                locate(error, trace.node.program(), plan.wanted, plan.known)
            tell_failed(trace, reset, error)
            if box and plan is not None:
                # An interrupt after the launch: the values before may be gone, so the step counts as done.
                finish(plan, trace, box[0], reset, tapes)
            else:
                drop(trace, error)
            raise
    if type(outputs) is not Missing:
        return
    try:
        compiled = with_compiled(compiled, outputs)
    except BaseException as error:
        with engine.lock:
            locate(error, trace.node.program(), plan.wanted, plan.known)
            tell_failed(trace, reset, error)
            drop(trace, error)
        raise
    run(trace, reset, compiled)


def _foreseen(trace: Trace, watching: int) -> Any:
    """Returns the object to notify of a run in place of a Commit, if the only observer offers one."""
    asked = engine.passes.functions
    return asked[0](trace) if watching == len(asked) == 1 else None


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
        if not is_hot(program) or (program.light and is_for_numpy(trace, arguments)):
            return interpret(
                program, arguments, on_the_way if told and engine.commits and not program.ends else None
            )
        from penstock.tiers import compiler

        lacking = compiler.lack()
        if lacking is not None:
            return without_xla(lacking, program, arguments)
    layouts = None
    if in_force.placement is not None:
        from penstock.tiers.moving import put_on_devices

        arguments, whose = put_on_devices(plan, trace)
        written = [trace.variables[index] for index in plan.writes]
        layouts = in_force.placement.layouts(program, arguments, whose, len(plan.handles), written)
    elif holds(arguments, np.ndarray):
        from penstock.tiers.moving import settle_on_device

        arguments = settle_on_device(plan, trace, arguments)
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
        if layouts is None and own == plan.donated and given is arguments and not apart(program, hot, own):
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


def live_tapes(trace: Trace) -> list[Any]:
    """Returns the tapes of a trace that can still compute a gradient."""
    return [tape for tape in trace.tapes if tape._open or (not tape._used and getrefcount(tape) > LISTED)]


LISTED = max([getrefcount(tape) for tape in [object()]])
"""The reference count, in such a list, of a tape that only its trace holds."""


engine.install(run=run, abandon=drop, publish=publish, peek=peek, live_tapes=live_tapes)
