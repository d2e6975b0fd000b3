"""Captured steps: a function recorded once for each shape of its arguments, then replayed as a whole."""

from __future__ import annotations

import functools
import os
import threading
import types
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

from penstock.capture.methods import Own, kept_by
from penstock.capture.objects import refuse_function
from penstock.capture.pytree import leaves_of, rebuilt
from penstock.capture.recording import Capture, as_captured
from penstock.capture.retrace_reasons import described, made_inside, reason
from penstock.errors import AbandonedError, CaptureError, PenstockError
from penstock.tiers.commits import tell_failed
from penstock.tiers.failures import abandon
from penstock.trace.budget import budget
from penstock.trace.builder import Builder
from penstock.trace.convert import as_tensor
from penstock.trace.engine import engine
from penstock.trace.local import local, value_of
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor, concrete
from penstock.trace.tree import tree

P = ParamSpec("P")
R = TypeVar("R")
CLAUSES = ("updates", "reads", "locked", "reaches", "follows", "unused", "allow")
"""The clauses of a contract: see `penstock.contract`."""


REMEMBERED = 1_000
"""How many recordings of a step have their reason kept."""


class Agreement(Protocol):
    """The interface of a step's contract: see `penstock.contract`."""

    def block(self) -> AbstractContextManager[Any]:
        """Returns a context in which the contract applies to everything that is recorded."""

    def check(self, trace: Trace) -> None:
        """Raises ContractBroken if the record of a trace breaks it."""


