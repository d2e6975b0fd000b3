"""One recording of a step, and its replay: the whole step in one run, on the values of one call.

All calls and all threads share a recording, which keeps no data of any of them: docs/decisions/0026. The
values of a call are passed from function to function until the program is launched: first the arguments, then
the hyper-parameters that the call reads, then the keys that it draws.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.capture.pytree import fill, template
from penstock.capture.sources import Drawn, Fixed, OfCall, Passed, Rate, Setting
from penstock.functions.keys import Fresh
from penstock.optimizers.schedules import OnHost
from penstock.tiers import compiler, xla
from penstock.tiers.choice import is_hot, settings
from penstock.tiers.commits import Commit
from penstock.tiers.executables import Compiled, Missing, find_compiled, lent, with_compiled, without_xla
from penstock.tiers.placement import in_force
from penstock.tiers.plan import Plan, arguments_of
from penstock.tiers.program import Program
from penstock.tiers.reference import interpret
from penstock.trace.budget import budget
from penstock.trace.captured import Baked, Binding
from penstock.trace.engine import engine
from penstock.trace.fast_path import holds, launch, unshared
from penstock.trace.leaf import Argument, TensorArgument, VariableArgument
from penstock.trace.recorder import Trace
from penstock.trace.spec import Spec
from penstock.trace.tensor import Cell, Flags, Tensor
from penstock.trace.tree import PLAN_BYTES, Call, tree

HOLDERS = 2
"""The holders of a variable's value that nothing else references: the variable, and the list of arguments."""


SOURCE_BYTES = 300
"""About how much memory one argument of a replay takes."""


