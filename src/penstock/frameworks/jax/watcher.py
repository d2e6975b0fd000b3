"""Watches JAX once it is imported: hooks, recordings, and reports to the sink."""

from __future__ import annotations

import functools
import itertools
import sys
import threading
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jax._src import core, custom_derivatives, pjit
from jax._src.interpreters import batching, partial_eval

from penstock.flow.observed import Sink, Stepped
from penstock.frameworks.jax import operations
from penstock.frameworks.jax.gradients import Gradients, Listed, Recorder, path_of
from penstock.frameworks.jax.jitted import Jitted, Line, jit
from penstock.frameworks.jax.keys import Keys
from penstock.frameworks.jax.lines import is_typed
from penstock.frameworks.jax.parameter import Parameter
from penstock.frameworks.jax.reader import Moved, Operands, Reader
from penstock.frameworks.jax.scripts import Block, Entry, Scripts
from penstock.frameworks.jax.updates import Updates
from penstock.frameworks.jax.window import Frame, Window, type_of
from penstock.frameworks.jax.words import JAX
from penstock.frameworks.places import here, is_installed
from penstock.frameworks.replaced import Replaced
from penstock.frameworks.sampling import is_measured
from penstock.frameworks.sizes_of_arrays import distance
from penstock.frameworks.told import Nothing, Written
from penstock.trace.source_site import Site

AGAIN, WINDOWS = 2, 32
"""How many steps are recorded after a program does something new, and how often that happens."""
OTHERS = ("vjp", "jvp", "linearize", "jacfwd", "jacrev", "jacobian", "hessian")
"""JAX's other functions for derivatives, whose requests are not followed."""
TURNS = 10_000
"""How many updates of one call, such as of a scan, are counted one by one."""
LINES = 100_000
"""For how many arrays the line is remembered that has made them."""


@dataclass(slots=True)
class _Counted:
    """The updates on one line: how often it ran, and its writes, as objects that are reused."""

    stepped: Stepped
    times: int = 0
    writes: list[Written] = field(default_factory=list)


