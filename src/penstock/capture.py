"""Captured steps: a function recorded once for each shape of its arguments, then replayed whole."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

import numpy as np

from penstock.errors import CaptureError, PenstockError
from penstock.functions.random import DrawKey
from penstock.tiers import plan as tiers
from penstock.tiers import xla
from penstock.tiers.program import Program
from penstock.trace.hot import holds, launch, unshared
from penstock.trace.recorder import Builder, Trace, as_tensor, engine, local
from penstock.trace.site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import Cell, Flags, Tensor, concrete
from penstock.trace.tree import ARGUMENT, VERSION, tree

P = ParamSpec("P")
R = TypeVar("R")
CLAUSES = ("updates", "reads", "locked", "reaches", "follows", "unused", "allow")
"""What a contract may say: see `penstock.contract`."""
HOLDERS = 2
"""Who holds the value of a variable that nobody else can see: it, and the list of arguments."""


class Agreement(Protocol):
    """What a step's contract can do: see `penstock.contract`."""

    def block(self) -> AbstractContextManager[Any]:
        """Returns a context in which the contract holds for what is recorded."""

    def check(self, trace: Trace) -> None:
        """Raises ContractBroken if what a trace has recorded breaks it."""


agree: Callable[[str, dict[str, Any]], Agreement] | None = None
"""Makes a contract from the name of a step and its clauses. Set by the room that reads records."""
guards: list[Callable[[Any, list[Any], Sequence[Any]], None]] = []
"""Called with path, variables and arguments before each replay, while the block of a contract is open."""


class Holder:
    """Stands where a captured program takes an argument of the call, or a number that may change."""

    __slots__ = ("_value",)

    def __init__(self, value: Any = None) -> None:
        self._value = value


class Bound(Holder):
    """A hyper-parameter of an optimizer, read anew at each call and converted when it has changed."""

    __slots__ = ("attribute", "dtype", "number", "owner")

    def __init__(self, owner: Any, attribute: str, dtype: Any) -> None:
        self.owner, self.attribute, self.dtype = owner, attribute, dtype
        self.number = getattr(owner, attribute)
        self._value = None if dtype is None else np.asarray(self.number, dtype)

    def changed(self) -> bool:
        """Returns whether the optimizer's number is another one now."""
        return bool(getattr(self.owner, self.attribute) != self.number)

    def refresh(self) -> None:
        """Reads the number."""
        if self.changed():
            self.number = getattr(self.owner, self.attribute)
            self._value = np.asarray(self.number, self.dtype)