class Capture:
    """One recording of a step, for one set of argument specs.

    `sources` has the source of each argument of the path, `cells` the variable or tensor to read for each
    argument of the program; `filled` inserts the values of a call: (argument, place in the call). `own` says
    whether a call has values besides its arguments. `counts` are the optimizers' counts of updates, each with
    its increase in one call. `described` describes the arguments in words.
    """

    __slots__ = (
        "__weakref__",
        "aliased",
        "baked",
        "cells",
        "changes",
        "counts",
        "described",
        "draws",
        "filled",
        "flags",
        "keyed",
        "loop",
        "missed",
        "node",
        "outputs",
        "own",
        "plan",
        "rates",
        "settings",
        "settled",
        "skipping",
        "sources",
        "template",
        "variables",
        "versions",
        "written",
    )

    def __init__(
        self, trace: Trace, wrapped: Sequence[Tensor], result: Any, described: dict[str, str]
    ) -> None:
        self.described = described
        self.loop: Any = None
        self.node = trace.node
        self.variables = list(trace.variables)
        self.missed = tuple(trace.missed)
        asked = {**{variable._uid: variable for variable in self.variables}, **trace.consulted}
        self.changes = Flags.changes
        self.flags = [(variable, *flags_of(variable)) for variable in asked.values()]
        calls = trace.node.program()
        kept: list[int] = []
        self.template = template(result, trace, wrapped, kept)
        self.plan = Plan(trace, kept, [], calls)
        self._find_sources(trace, wrapped, calls)
        aliases = dict(self.plan.alias)
        self.aliased = [self.sources[position] for position in aliases.values()]
        order = {index: place for place, index in enumerate(self.plan.handles)}
        order.update({index: ~place for place, index in enumerate(aliases)})
        self.outputs: list[tuple[Spec, type[Tensor], int]] = []
        for index in kept:
            handle = trace.handles[index]
            self.outputs.append((handle._spec, type(handle), order[index]))
        self.written = [self.variables[index] for index in self.plan.writes]
        times = Counter(number for number, _ in trace.node.writes())
        self.versions = [times[index] for index in self.plan.writes]
        applied = Counter(id(optimizer._count) for optimizer in trace.applications)
        counts = {id(optimizer._count): optimizer._count for optimizer in trace.applications}
        self.counts = [(counts[one], times) for one, times in applied.items()]
        self.skipping = [one for one in dict.fromkeys(trace.applications) if one._stages.skips]
        # The path is kept, and counted in the budget, as long as its recording is in use.
        self.node.plans["captured"] = self.plan
        budget.take(budget.recorded, self.size_in_memory)

    def _find_sources(self, trace: Trace, wrapped: Sequence[Tensor], calls: Sequence[Call]) -> None:
        passed: list[OfCall] = [Passed() for _ in wrapped]
        by_identity = {id(tensor): source for tensor, source in zip(wrapped, passed, strict=True)}
        self.draws: list[Drawn] = []
        self.settings: list[Setting] = []
        bindings = {one.position: one for one in trace.bindings if isinstance(one, Binding)}
        # A baked-in number is compared at each call; once it has changed, it is bound from then on.
        self.baked = [one for one in trace.bindings if isinstance(one, Baked)]
        self.sources: list[Any] = []
        for call in calls:
            leaf = call.primitive
            if not isinstance(leaf, Argument):
                continue
            if isinstance(leaf, VariableArgument):
                self.sources.append(self.variables[leaf.variable])
            elif isinstance(leaf, TensorArgument):
                entry = trace.entries[leaf.entry]
                if id(entry) in by_identity:
                    self.sources.append(by_identity[id(entry)])
                elif isinstance(entry, Fresh):
                    self.draws.append(Drawn(entry))
                    self.sources.append(self.draws[-1])
                else:
                    self.sources.append(entry)
            elif leaf.position in bindings:
                binding = bindings[leaf.position]
                self.settings.append((Rate if isinstance(binding.owner, OnHost) else Setting)(binding))
                self.sources.append(self.settings[-1])
            else:
                self.sources.append(Fixed(trace.arguments[leaf.position]))
        for place, source in enumerate([*passed, *self.settings, *self.draws]):
            source.place = place
        self.keyed = len(passed) + len(self.settings)
        self.rates = [one for one in self.settings if isinstance(one, Rate)]
        self.own = bool(self.draws or self.settings)
        taken = arguments_of(self.plan, self.sources)
        self.filled = [(at, one.place) for at, one in enumerate(taken) if isinstance(one, OfCall)]
        self.settled = [(at, one) for at, one in enumerate(taken) if isinstance(one, Setting)]
        self.cells = [_OF_CALL if isinstance(one, OfCall) else one for one in taken]

    @property
    def size_in_memory(self) -> int:
        """About how many bytes the recording takes, besides its path."""
        return PLAN_BYTES + SOURCE_BYTES * len(self.sources)

    @property
    def program(self) -> Program:
        """The program that this capture runs."""
        return self.plan.program

    # -- the values of one call --------------------------------------------------------------------------

    def first_keys(self) -> list[Any]:
        """Returns the keys drawn while the step was recorded: they belong to the call that recorded it."""
        return [draw.key._value for draw in self.draws]

    def begun(self, trace: Trace, given: Sequence[Any], keys: Sequence[Any] | None) -> list[Any]:
        """Returns the values of a call: the arguments `given`, its settings, its keys (fresh ones for None).

        The last entry is the list of update counts, if rates depend on them.
        """
        updates = self.updates() if self.rates else None
        values = [*given]
        for setting in self.settings:
            values.append(setting.read())
        for guard in trace.guards:
            guard.replayed(self.node, self.variables, self.bound([*values, *self.first_keys()]))
        if keys is None:
            for draw in self.draws:
                values.append(draw.key.next()._value)
        else:
            values += keys
        if updates is not None:
            values.append(updates)
        return values

    def updates(self) -> list[int]:
        """Returns the update count of each optimizer whose rate is a function."""
        return [rate.updates() for rate in self.rates]

    def read_again(self, values: Sequence[Any]) -> list[Any]:
        """Returns the values of a call with the present rates: another thread has made an update."""
        updates, first = self.updates(), self.settings[0].place
        read = [setting.read() for setting in self.settings]
        return [*values[:first], *read, *values[first + len(read) : -1], updates]

    def bound(self, values: Sequence[Any]) -> list[Any]:
        """Returns the values that a call binds to the path, by position."""
        return _present(self.sources, values)

    def read_aliases(self, values: Sequence[Any]) -> list[Any]:
        """Returns those bindings of the path that the function has returned unchanged."""
        return _present(self.aliased, values)

    def arguments(self, values: Sequence[Any]) -> list[Any]:
        """Returns the arguments of the program for a call with these values; the lock is held."""
        arguments = [cell._value for cell in self.cells]
        for at, place in self.filled:
            arguments[at] = values[place]
        return arguments

    # -- running -----------------------------------------------------------------------------------------

    def replay(self, trace: Trace, given: Sequence[Any] = (), keys: Sequence[Any] | None = None) -> Any:
        """Runs the step on the given arguments and the present values of everything else.

        Its writes are committed all together, or not at all. `keys` are for the call that recorded the step.
        """
        values = self.begun(trace, given, keys) if self.own or trace.guards else given
        plan = self.plan
        compiled: Compiled | None = None
        box: list[Any] = []
        while True:
            outputs: Any = None
            with engine.lock:
                if not engine.several or self._is_current(values):
                    # As in `arguments`, which would be one more call.
                    arguments = [cell._value for cell in self.cells]
                    for at, place in self.filled:
                        arguments[at] = values[place]
                    kept = self.read_aliases(values) if self.aliased else ()
                    try:
                        if (
                            plan.launch is not None
                            and unshared(arguments, plan.donated, HOLDERS)
                            and not holds(arguments, np.ndarray)
                            and not engine.commits.functions
                            and not engine.several
                            and settings.engine != "numpy"
                        ):
                            plan.program.launches += 1
                            plan.used = budget.now
                            outputs = launch(box, plan.launch, arguments)
                        else:
                            outputs = self._run(values, arguments, box, compiled)
                        if type(outputs) is Missing:
                            kept = ()
                        else:
                            if not box:
                                box.append(outputs)
                            self.commit(box)
                            for optimizer in self.skipping:
                                optimizer._look_for_progress()
                    except BaseException:
                        self.commit(box)
                        raise
                    # Keep no reference: each holder of a value prevents it from being overwritten.
                    arguments = []
            # Outside the lock: rate functions are user code, and other threads continue while XLA compiles.
            if outputs is None:
                values = self.read_again(values)
            elif type(outputs) is Missing:
                compiled = with_compiled(compiled, outputs)
            else:
                break
        return self.returned(outputs, given, kept)

    def _is_current(self, values: Sequence[Any]) -> bool:
        """Commits other threads' pending writes of the variables; returns whether the rates still hold."""
        engine.count_threads()
        for variable in self.variables:
            if variable._pending is not None:
                engine.publish(variable)
        return not self.rates or values[-1] == self.updates()

    def _run(
        self,
        values: Sequence[Any],
        arguments: list[Any],
        box: list[Any],
        compiled: Compiled | None,
    ) -> Sequence[Any]:
        """Runs the step in the appropriate way: interpreted, compiled, checked or watched.

        Does nothing and returns Missing if a program has to be compiled first.
        """
        plan = self.plan
        if not compiled:
            # A replay that starts over has been counted already.
            plan.program.runs += 1
        plan.used = budget.now
        if not is_hot(plan.program):
            outputs: Sequence[Any] = interpret(plan.program, arguments)
        elif (lacking := compiler.lack()) is not None:
            outputs = without_xla(lacking, plan.program, arguments)
        else:
            donated = () if engine.commits or engine.several else plan.donated
            if not unshared(arguments, donated, HOLDERS):
                donated = ()
            layouts = None
            if in_force.placement is None:
                self.settle(arguments)
            else:
                self._put(arguments)
                layouts = in_force.placement.layouts(
                    plan.program, arguments, self.cells, len(plan.handles), self.written
                )
            hot = find_compiled(plan.program, donated, compiled, layouts)
            if hot is None:
                return Missing(plan.program, donated, layouts)
            # Observers of the step may still fail; until then nothing is committed or overwritten.
            given = arguments if layouts is not None else lent(plan.program, hot, arguments, donated)
            outputs = hot(plan.program, given, [] if engine.commits else box)
            free = in_force.placement is None and not hot.checked and given is arguments
            free = free and hot.donated == donated
            if plan.launch is None and donated == plan.donated and free:
                plan.hot, plan.launch = hot, hot.launch
        if engine.commits:
            first = len(plan.handles)
            writes = [(v, v._value, new) for v, new in zip(self.written, outputs[first:], strict=True)]
            bound = self.bound(values)
            commit = Commit(self.node, tree.root, self.variables, writes, True, [], bound, {}, self.missed)
            engine.commits.tell(commit)
        return outputs

    def settle(self, arguments: list[Any]) -> None:
        """Moves values that recur in every call to XLA's device, once."""
        for at, cell in enumerate(self.cells):
            if isinstance(arguments[at], np.ndarray) and isinstance(cell, Tensor | Cell):
                arguments[at] = cell._value = xla.on_device(cell._value)
        for at, setting in self.settled:
            if isinstance(arguments[at], np.ndarray):
                arguments[at] = setting.on_device(arguments[at])

    def _put(self, arguments: list[Any]) -> None:
        """Moves the arguments of a call to their devices; values with an owner stay there."""
        placement = in_force.placement
        assert placement is not None
        drawn = {at for at, place in self.filled if place >= self.keyed}
        for at, cell in enumerate(self.cells):
            value, owned = arguments[at], isinstance(cell, Tensor | Cell)
            put = placement.put(cell if owned else self.draws[0].key if at in drawn else None, value)
            if put is not value:
                arguments[at] = put
                if isinstance(cell, Cell) or (owned and not placement.together):
                    cell._value = put

    def commit(self, box: list[Any], times: int = 1) -> None:
        """Gives the variables their new values, if there are any: an empty box means that the step failed.

        Optimizers count their updates with it. After an interrupt in the middle, it is called again with the
        same box and completes.
        """
        if not box:
            return
        if len(box) == 1:
            versions = [one._version + count * times for one, count in zip(self.written, self.versions)]
            counts = [count[0] + more * times for count, more in self.counts] if self.counts else ()
            box.append((versions, counts))
        outputs, (versions, counts) = box
        for variable, value, version in zip(
            self.written, outputs[len(self.plan.handles) :], versions, strict=True
        ):
            variable._value = value
            variable._version = version
        if counts:
            for (count, _), made in zip(self.counts, counts):
                count[0] = made
        for variable in self.written if engine.several else ():
            engine.overwritten(variable, None)

    def returned(self, outputs: Sequence[Any], given: Sequence[Any], kept: Sequence[Any]) -> Any:
        """Returns the function's result, built from these values; `kept` are those of `aliased`."""
        if self.template.nothing:
            return None
        tensors = []
        for spec, kind, place in self.outputs:
            tensor = concrete_like(kind, spec)
            tensor._value = outputs[place] if place >= 0 else kept[~place]
            tensors.append(tensor)
        return fill(self.template, tensors, given)


