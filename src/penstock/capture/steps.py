"""Captured steps: a function recorded once for each shape of its arguments, then replayed whole."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from penstock.capture.again import described, made_inside, reason
from penstock.capture.methods import Own, kept_by
from penstock.capture.objects import refuse_function
from penstock.capture.outline import leaves_of, rebuilt
from penstock.capture.recording import Capture, as_captured
from penstock.errors import CaptureError, PenstockError
from penstock.tiers import plan as tiers
from penstock.trace.recorder import Builder, Trace, as_tensor, engine, local
from penstock.trace.site import here
from penstock.trace.tensor import Tensor, concrete
from penstock.trace.tree import tree

P = ParamSpec("P")
R = TypeVar("R")
CLAUSES = ("updates", "reads", "locked", "reaches", "follows", "unused", "allow")
"""What a contract may say: see `penstock.contract`."""


class Agreement(Protocol):
    """What a step's contract can do: see `penstock.contract`."""

    def block(self) -> AbstractContextManager[Any]:
        """Returns a context in which the contract holds for what is recorded."""

    def check(self, trace: Trace) -> None:
        """Raises ContractBroken if what a trace has recorded breaks it."""


class Step(Generic[P, R]):
    """What `step` makes of a function."""

    def __init__(self, function: Callable[P, R], clauses: dict[str, Any] | None = None) -> None:
        self.function = function
        self.contract: Agreement | None = None
        if clauses:
            self.contract = engine.agree(function.__name__, clauses)
        self.captures: dict[Any, Capture] = {}
        self.recordings: list[str] = []
        """Why the function was run each time: what set its arguments, flags or numbers apart from before."""
        self._given: dict[Any, dict[str, str]] = {}
        self._only: Capture | None = None
        self._own = Own(function) if isinstance(function, types.MethodType) else None
        refuse_function(function)
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Returns the step of one object, whose recordings it keeps, as a method is of one object."""
        return self if instance is None else kept_by(instance).step(self)

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> R:
        trace = local.trace
        if not arguments and not options:
            capture = self._only
            if capture is not None and trace.node is tree.root and as_captured(capture):
                return capture.replay(trace)  # type: ignore[no-any-return]
        return self._call(trace, arguments, options)  # type: ignore[no-any-return]

    def _call(self, trace: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if isinstance(trace, Builder) or trace.taping or trace.capturing:
            # Part of a larger recording: it is recorded there, so that gradients pass.
            with nullcontext() if self.contract is None else self.contract.block():
                return self.function(*arguments, **options)
        return self.prepared(trace, arguments, options).replay(trace)

    def prepared(self, trace: Trace, arguments: tuple[Any, ...], options: dict[str, Any]) -> Capture:
        """Returns the recording for these arguments, with them in their places: an old one or a new one."""
        if trace.node is not tree.root:
            trace.run(True)
        leaves, shape = leaves_of(self.function, arguments, options)
        if self._own is not None:
            shape = shape, self._own.key()
        tensors = [leaf if isinstance(leaf, Tensor) else as_tensor(leaf) for leaf in leaves]
        key = (shape, tuple(tensor._spec for tensor in tensors))
        capture = self.captures.get(key)
        if capture is None or not as_captured(capture):
            capture = self._record(trace, key, tensors, arguments, options)
        for holder, tensor in zip(capture.arguments, tensors, strict=True):
            holder._value = tiers.value_of(tensor)
        return capture

    def _record(
        self,
        trace: Trace,
        key: Any,
        tensors: Sequence[Tensor],
        arguments: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Capture:
        before = self.captures.get(key)
        given = described(self.function, arguments, options, self._own)
        why = reason(self.function.__name__, self._given, given, before)
        if before is not None:
            trace.varied = {
                (id(b.owner), b.attribute) for b in [*before.baked, *before.bound] if b.dtype or b.changed()
            }
        try:
            capture = self._capture(trace, tensors, arguments, options)
            if trace.made and not self.recordings:
                # What is made on the first entry may be kept by the program, as layers do that wait for their
                # input; a second recording shows it.
                capture = self._capture(trace, tensors, arguments, options)
            if trace.made:
                raise made_inside(self.function.__name__, trace.made)
        finally:
            trace.varied = set()
        self.captures[key] = capture
        self._given[key] = given
        self.recordings.append(why)
        if not arguments and not options and self._own is None:
            self._only = capture
        return capture

    def _capture(
        self, trace: Trace, tensors: Sequence[Tensor], arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> Capture:
        wrapped = [concrete(tiers.value_of(tensor), type(tensor)) for tensor in tensors]
        remaining = iter(wrapped)
        new_arguments, new_options = rebuilt((arguments, options), remaining)
        trace.capturing = self.function.__name__
        trace.bindings, trace.applications, trace.consulted, trace.made = [], [], {}, []
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
            capture = Capture(trace, wrapped, result)
        finally:
            trace.capturing = None
            # The recording itself changed nothing: the first replay does.
            tiers.abandon(trace)
        for number in [*capture.baked, *capture.bound]:
            # As it was before the step was recorded, whose updates do not count.
            number.refresh()
        return capture


@overload
def step(function: Callable[P, R], /) -> Step[P, R]: ...
@overload
def step(**clauses: Any) -> Callable[[Callable[P, R]], Step[P, R]]: ...
def step(function: Any = None, /, **clauses: Any) -> Any:
    """Captures a training step: its Python code runs once for each shape of its arguments, then is replayed.

    Arguments that are arrays, tensors or numbers may change from call to call, alone or in lists, tuples,
    mappings, dataclasses and classes that `ps.register_structure` knows; so may row gradients. Anything else
    is part of what was captured, and another value captures anew: strings, None, booleans, members of an
    Enum, variables, functions, whatever equals by value and has a hash, dataclasses among it that are frozen
    and hold neither tensors nor arrays. An object that equals only itself counts with its attributes as they
    are at the call; layers and optimizers are read live. CaptureError is raised for what may change
    unnoticed: a set, an iterator, an object without a hash, or one that holds data and is not registered.

    Reads of variables and of an optimizer's hyper-parameters stay live. Values cannot be looked at inside:
    CaptureError. All writes of a call take effect together. A result may be nested as arguments may.

    A step may be a method. Each object has recordings of its own, which also depend on those of its
    attributes that the method's code names, or the code of methods it names: another number, array or object
    there captures anew. What a function sees in other ways (globals, closures, data written into an array
    in place) is what it was when the step was captured.

    The step may not make variables or optimizers, except on its first call, for itself to keep. It tells in
    `recordings` why it was recorded each time.

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
