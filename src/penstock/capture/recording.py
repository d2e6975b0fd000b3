"""One recording of a step, and its replay: the whole step in one run, on the values of the day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.capture.outline import fill, template
from penstock.functions.keys import DrawKey
from penstock.optimizers.schedules import OnHost
from penstock.tiers import plan as tiers
from penstock.tiers import xla
from penstock.tiers.program import Program
from penstock.tiers.room import room
from penstock.trace.hot import holds, launch, unshared
from penstock.trace.leaf import Argument, TensorArgument, VariableArgument, Version
from penstock.trace.recorder import Binding, Trace, engine
from penstock.trace.spec import Spec
from penstock.trace.tensor import Cell, Flags, Tensor
from penstock.trace.tree import tree

HOLDERS = 2
"""Who holds the value of a variable that nobody else can see: it, and the list of arguments."""


class Holder:
    """Stands where a captured program takes an argument of the call, or a number that may change."""

    __slots__ = ("_value",)

    def __init__(self, value: Any = None) -> None:
        self._value = value


class Bound(Holder):
    """A hyper-parameter of an optimizer, read anew at each call and converted when it has changed."""

    __slots__ = ("ahead", "attribute", "dtype", "number", "owner")

    def __init__(self, binding: Binding) -> None:
        self.owner, self.attribute = binding.owner, binding.attribute
        self.dtype, self.ahead = binding.dtype, binding.ahead
        self.number = self._value = None

    def now(self) -> Any:
        """Returns what the owner says at present."""
        if self.ahead and isinstance(self.owner, OnHost):
            return self.owner.rate_after(self.ahead)
        return getattr(self.owner, self.attribute)

    def changed(self) -> bool:
        """Returns whether the number is another one now."""
        return bool(self.now() != self.number)

    def refresh(self) -> None:
        """Reads the number."""
        number = self.now()
        if self._value is None or number != self.number:
            self.number = number
            self._value = None if self.dtype is None else np.asarray(number, self.dtype)


class Capture:
    """One recording of a step, for one set of argument specs."""

    __slots__ = (
        "__weakref__",
        "applications",
        "arguments",
        "baked",
        "bound",
        "cells",
        "changes",
        "drawn",
        "draws",
        "flags",
        "loop",
        "missed",
        "node",
        "outputs",
        "plan",
        "skipping",
        "sources",
        "template",
        "variables",
        "versions",
        "written",
    )

    def __init__(self, trace: Trace, wrapped: Sequence[Tensor], result: Any) -> None:
        self.loop: Any = None
        self.node = trace.node
        self.variables = list(trace.variables)
        self.missed = tuple(trace.missed)
        asked = {**{variable._uid: variable for variable in self.variables}, **trace.consulted}
        self.flags = [(variable, *flags_of(variable)) for variable in asked.values()]
        self.changes = Flags.changes
        calls = trace.node.program()
        kept: list[int] = []
        self.template = template(result, trace, wrapped, kept)
        self.plan = tiers.Plan(trace, kept, [], calls)
        self.outputs: list[tuple[Spec, type[Tensor], int | None]] = []
        aliases = dict(self.plan.alias)
        order = {index: place for place, index in enumerate(self.plan.handles)}
        for index in kept:
            handle = trace.handles[index]
            self.outputs.append((handle._spec, type(handle), order.get(index)))
        self.arguments = [Holder() for _ in wrapped]
        by_identity = {id(tensor): holder for tensor, holder in zip(wrapped, self.arguments, strict=True)}
        self.bound: list[Bound] = []
        self.draws: list[tuple[DrawKey, Holder]] = []
        self.drawn = False
        sources: list[Any] = []
        numbers = {binding.position: binding for binding in trace.bindings}
        # A number that is baked in is compared at each call; one that has changed is bound from then on.
        self.baked = [Bound(binding) for binding in trace.bindings if binding.position < 0]
        for call in calls:
            leaf = call.primitive
            if not isinstance(leaf, Argument):
                continue
            if isinstance(leaf, VariableArgument):
                sources.append(self.variables[leaf.variable])
            elif isinstance(leaf, TensorArgument):
                entry = trace.entries[leaf.entry]
                if id(entry) in by_identity:
                    sources.append(by_identity[id(entry)])
                elif isinstance(entry, DrawKey):
                    holder = Holder(entry._value)
                    self.draws.append((entry, holder))
                    sources.append(holder)
                else:
                    sources.append(entry)
            elif leaf.position in numbers:
                bound = Bound(numbers[leaf.position])
                self.bound.append(bound)
                sources.append(bound)
            else:
                sources.append(Holder(trace.arguments[leaf.position]))
        for index, position in aliases.items():
            place = kept.index(index)
            spec, tensor_kind, _ = self.outputs[place]
            self.outputs[place] = (spec, tensor_kind, ~position)
        self.sources = sources
        self.cells = list(tiers.arguments_of(self.plan, sources))
        self.written = [self.variables[index] for index in self.plan.writes]
        self.versions = [
            sum(
                isinstance(c.primitive, Version)
                and c.primitive.written
                and self.variables[c.primitive.variable] is variable
                for c in calls
            )
            for variable in self.written
        ]
        self.applications = [
            (one, trace.applications.count(one)) for one in dict.fromkeys(trace.applications)
        ]
        self.skipping = [one for one, _ in self.applications if one._stages.skips]
        room.tenants.add(self)

    def let_go(self) -> None:
        """Lets go of what is compiled; the next call compiles it again."""
        self.plan.hot = self.plan.launch = None
        if self.loop is not None:
            self.loop.compiled.clear()

    @property
    def program(self) -> Program:
        """The program that this capture runs."""
        return self.plan.program

    def replay(self, trace: Trace) -> Any:
        """Runs the step on the present values; commits its writes together, or none of them."""
        for bound in self.bound:
            bound.refresh()
        for guard in trace.guards:
            guard.replayed(self.node, self.variables, [source._value for source in self.sources])
        for entry, holder in self.draws if self.drawn else ():
            holder._value = entry.next()._value
        # The keys drawn while the step was recorded are those of its first replay.
        self.drawn = True
        plan = self.plan
        compiled: tiers.Compiled | None = None
        while True:
            with engine.lock:
                if engine.several:
                    engine.count_threads()
                    for variable in self.variables:
                        if variable._pending is not None:
                            engine.publish(variable)
                arguments = [cell._value for cell in self.cells]
                box: list[Any] = []
                try:
                    if (
                        plan.launch is not None
                        and unshared(arguments, plan.donated, HOLDERS)
                        and not holds(arguments, np.ndarray)
                        and not engine.commits.functions
                        and not engine.several
                        and tiers.settings.engine != "numpy"
                    ):
                        plan.program.launches += 1
                        outputs = launch(box, plan.launch, arguments)
                    else:
                        outputs = self.run(arguments, box, compiled)
                    if type(outputs) is not tiers.Missing:
                        if not box:
                            box.append(outputs)
                        self.commit(box)
                        for optimizer in self.skipping:
                            optimizer._look_for_progress()
                except BaseException:
                    self.commit(box)
                    raise
                # Not held on to: who is counted as a holder of a value keeps it from being overwritten.
                arguments = []
            if type(outputs) is not tiers.Missing:
                break
            compiled = tiers.with_compiled(compiled, outputs)
        return self.returned(outputs)

    def returned(self, outputs: Sequence[Any]) -> Any:
        """Returns what the function returned, made of these values."""
        if not self.outputs:
            # An argument may be all that is returned.
            return fill(self.template, (), self.arguments)
        tensors = []
        for spec, kind, place in self.outputs:
            tensor = concrete_like(kind, spec)
            tensor._value = outputs[place] if place is not None and place >= 0 else self.cells[~place]._value  # type: ignore[operator]
            tensors.append(tensor)
        return fill(self.template, tensors, self.arguments)

    def commit(self, box: list[Any], times: int = 1) -> None:
        """Gives the variables their new values, if there are any: an empty box is a step that failed.

        Optimizers count their updates with it. After an interrupt in the middle it is called once more with
        the same box, and finishes.
        """
        if not box:
            return
        if len(box) == 1:
            versions = [one._version + count * times for one, count in zip(self.written, self.versions)]
            counts = [one._count[0] + count * times for one, count in self.applications]
            box.append((versions, counts))
        outputs, (versions, counts) = box
        for variable, value, version in zip(
            self.written, outputs[len(self.plan.handles) :], versions, strict=True
        ):
            variable._value = value
            variable._version = version
        for (optimizer, _), count in zip(self.applications, counts, strict=True):
            optimizer._count[0] = count
        for variable in self.written if engine.several else ():
            engine.overwritten(variable, None)

    def run(self, arguments: Sequence[Any], box: list[Any], compiled: tiers.Compiled | None) -> Sequence[Any]:
        """Runs the step by the way that suits: interpreted, compiled, checked or watched.

        Returns Missing, with nothing done, if a program has to be compiled first.
        """
        plan = self.plan
        if not compiled:
            # A replay that begins anew has been counted.
            plan.program.runs += 1
        if not tiers.is_hot(plan.program):
            outputs: Sequence[Any] = tiers.interpret(plan.program, arguments)
        else:
            donated = () if engine.commits or engine.several else plan.donated
            if not unshared(arguments, donated, HOLDERS):
                donated = ()
            for cell in self.cells:
                if isinstance(cell._value, np.ndarray) and isinstance(cell, Tensor | Cell | Bound):
                    # What comes back at every call is moved to where XLA wants it, once.
                    cell._value = xla.on_device(cell._value)
            arguments = [cell._value for cell in self.cells]
            hot = tiers.find_compiled(plan.program, donated, compiled)
            if hot is None:
                return tiers.Missing(plan.program, donated)
            # Who is told of the step may yet fail; until then nothing is committed, nor overwritten.
            outputs = hot(plan.program, arguments, [] if engine.commits else box)
            if plan.launch is None and donated == plan.donated and not hot.checked:
                plan.hot, plan.launch = hot, hot.launch
        if engine.commits:
            first = len(plan.handles)
            writes = [(v, v._value, new) for v, new in zip(self.written, outputs[first:], strict=True)]
            bound = [source._value for source in self.sources]
            commit = tiers.Commit(
                self.node, tree.root, self.variables, writes, True, [], bound, {}, self.missed
            )
            engine.commits.tell(commit)
        return outputs


def as_captured(capture: Capture) -> bool:
    """Returns whether no flag or number that decided the recording has been changed since."""
    for baked in capture.baked:
        # Asked at every call: the usual case does without a call of its own.
        number = baked.now() if baked.ahead else getattr(baked.owner, baked.attribute)
        if number != baked.number:
            return False
    if capture.changes != Flags.changes:
        if any(flags_of(variable) != (trainable, locked) for variable, trainable, locked in capture.flags):
            return False
        capture.changes = Flags.changes
    return True


def flags_of(variable: Cell) -> tuple[bool, bool]:
    """Returns what decides how a variable is recorded: whether training wants it, whether it is locked."""
    return variable._trainable, variable._locked is not None


def concrete_like(kind: type[Tensor], spec: Spec) -> Tensor:
    """Returns a tensor of a spec whose value is about to be set."""
    tensor = kind()
    tensor._trace = None
    tensor._past = None
    tensor._slot = -1
    tensor._spec = spec
    return tensor