_OF_CALL = Fixed(None)
"""Represents, among the cells of a capture, a value that belongs to the call."""


def _present(sources: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    """Returns the present values of sources, in a call with these values."""
    return [values[one.place] if isinstance(one, OfCall) else one._value for one in sources]


def as_captured(capture: Capture) -> bool:
    """Returns whether all flags and numbers that decided the recording are unchanged."""
    for baked in capture.baked:
        # Tested at every call: the usual case needs no further call.
        if getattr(baked.owner, baked.attribute) is not baked.number and baked.has_changed():
            return False
    changes = Flags.changes
    if capture.changes != changes:
        if any(flags_of(variable) != (trainable, locked) for variable, trainable, locked in capture.flags):
            return False
        # The count from before the flags were read: a flag that changes in the meantime is read again.
        capture.changes = changes
    return True


def flags_of(variable: Cell) -> tuple[bool, bool]:
    """Returns the flags that decide how a variable is recorded: whether it is trainable, and locked."""
    return variable._trainable, variable._locked is not None


def concrete_like(kind: type[Tensor], spec: Spec) -> Tensor:
    """Returns a tensor with this spec, whose value is about to be set."""
    tensor = kind()
    tensor._trace = None
    tensor._past = None
    tensor._slot = -1
    tensor._spec = spec
    return tensor