class Step(Generic[P, R]):
    """A function that `step` has wrapped.

    Threads may call it at the same time: one of them records, under the step's own lock, which is taken
    before the engine's and never inside it; the others wait. A replay uses only the capture.
    """

    def __init__(self, function: Callable[P, R], clauses: dict[str, Any] | None = None) -> None:
        self.function = function
        self.contract: Agreement | None = None
        if clauses:
            self.contract = engine.agree(function.__name__, clauses)
        self.captures: dict[Any, Capture] = {}
        self.recordings: list[str] = []
        """Why the function was run, the last thousand times: which arguments, flags or numbers differed."""
        self._varied: dict[Any, dict[tuple[int, str], Any]] = {}
        """For recordings that were dropped: the numbers that had varied, with their owners."""
        self._only: Capture | None = None
        self._own = Own(function) if isinstance(function, types.MethodType) else None
        refuse_function(function)
        self._begin()
        functools.update_wrapper(self, function)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """Returns the step of one object, with its own recordings, like a bound method."""
        return self if instance is None else kept_by(instance).step(self)

    def _begin(self) -> None:
        self._recording = threading.RLock()
        _steps.add(self)

    def __getstate__(self) -> dict[str, Any]:
        # Recordings belong to this process, and to the variables that the function has used here.
        return {
            **self.__dict__,
            "captures": {},
            "recordings": [],
            "_varied": {},
            "_only": None,
            "_recording": None,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def __call__(self, *arguments: P.args, **options: P.kwargs) -> R:
        trace = local.trace
        if not arguments and not options:
            capture = self._only
            if (
                capture is not None
                and trace.node is tree.root
                and not trace.capturing
                and as_captured(capture)
            ):
                return capture.replay(trace)  # type: ignore[no-any-return]
        return self._call(trace, arguments, options)  # type: ignore[no-any-return]

    def _call(self, trace: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if isinstance(trace, Builder) or trace.taping or trace.capturing:
            # Part of a larger recording: the call is recorded there, so that gradients pass.
            with nullcontext() if self.contract is None else self.contract.block():
                return self.function(*arguments, **options)
        capture, given, keys = self.prepared(trace, arguments, options)
        return capture.replay(trace, given, keys)

    def prepared(
        self, trace: Trace, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[Capture, list[Any], list[Any] | None]:
        """Returns an old or a new recording for these arguments, and the values that this call passes to it.

        These are the arguments that may vary, and the keys drawn during the recording, if this call recorded
        it.
        """
        if trace.node is not tree.root:
            trace.run(True)
        leaves, shape = leaves_of(self.function, arguments, options)
        if self._own is not None:
            shape = shape, self._own.key()
        tensors = [leaf if isinstance(leaf, Tensor) else as_tensor(leaf) for leaf in leaves]
        given = [value_of(tensor) for tensor in tensors]
        key = (shape, tuple([tensor._spec for tensor in tensors]))
        keys = None
        capture = self.captures.get(key)
        if capture is None or not as_captured(capture):
            with self._recording:
                # Another thread may have recorded the step while this one waited.
                capture = self.captures.get(key)
                if capture is None or not as_captured(capture):
                    capture = self._record(trace, key, tensors, arguments, options)
                    keys = capture.first_keys()
        return capture, given, keys

    def let_go(self, key: Any, capture: Capture) -> None:
        """Drops a recording. A new recording still reads the numbers that were seen to vary at each call."""
        if self.captures.get(key) is capture:
            del self.captures[key]
            self._varied[key] = _varied(capture)
            while len(self._varied) > REMEMBERED:
                del self._varied[next(iter(self._varied))]
        if self._only is capture:
            self._only = None

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
        why = reason(self.function.__name__, self.captures.values(), given, before)
        trace.varied = set(self._varied.pop(key, ()) if before is None else _varied(before))
        try:
            capture = self._capture(trace, tensors, arguments, options, given)
            if trace.made and not self.recordings:
                # The program may keep objects created on the first entry, as layers do that wait for their
                # input; a second recording shows it.
                capture = self._capture(trace, tensors, arguments, options, given)
            if trace.made:
                raise made_inside(self.function.__name__, trace.made)
        finally:
            trace.varied, trace.made = set(), []
        self.captures[key] = capture
        self.recordings.append(why)
        del self.recordings[:-REMEMBERED]
        if not arguments and not options and self._own is None:
            self._only = capture
        return capture

    def _capture(
        self,
        trace: Trace,
        tensors: Sequence[Tensor],
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        given: dict[str, str],
    ) -> Capture:
        name = self.function.__name__
        wrapped = [concrete(value_of(tensor), type(tensor)) for tensor in tensors]
        remaining = iter(wrapped)
        new_arguments, new_options = rebuilt((arguments, options), remaining)
        trace.capturing, trace.rehearsal = name, True
        trace.bindings, trace.applications, trace.consulted, trace.made = [], [], {}, []
        try:
            for tensor in wrapped:
                # Known only by its slot: a value read now would be baked into every replay.
                slot = trace.enter(tensor)
                tensor._trace, tensor._slot, tensor._value = trace, slot, None
            result = self.function(*new_arguments, **new_options)
            if trace.taping:
                raise CaptureError(f"The step {name!r} left a tape open.", site=here())
            if self.contract is not None:
                self.contract.check(trace)
            return Capture(trace, wrapped, result, given)
        except BaseException as error:
            tell_failed(trace, True, error)
            raise
        finally:
            # The recording itself changed nothing and leaves nothing: the first replay does all the work.
            abandon(trace)
            trace.capturing, trace.rehearsal = None, False
            trace.bindings, trace.applications, trace.consulted = [], [], {}
            for tensor in wrapped:
                # The function may have stored it where other code finds it later.
                tensor._trace = None
                tensor._value = _over(name)


def _over(name: str) -> AbandonedError:
    """The value of an argument after the step has been recorded."""
    return AbandonedError(
        f"This is an argument of the captured step {name!r}, stored while the step was recorded.",
        why="A step is recorded without values, and each call has its own arguments.",
        remedy="Return from the step whatever you need outside it.",
    )


_steps: weakref.WeakSet[Step[Any, Any]] = weakref.WeakSet()


def _after_fork() -> None:
    """Gives each step a new lock: a child process has no thread that could release the old one."""
    for one in list(_steps):
        one._recording = threading.RLock()


with suppress(AttributeError):
    os.register_at_fork(after_in_child=_after_fork)


def _varied(capture: Capture) -> dict[tuple[int, str], Any]:
    """Returns the numbers of a recording that have been seen to vary, each with its owner."""
    numbers: list[Any] = [*capture.settings, *(one for one in capture.baked if one.has_changed())]
    return {(id(one.owner), one.attribute): one.owner for one in numbers}


class Captures:
    """The recordings of all steps: the least recently called are dropped first, see trace/budget.py."""

    def weigh(self) -> Iterator[tuple[int, int, tuple[Step[..., Any], Any, Capture]]]:
        """Yields each recording with its step and its key there."""
        for one in list(_steps):
            for key, capture in list(one.captures.items()):
                yield capture.plan.used, capture.size_in_memory, (one, key, capture)

    def drop(self, things: list[tuple[Step[..., Any], Any, Capture]]) -> int:
        """Drops recordings; a call that needs one again is recorded again."""
        for one, key, capture in things:
            one.let_go(key, capture)
        return 0

    def wasted(self) -> int:
        """Returns 0: any call may be repeated."""
        return 0


# Nodes held by a recording are free when the recording is gone.
budget.recorded.kinds.insert(0, Captures())


@overload
def step(function: Callable[P, R], /) -> Step[P, R]: ...
@overload
def step(**clauses: Any) -> Callable[[Callable[P, R]], Step[P, R]]: ...
def step(function: Any = None, /, **clauses: Any) -> Any:
    """Captures a training step: its Python code runs once for each shape of its arguments, then is replayed.

    Arguments that are arrays, tensors or numbers may change from call to call, alone or in lists, tuples,
    mappings, dataclasses and classes that `ps.register_structure` knows; so may row gradients. Every other
    argument is part of the capture, and a different value captures the step again: strings, None, booleans,
    members of an Enum, variables, functions, and anything else that compares by value and has a hash,
    including frozen dataclasses that hold neither tensors nor arrays. An object that compares by identity
    counts with its attributes as they are at the call; layers and optimizers are read live. CaptureError is
    raised for anything that could change unnoticed: a set, an iterator, an object without a hash, or one that
    holds data and is not registered.

    Variables and the hyper-parameters of optimizers are read at each call. Code inside cannot read values: it
    raises CaptureError. All writes of a call take effect together. Results may be nested in the same way as
    arguments.

    A step may be a method. Each object has its own recordings. They also depend on the attributes that the
    method's code names, directly or in the methods it names: a different number, array or object there
    captures the step again. Everything else that the function uses (globals, closures, data written into an
    array in place) keeps its value from the capture.

    Threads may call a step at the same time: each call has its own arguments, random draws and rates, and one
    thread records the first call.

    When recordings take too much memory, those that were called longest ago are dropped first (decision
    0024); a later call that needs one runs the Python code again.

    The step may not create variables or optimizers, except on its first call, to keep for itself. Its
    attribute `recordings` says why it was recorded each time.

    With clauses, `@ps.step(updates="generator/*", ...)`, a recording that breaks them raises ContractBroken
    and changes nothing: see `ps.contract` for `updates`, `reads`, `locked`, `reaches`, `follows`, `unused`
    and `allow`. A replay pays nothing for these checks.

    Args:
        function: the function; it may be given later, by the decorator.
        clauses: the clauses of a contract that every call keeps: see `contract`.

    Returns:
        The captured function, or a decorator.

    Raises:
        CaptureError: if the function reads a value or leaves a tape open.
        ContractBroken: if a call breaks a clause.

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
            f"step was given {unknown[0]!r}, which is not a clause of a contract.",
            remedy=f"The clauses are {', '.join(CLAUSES)}.",
            site=here(),
        )
    if function is None:
        return lambda given: Step(given, clauses)
    return Step(function)