class Capture:
    """One recording of a step, for one set of argument specs."""

    __slots__ = (
        "applications",
        "arguments",
        "baked",
        "bound",
        "cells",
        "changes",
        "drawn",
        "draws",
        "flags",
        "node",
        "outputs",
        "plan",
        "sources",
        "template",
        "variables",
        "versions",
        "written",
    )

    def __init__(self, trace: Trace, wrapped: Sequence[Tensor], result: Any) -> None:
        self.node = trace.node
        self.variables = list(trace.variables)
        asked = {**{variable._uid: variable for variable in self.variables}, **trace.consulted}
        self.flags = [(variable, *_flags(variable)) for variable in asked.values()]
        self.changes = Flags.changes
        calls = trace.node.program()
        kept: list[int] = []
        self.template = _template(result, trace, wrapped, kept)
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
        numbers = {position: (owner, name, dtype) for position, owner, name, dtype in trace.bindings}
        # A number that is baked in is compared at each call; one that has changed is bound from then on.
        self.baked = [Bound(owner, name, None) for position, owner, name, _ in trace.bindings if position < 0]
        for call in calls:
            if call.primitive is not ARGUMENT:
                continue
            kind, position = call.params["kind"], call.params["position"]
            if kind == "variable":
                sources.append(self.variables[call.params["variable"]])
            elif kind == "tensor":
                entry = trace.entries[call.params["entry"]]
                if id(entry) in by_identity:
                    sources.append(by_identity[id(entry)])
                elif isinstance(entry, DrawKey):
                    holder = Holder(entry._value)
                    self.draws.append((entry, holder))
                    sources.append(holder)
                else:
                    sources.append(entry)
            elif position in numbers:
                bound = Bound(*numbers[position])
                self.bound.append(bound)
                sources.append(bound)
            else:
                sources.append(Holder(trace.arguments[position]))
        for index, position in aliases.items():
            place = kept.index(index)
            spec, tensor_kind, _ = self.outputs[place]
            self.outputs[place] = (spec, tensor_kind, ~position)
        self.sources = sources
        self.cells = list(tiers.arguments_of(self.plan, sources))
        self.written = [self.variables[index] for index in self.plan.writes]
        self.versions = [
            sum(
                c.primitive is VERSION
                and c.params.get("written", True)
                and self.variables[c.params["variable"]] is variable
                for c in calls
            )
            for variable in self.written
        ]
        self.applications = list(trace.applications)

    @property
    def program(self) -> Program:
        """The program that this capture runs."""
        return self.plan.program

    def replay(self, trace: Trace) -> Any:
        """Runs the step on the present values; commits its writes together, or none of them."""
        for bound in self.bound:
            bound.refresh()
        for guard in guards:
            guard(self.node, self.variables, [source._value for source in self.sources])
        for entry, holder in self.draws if self.drawn else ():
            holder._value = entry.next()._value
        # The keys drawn while the step was recorded are those of its first replay.
        self.drawn = True
        plan = self.plan
        with engine.lock:
            if engine.several:
                engine.count_threads()
                for variable in self.variables:
                    if variable._pending is not None:
                        engine.publish(variable)
            arguments = [cell._value for cell in self.cells]
            box: list[Any] = []
            if (
                plan.launch is not None
                and unshared(arguments, plan.donated, HOLDERS)
                and not holds(arguments, np.ndarray)
                and not tiers.observers
                and not engine.several
                and tiers.settings.engine != "numpy"
            ):
                plan.hot.launches += 1  # type: ignore[union-attr]
                try:
                    outputs = launch(box, plan.launch, arguments)
                except BaseException:
                    self.commit(box)
                    raise
            else:
                try:
                    outputs = self.run(arguments, box)
                except BaseException:
                    self.commit(box)
                    raise
            self.commit([outputs])
        for optimizer in self.applications:
            optimizer._count[0] += 1
        if not self.outputs:
            return self.template
        tensors = []
        for spec, kind, place in self.outputs:
            tensor = concrete_like(kind, spec)
            tensor._value = outputs[place] if place is not None and place >= 0 else self.cells[~place]._value  # type: ignore[operator]
            tensors.append(tensor)
        return _fill(self.template, tensors, self.arguments)

    def commit(self, box: Sequence[Any]) -> None:
        """Gives the variables their new values, if there are any: an empty box is a step that failed."""
        for outputs in box:
            first = len(self.plan.handles)
            for variable, value, count in zip(self.written, outputs[first:], self.versions, strict=True):
                variable._value = value
                variable._version += count

    def run(self, arguments: Sequence[Any], box: list[Any]) -> Sequence[Any]:
        """Runs the step by the way that suits: interpreted, compiled, checked or watched."""
        plan = self.plan
        plan.program.runs += 1
        if not tiers.is_hot(plan.program):
            outputs: Sequence[Any] = tiers.interpret(plan.program, arguments)
        else:
            donated = () if tiers.observers or engine.several else plan.donated
            if not unshared(arguments, donated, HOLDERS):
                donated = ()
            for cell in self.cells:
                if isinstance(cell._value, np.ndarray) and isinstance(cell, Tensor | Cell | Bound):
                    # What comes back at every call is moved to where XLA wants it, once.
                    cell._value = xla.on_device(cell._value)
            arguments = [cell._value for cell in self.cells]
            hot = xla.executable(plan.program, donated)
            outputs = hot(plan.program, arguments, box)
            if plan.launch is None and donated == plan.donated and not hot.checked:
                plan.hot, plan.launch = hot, hot.launch
        if tiers.observers:
            first = len(plan.handles)
            writes = [(v, v._value, new) for v, new in zip(self.written, outputs[first:], strict=True)]
            bound = [source._value for source in self.sources]
            commit = tiers.Commit(self.node, tree.root, self.variables, writes, True, [], bound, {})
            for observer in list(tiers.observers):
                observer(commit)
        return outputs