class _Immediate(Recorder):
    """Puts entries into the window."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def put(self, name: str, *arguments: Any) -> None:
        reader = self._watcher.reader
        if reader is not None:
            getattr(reader, name)(self._watcher.top, *arguments)

    def end(self) -> None:
        """Reports what parameters were written since the last call, by hand."""
        self._watcher.tell_now((), ())


class _Traced(Listed):
    """Collects the entries of a call in a traced program, and puts them into its script."""

    def __init__(self, scripts: Scripts, trace: Any) -> None:
        super().__init__()
        self._scripts, self._trace = scripts, trace
        self._first = len(trace.frame.tracing_eqns)

    def end(self) -> None:
        last = len(self._trace.frame.tracing_eqns)
        self._scripts.of_trace(self._trace).blocks.append(Block(self._first, last, self.entries))
        self.entries: list[Entry] = []
        self._first = last


class _Nested(Recorder):
    """Puts the entries of a call inside a differentiated function where those of that function are put."""

    def __init__(self, outer: Recorder) -> None:
        self.put = outer.put  # type: ignore[method-assign]

    def end(self) -> None:
        """Does nothing: the outer call ends later."""


class Watcher:
    """The recordings of a program that runs in JAX.

    `busy` counts JAX' own calls inside an operation that is recorded, `quiet` those of its machinery for
    gradients. `linear` has the traces of functions that are being differentiated. `current` is the compiled
    function that is being called; `seen` is what was seen of its last call, and `handled` says that the call
    has been counted.
    """

    def __init__(self, sink: Sink, whole: int) -> None:
        self.sink = sink
        self.keys = Keys()
        self.scripts = Scripts()
        self.top = Frame()
        self.window: Window | None = None
        self.reader: Reader | None = None
        self.busy = self.quiet = 0
        self.linear: dict[int, Recorder] = {}
        self.current: Jitted | None = None
        self.handled = False
        self.seen: tuple[int, list[tuple[Moved, dict[int, Any]]], dict[int, Any]] | None = None
        self.until = whole
        self.opened = self.over = 0
        self.unread: dict[tuple[str, Site | None], None] = {}
        self.derived: dict[tuple[str, Site | None], None] = {}
        self._named: dict[Any, Parameter] = {}
        self._asked: set[Site | None] = set()
        self._read: set[int] = set()
        self._hands: dict[int, tuple[str, Site | None]] = {}
        self._counted: dict[tuple[str, Site | None], _Counted] = {}
        self._asks: dict[int, tuple[Any, bool]] = {}
        self._nothing = Nothing(JAX)
        self._events = itertools.count()
        self._created: set[int] = set()
        self._home = threading.get_ident()
        self._replaced = Replaced()
        self._immediate = _Immediate(self)
        self._gradients = Gradients(self)
        self._updates = Updates(self)
        self._fast = pjit._get_fastpath_data
        self._begin_window()

    # -- hooks -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Replaces the functions of JAX that are watched."""
        replaced = self._replaced
        replaced.function(jax, "grad", self._gradients.grad)
        replaced.function(jax, "value_and_grad", self._gradients.value_and_grad)
        for name in OTHERS:
            replaced.function(jax, name, functools.partial(self._derive, name))
        replaced.function(jax, "jit", lambda original, *given, **named: jit(self, original, *given, **named))
        for kind in (
            core.Primitive, core.CallPrimitive, custom_derivatives.CustomJVPCallPrimitive,
            custom_derivatives.CustomVJPCallPrimitive,
        ):  # fmt: skip
            replaced.function(kind, "bind_with_trace", self._bind)
        replaced.function(pjit, "_pjit_call_impl_python", self._call)
        replaced.function(partial_eval.JaxprStackFrame, "to_jaxpr", self._to_jaxpr)
        replaced.function(pjit, "_get_fastpath_data", self._fast_path)
        _forget_fast_paths()
        replaced.later(_forget_fast_paths)

    def start_updates(self, module: Any) -> None:
        """Replaces the function of a library that applies updates."""
        self._replaced.function(module, "apply_updates", self._updates.apply)

    def stop(self) -> None:
        """Restores everything."""
        self._replaced.put_back()

    def _derive(self, name: str, original: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Notes that a line of the program takes derivatives that are not followed."""
        if not is_installed(sys._getframe(2).f_code):
            self.derived.setdefault((name, here(2)))
        return original(*given, **named)

    def _fast_path(self, original: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Lets JAX call a function without Python from now on, unless its calls are to be seen."""
        if not self.busy and (self.window is not None or (self.current is not None and self.current.exact)):
            return None
        return original(*given, **named)

    def _to_jaxpr(
        self, original: Callable[..., Any], frame: Any, trace: Any, *given: Any, **named: Any
    ) -> Any:
        """Notes the jaxpr of a traced program."""
        result = original(frame, trace, *given, **named)
        self.scripts.finish(trace, result[0])
        return result

    # -- where something happens -----------------------------------------------------------------------------

    @property
    def remarks(self) -> list[str]:
        """Sentences on what the report leaves out."""
        unread = [
            f"The report does not look into the {name} at {site}, which runs outside of jax.jit and trains "
            "inside. Call it in a function under jax.jit to have its parameters and steps."
            for name, site in self.unread
        ]
        return unread + [
            f"The report does not follow the derivatives of jax.{name} at {site}. Those of jax.grad and "
            "jax.value_and_grad are in it."
            for name, site in self.derived
        ]

    @property
    def is_away(self) -> bool:
        """Whether this is another thread, or the report is complete."""
        return threading.get_ident() != self._home or self.sink.stopped

    def begin(self, depth: int) -> Recorder | None:
        """Returns where a call's entries are to be put; None if it is not recorded."""
        if self.busy or self.is_away:
            return None
        trace = core.trace_ctx.trace
        while isinstance(trace, batching.BatchTrace):
            trace = trace.parent_trace
        outer = self.linear.get(id(trace))
        if outer is not None:
            return _Nested(outer)
        if self.quiet:
            return None
        if trace is core.eval_trace:
            if self.window is None and not self._is_new(here(depth + 1)):
                return None
            return self._immediate
        if isinstance(trace, partial_eval.DynamicJaxprTrace) and not trace.frame.auto_dce:
            return _Traced(self.scripts, trace)
        return None

    def _is_new(self, site: Site | None) -> bool:
        """Returns whether a line does something new, and opens a window for it."""
        if site in self._asked:
            return False
        self._asked.add(site)
        return self._open()

    # -- operations ------------------------------------------------------------------------------------------

    def _bind(
        self,
        original: Callable[..., Any],
        primitive: Any,
        trace: Any,
        arguments: Any,
        avals: Any,
        params: Any,
    ) -> Any:
        """Runs or traces an operation."""
        if self.busy or (self.window is None and not self.linear):
            return original(primitive, trace, arguments, avals, params)
        recorder = self.linear.get(id(trace))
        if recorder is None:
            if trace is not core.eval_trace or self.quiet or self.is_away:
                return original(primitive, trace, arguments, avals, params)

            def run(_: Any, *operands: Any, **options: Any) -> Any:
                return original(primitive, trace, operands, avals, options)

            return self._run(run, primitive, tuple(arguments), params)
        self.busy += 1
        try:
            result = original(primitive, trace, arguments, avals, params)
        finally:
            self.busy -= 1
        results = result if primitive.multiple_results else [result]
        given = self._operands(arguments)
        outs = [self.keys.give(one) for one in results]
        types = [type_of(core.typeof(one)) for one in results]
        if primitive.name == operations.STOP and not is_typed():
            params = {**params, "typed": False}
        recorder.put("operation", primitive.name, params, given, outs, types, here(3))
        return result

    def _call(self, original: Callable[..., Any], *arguments: Any, **params: Any) -> Any:
        """Runs a compiled program that the program itself calls: JAX binds no operation then."""
        if self.busy or self.quiet or self.is_away or core.trace_ctx.trace is not core.eval_trace:
            return original(*arguments, **params)
        found: list[Any] = []

        def run(_: Any, *operands: Any, **options: Any) -> Any:
            found.append(original(*operands, **options))
            return found[-1][0]

        self._run(run, pjit.jit_p, arguments, params)
        return found[-1]

    def _operands(self, arguments: Sequence[Any]) -> Operands:
        keys = [self.keys.of(one) for one in arguments]
        things = [one if isinstance(one, bool | int | float) else None for one in arguments]
        types = [type_of(core.typeof(one)) for one in arguments]
        for place, (one, key) in enumerate(zip(arguments, keys, strict=True)):
            if key is None and operations.is_differentiable(types[place].dtype):
                keys[place] = self.keys.give(one)
        return Operands(keys, types, things)

    def _run(
        self, original: Callable[..., Any], primitive: Any, arguments: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        """Runs an operation of the program itself."""
        top, keys = self.top, self.keys
        jaxpr = params.get("jaxpr") if primitive.name == "jit" else None
        asks = jaxpr is not None and self._does_ask(jaxpr)
        if self.window is None:
            if not asks:
                return original(primitive, *arguments, **params)
            return self._run_later(original, primitive, arguments, params)
        if primitive.name in ("scan", "while", "cond") and any(
            self._does_ask(one) for one in core.jaxprs_in_params(params)
        ):
            self.unread.setdefault((primitive.name, here(4)))
            return self._quietly(original, primitive, arguments, params)
        known = [keys.of(one) for one in arguments]
        if not asks and all(top.number(key) is None and top.owner(key) is None for key in known):
            result = self._quietly(original, primitive, arguments, params)
            if jaxpr is None or len(self.top.made) < LINES:
                self._note_made(result if primitive.multiple_results else [result])
            return result
        if jaxpr is None:
            result = self._quietly(original, primitive, arguments, params)
            results = result if primitive.multiple_results else [result]
            outs = [keys.give(one) for one in results]
            types = [type_of(core.typeof(one)) for one in results]
            assert self.reader is not None
            given = self._operands(arguments)
            self.reader.operation(top, primitive.name, params, given, outs, types, here(3))
            self._close_if_full()
            return result
        assert self.reader is not None
        return self._run_program(self.reader, original, primitive, arguments, params)

    def _quietly(
        self, original: Callable[..., Any], primitive: Any, arguments: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        self.busy += 1
        try:
            return original(primitive, *arguments, **params)
        finally:
            self.busy -= 1

    def _run_program(
        self, reader: Reader, original: Callable[..., Any], primitive: Any, arguments: tuple[Any, ...],
        params: dict[str, Any],
    ) -> Any:  # fmt: skip
        """Reads a compiled program, runs it, and reports what it has written."""
        top, keys = self.top, self.keys
        jaxpr = params["jaxpr"]
        given = self._operands(arguments)
        for place, one in enumerate(arguments):
            if given.keys[place] is None:
                given.keys[place] = keys.give(one)
        places: list[object] = [object() for _ in jaxpr.jaxpr.outvars]
        types = [type_of(one) for one in jaxpr.jaxpr.outvars]
        site = here(4)
        reader.operation(top, "jit", params, given, places, types, site)
        told, reader.moved = reader.moved, []
        olds: dict[int, Any] = {
            owner.uid: one
            for one, key in zip(arguments, given.keys, strict=True)
            if (owner := top.owner(key)) is not None
        }
        measured = [self._line(one.by, one.site).times for one in told]
        # The memory of a donated argument is gone afterwards.
        before = {
            each.uid: _copy(olds.get(each.uid))
            for one, times in zip(told, measured, strict=True)
            if one.times == 1 and is_measured(times + 1)
            for each in one.parameters
        }
        results = self._quietly(original, primitive, arguments, params)
        news: dict[int, Any] = {}
        for mark, one in zip(places, results, strict=True):
            key = keys.give(one)
            number, owner = top.numbers.pop(mark, None), top.owners.pop(mark, None)
            if key is None:
                continue
            if number is not None:
                top.numbers[key] = number
            elif len(self.top.made) < LINES:
                self.top.made[key] = site
            if owner is not None:
                top.owners[key] = owner
                self._hold(owner, one)
                news.setdefault(owner.uid, one)
        self._read.add(id(jaxpr))
        self.seen = id(jaxpr), [(one, olds) for one in told], news
        self.handled = True
        for one in told:
            self._tell(one, before, news)
        self._close_if_full()
        return results

    def _run_later(
        self, original: Callable[..., Any], primitive: Any, arguments: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        """Runs a program that requests gradients, while steps are only counted."""
        if id(params["jaxpr"]) not in self._read and self._open():
            assert self.reader is not None
            return self._run_program(self.reader, original, primitive, arguments, params)
        self.top.numbers.clear()
        reader = Reader(Window(), self.scripts, self._named)
        return self._run_program(reader, original, primitive, arguments, params)

    def _does_ask(self, jaxpr: Any) -> bool:
        """Returns whether a program, or one inside it, requests gradients or applies updates."""
        found = self._asks.get(id(jaxpr))
        if found is None or found[0] is not jaxpr:
            inner = getattr(jaxpr, "jaxpr", jaxpr)
            asks = self.scripts.of(inner) is not None or any(
                self._does_ask(one) for one in core.subjaxprs(inner)
            )
            found = self._asks[id(jaxpr)] = jaxpr, asks
        return found[1]

    def _note_made(self, results: Sequence[Any]) -> None:
        site = here(4)
        for one in results:
            if len(self.top.made) < LINES and not isinstance(one, core.Tracer):
                key = self.keys.give(one)
                if key is not None:
                    self.top.made[key] = site

    # -- updates ---------------------------------------------------------------------------------------------

    def _line(self, by: str, site: Site | None) -> _Counted:
        found = self._counted.get((by, site))
        if found is None:
            stepped = Stepped(len(self._counted), by, None, ())
            found = self._counted[by, site] = _Counted(stepped)
        return found

    def is_due(self, lines: Sequence[Line]) -> bool:
        """Returns whether one of the lines is to be measured."""
        return any(is_measured(self._line(one.by, one.site).times + 1) for one in lines)

    def copies(self, leaves: Sequence[Any], lines: Sequence[Line]) -> list[Any]:
        """Returns copies of the values that these lines replace, by their places."""
        wanted = {old for line in lines for old, _ in line.places if old is not None}
        return [_copy(one) if place in wanted else None for place, one in enumerate(leaves)]

    def count(self, lines: Sequence[Line], olds: list[Any] | None, news: Sequence[Any] | None) -> None:
        """Counts what a call of a compiled function has written."""
        for line in lines:
            before: dict[int, Any] = {}
            after: dict[int, Any] = {}
            for parameter, (old, new) in zip(line.parameters, line.places, strict=True):
                if olds is not None and news is not None and old is not None and new is not None:
                    before[parameter.uid], after[parameter.uid] = olds[old], news[new]
            self._write(
                line.by, line.site, line.parameters, line.idle, line.times, line.chosen, before, after
            )

    def tell_now(self, olds: Sequence[Any], news: Sequence[Any]) -> None:
        """Reports updates by the program itself, with the old and new values of their parameters."""
        reader = self.reader
        if reader is None or self.busy or self.quiet or core.trace_ctx.trace is not core.eval_trace:
            return
        told, reader.moved = reader.moved, []
        owner, of = self.top.owner, self.keys.of
        before = {found.uid: one for one in olds if one is not None and (found := owner(of(one))) is not None}
        after = {found.uid: one for one in news if one is not None and (found := owner(of(one))) is not None}
        for one in news:
            found = owner(of(one)) if one is not None else None
            if found is not None:
                self._hold(found, one)
        for each in told:
            if not news:
                self._hands.update(dict.fromkeys([one.uid for one in each.parameters], (each.by, each.site)))
            self._tell(each, before, after)
        self._close_if_full()

    def _hold(self, parameter: Parameter, array: Any) -> None:
        try:
            parameter.array = weakref.ref(array)
        except TypeError:
            parameter.array = None

    def applied_later(self, by: str, site: Site | None, olds: Sequence[Any], news: Sequence[Any]) -> None:
        """Counts an update by the program itself while steps are only counted."""
        if self.is_away or self.quiet or core.trace_ctx.trace is not core.eval_trace:
            return
        moved, before, after = [], {}, {}
        for old, new in zip(olds, news, strict=True):
            owner = self.top.owner(self.keys.of(old)) if old is not None else None
            key = self.keys.give(new) if owner is not None else None
            if owner is not None and key is not None:
                self.top.owners[key] = owner
                moved.append(owner)
                before[owner.uid], after[owner.uid] = old, new
        if moved:
            idle = {one.uid for one in moved if one.zeroed}
            self._write(by, site, moved, idle, 1, False, before, after)

    def asked_later(self, arguments: Sequence[Any], argnums: Any, names: Sequence[str]) -> None:
        """Counts updates by hand, which show when gradients are requested again."""
        trace = core.trace_ctx.trace
        if self.window is not None or not self._hands or self.busy or self.quiet or self.is_away:
            return
        if trace is not core.eval_trace:
            return
        site = here(3)
        groups: dict[tuple[str, Site | None], list[Parameter]] = {}
        for place in [argnums] if isinstance(argnums, int) else argnums:
            name = names[place] if 0 <= place < len(names) else ""
            if place >= len(arguments):
                continue
            for path, one in jax.tree_util.tree_flatten_with_path(arguments[place])[0]:
                found = self._named.get((site, path_of(name, path), type_of(core.typeof(one)).spec))
                line = self._hands.get(found.uid) if found is not None else None
                if found is not None and line is not None:
                    groups.setdefault(line, []).append(found)
        for (by, where), moved in groups.items():
            self._write(by, where, moved, set(), 1, False, {}, {})

    def _tell(self, one: Moved, before: dict[int, Any], after: dict[int, Any]) -> None:
        self._write(one.by, one.site, one.parameters, one.idle, one.times, one.chosen, before, after)

    def _write(
        self, by: str, site: Site | None, parameters: Sequence[Parameter], idle: set[int], times: int,
        chosen: bool, before: dict[int, Any], after: dict[int, Any],
    ) -> None:  # fmt: skip
        """Reports an update."""
        line = self._line(by, site)
        line.times += 1
        for one in parameters:
            if one.uid not in self._created:
                self._created.add(one.uid)
                self.sink.created(one, "", True)
        amounts: dict[int, float | None] = {}
        if times == 1 and is_measured(line.times):
            amounts = {one.uid: _amount(before.get(one.uid), after.get(one.uid)) for one in parameters}
        same = [one.variable for one in line.writes] == list(parameters)
        if amounts or not same or any(one.trainable != one.variable.trainable for one in line.writes):
            event = next(self._events)
            line.writes = [
                Written(one, by, site, "apply", ("gradient",), event, amounts.get(one.uid))
                for one in parameters
            ]
            for written in line.writes:
                written.idle = written.uid in idle
        elif any(one.amount is not None for one in line.writes):
            for written in line.writes:
                written.amount = None
        self.sink.stepped(line.stepped, [one.uid for one in parameters], parameters)
        for _ in range(min(times, TURNS)):
            self.sink.passed(self._nothing, line.writes)
        if chosen or times > TURNS:
            for one in parameters:
                self.sink.uncounted(one, by, site)

    # -- windows ---------------------------------------------------------------------------------------------

    def _begin_window(self) -> None:
        self.window = Window()
        self.top.numbers.clear()
        self.top.zeros.clear()
        self.top.tapes.clear()
        self.reader = Reader(self.window, self.scripts, self._named)

    def _open(self) -> bool:
        """Opens a window for something that came after the first steps, if there is room for one more."""
        if self.opened >= WINDOWS:
            self.over += 1
            return False
        self.opened += 1
        self._begin_window()
        self.until = self.sink.steps.count + AGAIN
        return True

    def _close_if_full(self) -> None:
        window = self.window
        if window is None or window.depth:
            return
        limit, steps = self.sink.limit, self.sink.steps.count
        if steps >= self.until or (limit is not None and steps >= limit) or len(window.graph.values) > ROOM:
            self.close()
            _forget_fast_paths()

    def close(self) -> None:
        """Passes the window to the sink, which analyses it; from here on steps are only counted."""
        window, self.window, self.reader = self.window, None, None
        if window is None:
            return
        window.settle()
        self._asked.update(one.site for one in window.graph.requests)
        for one in window.variables:
            if one.uid not in self._created:
                self._created.add(one.uid)
                self.sink.created(one, "", True)
        self.sink.passed(window)

    def finish(self) -> None:
        """Analyses the last recording."""
        self.busy += 1
        try:
            self.close()
            for one in self._named.values():
                if one.uid in self._hands:
                    # The next request for gradients shows an update by hand, and the last has no next one.
                    self.sink.uncounted(one, *self._hands[one.uid])
            self.sink.unrecorded(self.over)
        finally:
            self.busy -= 1


ROOM = 60_000
"""A window with this many values is closed, whatever step the program is in."""


def _forget_fast_paths() -> None:
    """Lets JAX decide again how it calls compiled functions; none is compiled again."""
    for cache in (pjit._cpp_pjit_cache_fun_only, pjit._cpp_pjit_cache_explicit_attributes):
        cache.clear_all()


def _copy(array: Any) -> Any:
    """Returns the numbers of an array, in memory of their own; None if others have a part of them."""
    if array is None or isinstance(array, core.Tracer) or not getattr(array, "is_fully_addressable", True):
        return None
    try:
        return np.array(array)
    except (TypeError, RuntimeError):
        return None


def _amount(before: Any, after: Any) -> float | None:
    """Returns the Euclidean norm of a change."""
    old, new = _copy(before), _copy(after)
    if old is None or new is None:
        return None
    if old.dtype.kind not in "fc":
        # Such as bfloat16, which NumPy only stores.
        old, new = old.astype(np.float32), new.astype(np.float32)
    return distance(new, old)


__all__ = ["Watcher"]
