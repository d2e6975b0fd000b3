"""The engine: the functions that run recorded paths, the observers they notify, and the lock around both.

The recorder calls functions of the rooms below it: each room gives its own once, with `install`.
Code that wants to be notified (a ledger, a check) joins an `Observers` for a while. The order of locks
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
    """Functions that are called when something happens, in the order in which they joined.

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
        """Notifies a function for the length of a `with` block; blocks may end in any order."""
        self.add(function)
        try:
            yield
        finally:
            self.remove(function)

    def add(self, function: Callable[..., Any]) -> None:
        """Notifies a function from now on."""
        with self._lock:
            self.functions = (*self.functions, function)

    def remove(self, function: Callable[..., Any]) -> None:
        """Removes a function: the last entry, if it joined more than once. The others stay."""
        with self._lock:
            kept = list(self.functions)
            for number in reversed(range(len(kept))):
                if kept[number] == function:
                    del kept[number]
                    break
            self.functions = tuple(kept)

    def clear(self) -> None:
        """Removes every function."""
        with self._lock:
            self.functions = ()

    def tell(self, *what: Any) -> None:
        """Calls every function."""
        for function in self.functions:
            function(*what)


class Engine:
    """Runs recorded paths and notifies observers.

    `several` says whether more than one thread had a trace when `count_threads` last looked; `traces` holds
    the trace of each thread. The functions from `run` to `tell_stalled` are installed by the tiers and by the
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
        """Called with its trace before a run that ends a step. An object returned here is told the trace, the
        plan and the computed values, in place of a Commit; its `keeps` says whether the earlier values have
        to outlive the run. None asks for a Commit."""
        self.failures = Observers()
        """Told a Commit without writes, and the error, after a run that failed."""
        self.creations = Observers()
        """Told every new variable."""
        self.consultations = Observers()
        """Told a variable whose `trainable` is read."""
        self.applications = Observers()
        """Told an optimizer that has recorded an update, and the variables that it moves."""
        self.questions = Observers()
        """Told the sources of a requested gradient, as the program wrote them, and the line."""
        self.absences = Observers()
        """Told the variables that an optimizer received without a gradient."""
        self.misplacements = Observers()
        """Told the frame of a line that sets, on a layer, an attribute that is a flag of variables only, with
        its name and the layer's variables; or "" and a result, where a line sets a flag that the result has
        already."""
        self.placements = Observers()
        """Told a layer, the name of an attribute, and the variable that a line has assigned to it."""
        self.plans = Observers()
        """Told a graph before a session runs another part of it, a function that yields its updates that were
        not run, and the cells with the session's values, by the variables of the graph."""
        self.slots = Observers()
        """Told what happens to gradients stored with their variables: a word ("left" by a backward pass,
        "applied", "empty" where an optimizer applies only zeros, "read", "cleared"), the frame of the line,
        the optimizer's name or "", and the variables."""

        self.switches = Observers()
        """Told the layers that a line puts into training or inference mode, each with its variables and
        whether the mode changes what it computes; whether it is training mode; and the frame of the line."""

        self.unkept = Observers()
        """Told a result whose gradient is read although it was not retained, and the frame of the line."""

        self.whole: Callable[[Any], Any] | None = None
        """Returns the whole of a value that is spread over processes; None in a program of one process."""

    def install(self, **functions: Callable[..., Any]) -> None:
        """Stores the functions of a room below: each once, when that room is imported."""
        for name, function in functions.items():
            assert not hasattr(self, name), f"engine.{name} is installed already"
            setattr(self, name, function)

    def put_together_by(self, function: Callable[[Any], Any] | None) -> None:
        """Sets the function that gathers values which are spread over processes; None removes it."""
        self.whole = function

    @property
    def observers(self) -> dict[str, Observers]:
        """The lists of observers, by name."""
        found = {name: getattr(self, name, None) for name in self.__slots__}
        return {name: one for name, one in found.items() if isinstance(one, Observers)}

    def enlist(self, trace: Trace) -> None:
        """Adds the trace of a thread that begins to record."""
        with self.lock:
            self.several = len(self.traces) > 0
            self.traces.add(trace)

    def overwritten(self, variable: Cell, by: Trace | None) -> None:
        """Makes every trace but one read a variable again if it has read it before; the lock is held."""
        uid = variable._uid
        for trace in list(self.traces):
            # A recording that will be replayed reads the variable at the replay.
            if trace is by or trace.rehearsal:
                continue
            if uid in trace.current or uid in trace.again:
                trace.stale.add(uid)
                trace.current.pop(uid, None)
                trace.again.pop(uid, None)

    def count_threads(self) -> None:
        """Notices threads that have ended: with one left, values may be overwritten without checks."""
        with self.lock:
            # Every thread that runs Python has a frame, even one without a Thread object.
            alive, own = sys._current_frames(), threading.get_ident()
            self.several = any(
                trace.pending or trace.thread in alive for trace in list(self.traces) if trace.thread != own
            )

    def after_fork(self) -> None:
        """Begins a child process: only the thread that forked exists in it."""
        self.lock = threading.RLock()


engine = Engine()

__all__ = ["Engine", "Observers", "engine"]
