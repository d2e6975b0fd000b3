"""The engine: what runs recorded paths, which observers are notified, and the lock that protects it.

The recorder asks for what the rooms below it know: each of them gives its functions once, with `install`.
Who wants to be told of something (a ledger, a check) joins an `Observers` for a while. The order of locks
is in docs/decisions/0030.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from penstock.trace.recorder import Trace
    from penstock.trace.tensor import Cell, Tensor


class Observers:
    """Functions that are told when something happens, in the order in which they came.

    `functions` is replaced, never changed, so a loop over it is not disturbed by observers that come and go
    meanwhile, in this thread or another.
    """

    __slots__ = ("_lock", "functions")

    def __init__(self) -> None:
        self.functions: tuple[Callable[..., Any], ...] = ()
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self.functions)

    def __repr__(self) -> str:
        return f"Observers{self.functions}"

    @contextmanager
    def joined_by(self, function: Callable[..., Any]) -> Iterator[None]:
        """Has a function told for the length of a `with` block; blocks may end in any order."""
        self.add(function)
        try:
            yield
        finally:
            self.remove(function)

    def add(self, function: Callable[..., Any]) -> None:
        """Has a function told from now on."""
        with self._lock:
            self.functions = (*self.functions, function)

    def remove(self, function: Callable[..., Any]) -> None:
        """Takes a function out, the last one where it joined more than once; others stay as they are."""
        with self._lock:
            kept = list(self.functions)
            for number in reversed(range(len(kept))):
                if kept[number] == function:
                    del kept[number]
                    break
            self.functions = tuple(kept)

    def clear(self) -> None:
        """Takes every function out."""
        with self._lock:
            self.functions = ()

    def tell(self, *what: Any) -> None:
        """Calls every function."""
        for function in self.functions:
            function(*what)


class Engine:
    """What runs recorded paths and knows about them.

    `several` says whether more than one thread has a trace, as far as `count_threads` has looked; `traces`
    has that of each thread. The functions from `run` to `tell_stalled` are installed by the tiers and by the
    analysis, which know the recorder, not the other way round.
    """

    __slots__ = (
        "abandon",
        "absences",
        "agree",
        "applications",
        "called",
        "commits",
        "consultations",
        "creations",
        "failures",
        "live_tapes",
        "lock",
        "misplacements",
        "passes",
        "peek",
        "placements",
        "plans",
        "publish",
        "questions",
        "reasons",
        "repeat",
        "run",
        "several",
        "slots",
        "switches",
        "tell_stalled",
        "traces",
        "unkept",
        "whole",
    )

    run: Callable[[Trace, bool], None]
    abandon: Callable[[Trace, BaseException], None]
    publish: Callable[[Cell], None]
    peek: Callable[[Tensor], Any]
    live_tapes: Callable[[Trace], list[Any]]
    reasons: Callable[[Trace, list[Cell]], list[str]]
    agree: Callable[[str, Mapping[str, Any]], Any]
    called: Callable[[Any], str]
    repeat: Callable[[Any, int], Any]
    tell_stalled: Callable[[Any, int, int], None]

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held while steps are run and committed, while a variable is read and written again, and by code
        that looks at what other threads have pending."""
        self.several = False
        self.traces: WeakSet[Trace] = WeakSet()
        self.commits = Observers()
        """Told a Commit after every run that reached the end of a step or wrote something."""
        self.passes = Observers()
        """Asked before a run that ends a step, with its trace. What is returned is told the trace, the plan
        and what was computed, in place of a Commit; its `keeps` says whether the values before have to
        outlive the run. None asks for a Commit."""
        self.failures = Observers()
        """Told a Commit without writes, and the error, after a run that failed."""
        self.creations = Observers()
        """Told every new variable."""
        self.consultations = Observers()
        """Told a variable whose `trainable` is asked for."""
        self.applications = Observers()
        """Told an optimizer that has recorded an update, and the variables that it moves."""
        self.questions = Observers()
        """Told the sources of a gradient that has been asked for, as the program wrote them, and the line."""
        self.absences = Observers()
        """Told the variables that an optimizer was handed without a gradient."""
        self.misplacements = Observers()
        """Told the frame of a line that sets an attribute of a layer which only a variable has as a flag, its
        name, and the layer's variables; "" and a result that a flag is set on which it has already."""
        self.placements = Observers()
        """Told a layer, the name of an attribute, and the variable that a line has given it there."""
        self.plans = Observers()
        """Told a graph of which a session is to run another part, what yields the updates in it that were not
        run, and what holds the session's values, by the variables of the graph."""
        self.slots = Observers()
        """Told what becomes of gradients that wait with their variables: a word ("left" by a backward pass,
        "applied", "empty" where what is applied is nothing but zeros, "read", "cleared"), the frame of the
        line, the optimizer's name or "", and the variables."""

        self.switches = Observers()
        """Told the layers that a line puts into training or inference mode, each with whether it works
        differently then and its variables; whether it is training mode; and the frame of the line."""

        self.unkept = Observers()
        """Told a result whose gradient a line reads and nobody has kept, and the frame of the line."""

        self.whole: Callable[[Any], Any] | None = None
        """Returns all of a value of which other processes hold parts; None in a program of one process."""

    def install(self, **functions: Callable[..., Any]) -> None:
        """Takes over the functions that a room below gives: each once, when that room is imported."""
        for name, function in functions.items():
            assert not hasattr(self, name), f"engine.{name} is installed already"
            setattr(self, name, function)

    def put_together_by(self, function: Callable[[Any], Any] | None) -> None:
        """Has values of which other processes hold parts put together by a function, or by none any more."""
        self.whole = function

    @property
    def observers(self) -> dict[str, Observers]:
        """What there is to be told of, by name."""
        found = {name: getattr(self, name, None) for name in self.__slots__}
        return {name: one for name, one in found.items() if isinstance(one, Observers)}

    def enlist(self, trace: Trace) -> None:
        """Adds the trace of a thread that begins to record."""
        with self.lock:
            self.several = len(self.traces) > 0
            self.traces.add(trace)

    def overwritten(self, variable: Cell, by: Trace | None) -> None:
        """Has every trace but one read a variable again that it has read before; the lock is held."""
        uid = variable._uid
        for trace in list(self.traces):
            # A recording that will be replayed reads a variable where it is replayed.
            if trace is by or trace.rehearsal:
                continue
            if uid in trace.current or uid in trace.again:
                trace.stale.add(uid)
                trace.current.pop(uid, None)
                trace.again.pop(uid, None)

    def count_threads(self) -> None:
        """Notices that threads are gone: with one left, values may be overwritten without further care."""
        with self.lock:
            # Every thread that runs Python has a frame, those even without a Thread object.
            alive, own = sys._current_frames(), threading.get_ident()
            self.several = any(
                trace.pending or trace.thread in alive for trace in list(self.traces) if trace.thread != own
            )

    def after_fork(self) -> None:
        """Begins a child process: the thread that forked is the only one there is."""
        self.lock = threading.RLock()


engine = Engine()

__all__ = ["Engine", "Observers", "engine"]