class Step(Generic[P, R]):
    """What `step` makes of a function."""

    def __init__(self, function: Callable[P, R], clauses: dict[str, Any] | None = None) -> None:
        self.function = function
        self.contract = None if not clauses or agree is None else agree(function.__name__, clauses)
        self.captures: dict[Any, Capture] = {}
        self._only: Capture | None = None
        functools.update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> R:
        trace = local.trace
        if not arguments and not options:
            capture = self._only
            if capture is not None and trace.node is tree.root and _as_captured(capture):
                return capture.replay(trace)  # type: ignore[no-any-return]
        return self._call(trace, arguments, options)  # type: ignore[no-any-return]

    def _call(self, trace: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if isinstance(trace, Builder) or trace.taping or trace.capturing:
            # Part of a larger recording: it is recorded there, so that gradients pass.
            with nullcontext() if self.contract is None else self.contract.block():
                return self.function(*arguments, **options)
        if trace.node is not tree.root:
            trace.run(True)
        leaves: list[Any] = []
        shape = _shape_of((arguments, options), leaves)
        tensors = [leaf if isinstance(leaf, Tensor) else as_tensor(leaf) for leaf in leaves]
        key = (shape, tuple(tensor._spec for tensor in tensors))
        capture = self.captures.get(key)
        if capture is not None and _as_captured(capture):
            for holder, tensor in zip(capture.arguments, tensors, strict=True):
                holder._value = tiers.value_of(tensor)
            return capture.replay(trace)
        if capture is not None:
            trace.varied = {
                (id(b.owner), b.attribute) for b in [*capture.baked, *capture.bound] if b.dtype or b.changed()
            }
        try:
            capture = self._capture(trace, tensors, arguments, options)
        finally:
            trace.varied = set()
        self.captures[key] = capture
        if not arguments and not options:
            self._only = capture
        for holder, tensor in zip(capture.arguments, tensors, strict=True):
            holder._value = tiers.value_of(tensor)
        return capture.replay(trace)

    def _capture(
        self, trace: Trace, tensors: Sequence[Tensor], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Capture:
        wrapped = [concrete(tiers.value_of(tensor), type(tensor)) for tensor in tensors]
        remaining = iter(wrapped)
        new_arguments, new_options = _rebuilt((arguments, options), remaining)
        trace.capturing = self.function.__name__
        trace.bindings, trace.applications, trace.consulted = [], [], {}
        try:
            for tensor in wrapped:
                # Known by its slot alone: a value looked at now would be baked into every replay.
                slot = trace.enter(tensor)
                tensor._trace, tensor._slot, tensor._value = trace, slot, None
            result = self.function(*new_arguments, **new_options)
            if trace.taping:
                raise CaptureError(f"The step {self.function.__name__!r} left a tape open.", site=here())
            if self.contract is not None:
                self.contract.check(trace)
            return Capture(trace, wrapped, result)
        finally:
            for optimizer in trace.applications:
                optimizer._count[0] -= 1
            trace.capturing = None
            # The recording itself changed nothing: the first replay does.
            tiers.abandon(trace)


@overload
def step(function: Callable[P, R], /) -> Step[P, R]: ...
@overload
def step(**clauses: Any) -> Callable[[Callable[P, R]], Step[P, R]]: ...
def step(function: Any = None, /, **clauses: Any) -> Any:
    """Captures a training step: its Python code runs once for each shape of its arguments, then is replayed.

    Arguments that are arrays, tensors or numbers may change from call to call; anything else (strings, None,
    booleans, variables) is part of what was captured, and another value captures anew. Reads of variables and
    of an optimizer's hyper-parameters stay live. Values cannot be looked at inside: CaptureError. All
    writes of a call take effect together.

    With clauses, `@ps.step(updates="generator/*", ...)`, a recording that breaks them raises ContractBroken
    and changes nothing: see `ps.contract` for `updates`, `reads`, `locked`, `reaches`, `follows`, `unused`
    and `allow`. A replay pays nothing for them.

    >>> import penstock as ps
    >>> x = ps.Variable(0.0)
    >>> @ps.step
    ... def descend(rate):
    ...     with ps.GradientTape() as tape:
    ...         loss = (x - 2) ** 2
    ...     x.assign_sub(tape.gradient(loss, x) * rate)
    ...     return loss
    >>> [round(float(descend(0.25)), 4) for _ in range(3)]
    [4.0, 1.0, 0.25]
    """
    unknown = [name for name in clauses if name not in CLAUSES]
    if unknown:
        raise PenstockError(
            f"step was given {unknown[0]!r}, which is no clause of a contract.",
            remedy=f"The clauses are {', '.join(CLAUSES)}.",
            site=here(),
        )
    if function is None:
        return lambda given: Step(given, clauses)
    return Step(function)


def _as_captured(capture: Capture) -> bool:
    """Returns whether no flag or number that decided the recording has been changed since."""
    for baked in capture.baked:
        if getattr(baked.owner, baked.attribute) != baked.number:
            return False
    if capture.changes != Flags.changes:
        if any(_flags(variable) != (trainable, locked) for variable, trainable, locked in capture.flags):
            return False
        capture.changes = Flags.changes
    return True


def _flags(variable: Cell) -> tuple[bool, bool]:
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


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def _shape_of(structure: Any, leaves: list[Any]) -> Any:
    """Returns a hashable outline of nested arguments; what may vary is left out and put into `leaves`."""
    if isinstance(structure, Tensor | np.ndarray | np.generic) or _is_number(structure):
        leaves.append(structure)
        return "*"
    if isinstance(structure, list | tuple):
        return type(structure).__name__, tuple(_shape_of(one, leaves) for one in structure)
    if isinstance(structure, dict):
        return "dict", tuple((key, _shape_of(one, leaves)) for key, one in structure.items())
    if isinstance(structure, Cell):
        return "variable", structure._uid
    try:
        hash(structure)
    except TypeError:
        return "object", id(structure)
    return structure


def _rebuilt(structure: Any, leaves: Any) -> Any:
    """Returns the structure with each leaf replaced by the next one given."""
    if isinstance(structure, Tensor | np.ndarray | np.generic) or _is_number(structure):
        return next(leaves)
    if isinstance(structure, list | tuple):
        made = [_rebuilt(one, leaves) for one in structure]
        return type(structure)(*made) if hasattr(structure, "_fields") else type(structure)(made)
    if isinstance(structure, dict):
        return {key: _rebuilt(one, leaves) for key, one in structure.items()}
    return structure


class _Output:
    """Stands in a captured result for the i-th computed tensor."""

    def __init__(self, place: int) -> None:
        self.place = place


class _Given:
    """Stands in a captured result for the i-th argument."""

    def __init__(self, place: int) -> None:
        self.place = place


def _template(result: Any, trace: Trace, wrapped: Sequence[Tensor], kept: list[int]) -> Any:
    if isinstance(result, Tensor):
        for place, tensor in enumerate(wrapped):
            if tensor is result:
                return _Given(place)
        if result._trace is not trace:
            return result
        index = next(i for i, handle in enumerate(trace.handles) if handle is result)
        if index not in kept:
            kept.append(index)
        return _Output(kept.index(index))
    if isinstance(result, list | tuple):
        made = [_template(one, trace, wrapped, kept) for one in result]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    if isinstance(result, dict):
        return {key: _template(one, trace, wrapped, kept) for key, one in result.items()}
    return result


def _fill(template: Any, tensors: Sequence[Tensor], arguments: Sequence[Holder]) -> Any:
    if isinstance(template, _Output):
        return tensors[template.place]
    if isinstance(template, _Given):
        return concrete(arguments[template.place]._value)
    if isinstance(template, list | tuple):
        made = [_fill(one, tensors, arguments) for one in template]
        return type(template)(*made) if hasattr(template, "_fields") else type(template)(made)
    if isinstance(template, dict):
        return {key: _fill(one, tensors, arguments) for key, one in template.items()}
    return template
