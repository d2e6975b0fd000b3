"""Many calls of a captured step in one executable: a loop that XLA runs, without Python in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.capture.recording import HOLDERS, Capture
from penstock.capture.sources import Drawn
from penstock.capture.steps import Step
from penstock.errors import PenstockError
from penstock.tiers import compiler, xla
from penstock.tiers.choice import pays, settings
from penstock.tiers.executable_limits import room
from penstock.tiers.placement import in_force
from penstock.tiers.plan import arguments_of
from penstock.tiers.program import executable_size
from penstock.trace.budget import budget
from penstock.trace.builder import Builder
from penstock.trace.engine import engine
from penstock.trace.fast_path import launch, unshared
from penstock.trace.local import local
from penstock.trace.source_site import here
from penstock.trace.spec import Spec, spec_of


class Repeated:
    """A step that `repeat` has wrapped."""

    def __init__(self, step: Step[..., Any], times: int) -> None:
        self.step, self.times = step, times

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        trace: Any = local.trace
        if not (isinstance(trace, Builder) or trace.taping or trace.capturing):
            capture, given, keys = self.step.prepared(trace, arguments, options)
            loop = _Loop.of(capture)
            if loop is not None and _may_compile(capture, self.times):
                return loop.run(self.times, given, keys)
            result = capture.replay(trace, given, keys)
        else:
            result = self.step(*arguments, **options)
        for _ in range(self.times - 1):
            result = self.step(*arguments, **options)
        return result


def repeat(step: Any, times: int) -> Repeated:
    """Returns a function that calls a step `times` times with the same arguments and returns the last result.

    `step` is a result of `ps.step`, or a plain function. The calls are one executable, a loop inside XLA: no
    Python runs in between, and all writes take effect together at the end. Random numbers continue from call
    to call. If a loop cannot be compiled (the NumPy engine, no JAX, an open ledger, a learning rate from a
    Python function, a computed index that has to be checked), the step is replayed `times` times instead,
    with the same result.

    >>> import penstock as ps
    >>> count = ps.Variable(0.0, name="count")
    >>> @ps.step
    ... def add():
    ...     count.assign_add(1.0)
    ...     return count * 2.0
    >>> float(ps.repeat(add, 1000)())
    2000.0
    >>> count.version
    1000
    """
    if isinstance(times, bool) or not isinstance(times, int) or times < 1:
        raise PenstockError(
            f"repeat was given times={times!r}.", remedy="Give a whole number of at least 1.", site=here()
        )
    return Repeated(step if isinstance(step, Step) else Step(step), times)


def _may_compile(capture: Capture, times: int) -> bool:
    """Returns whether these calls should be one executable: XLA works, one device, no observer."""
    if engine.commits or engine.several or settings.engine == "numpy":
        return False
    if in_force.placement is not None:
        # A loop over many devices would wait for all of them in each turn, just like replays.
        return False
    wanted = settings.engine == "xla" or pays(capture.program, capture.program.runs + times)
    return wanted and compiler.lack() is None


class _Loop:
    """The loop over the program of one capture: the values carried from call to call, and the draws of each.

    It takes the number of calls, then the values that stay the same (`fixed`, by position in the program,
    with the keys of all calls stacked), then the variables that it writes, whose memory it may overwrite.
    """

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        program, taken = capture.program, arguments_of(capture.plan, capture.sources)
        self.written = list(capture.written)
        places = {id(variable): number for number, variable in enumerate(self.written)}
        self.carried = [(at, places[id(one)]) for at, one in enumerate(taken) if id(one) in places]
        self.fixed = [at for at, one in enumerate(taken) if id(one) not in places]
        self.keys = [(at, one.place) for at, one in enumerate(taken) if isinstance(one, Drawn)]
        self.first = len(capture.plan.handles)
        self.program = program
        self.state = tuple(range(1 + len(self.fixed), 1 + len(self.fixed) + len(self.written)))
        self.compiled: dict[Any, Any] = {}
        self.compiling = threading.Lock()

    @staticmethod
    def of(capture: Capture) -> _Loop | None:
        """Returns the loop of a capture, or None if the capture does something that a loop cannot do."""
        with engine.lock:
            loop = capture.loop
            if loop is None:
                loop = _Loop(capture)
                loop.able = loop._is_able()
                capture.loop = loop
        return loop if loop.able else None

    able = False

    def _is_able(self) -> bool:
        if self.capture.rates:
            # Python computes new rates at each call.
            return False
        inputs = {at for at, _ in (*self.carried, *self.keys)}
        for step in self.program.steps:
            if step.primitive.many and step.guarded:
                return False
            if step.primitive.guard is not None:
                roots = xla._host_roots(self.program, [step.inputs[i] for i in step.primitive.guarded])
                if roots is None or inputs & set(roots):
                    return False
        moving = {*map(id, self.written), *map(id, self.capture.draws)}
        return bool(self.written) and moving.isdisjoint(map(id, self.capture.aliased))

    def run(self, times: int, given: Sequence[Any], keys: Sequence[Any] | None) -> Any:
        """Runs this many calls on the given arguments; commits their writes all together, or not at all.

        `keys` are those of the first call, if it recorded the step.
        """
        capture = self.capture
        values = capture.begun(local.trace, given, keys)
        calls = [values]
        if capture.draws:
            calls += [[*given, *(draw.key.next()._value for draw in capture.draws)] for _ in range(times - 1)]
        stacked = {at: np.stack([call[place] for call in calls]) for at, place in self.keys}
        guarded = any(step.primitive.guard is not None for step in self.program.steps)
        checked = xla.executable(self.program, ()) if guarded else None
        box: list[Any] = []
        compiled: dict[Any, Any] = {}
        while True:
            with engine.lock:
                arguments = [np.int32(times), *self._arguments(values, stacked, checked)]
                shared = engine.several or not unshared(arguments, self.state, HOLDERS)
                key = () if shared else self.state, tuple(stacked[at].shape for at, _ in self.keys)
                executable = self.compiled.get(key, compiled.get(key))
                if executable is None:
                    specs = list(map(spec_of, arguments))
                else:
                    # The callable that JAX makes at the first call, and which runs no Python later.
                    inner = getattr(executable, "_call", executable)
                    self.compiled[key] = inner or executable
                    kept = capture.read_aliases(values)
                    try:
                        with xla.jax().enable_x64(True):
                            if inner is None:
                                outputs = xla.launch_first(box, executable, arguments)
                            else:
                                outputs = launch(box, inner, arguments)
                        capture.commit(box, times)
                    except BaseException:
                        capture.commit(box, times)
                        raise
                    self.program.runs += times
                    capture.plan.used = budget.now
                    for optimizer in capture.skipping:
                        optimizer._look_for_progress()
                # Keep no reference: each holder of a value prevents it from being overwritten.
                arguments = []
            if executable is not None:
                break
            compiled[key] = self._executable(key, specs)
        return capture.returned(outputs, given, kept)

    def _arguments(self, values: Sequence[Any], stacked: dict[int, Any], checked: Any) -> list[Any]:
        """Returns the arguments of the loop; the guards of the program `checked` test them first."""
        capture = self.capture
        for variable in capture.variables:
            if variable._pending is not None:
                engine.publish(variable)
        bound = capture.arguments(values)
        if checked is not None:
            checked.check(self.program, bound)
        capture.settle(bound)
        for variable in self.written:
            if isinstance(variable._value, np.ndarray):
                variable._value = xla.on_device(variable._value)
        fixed = [stacked[at] if at in stacked else bound[at] for at in self.fixed]
        return [*fixed, *(variable._value for variable in self.written)]

    def _executable(self, key: Any, specs: Sequence[Spec]) -> Callable[..., Any]:
        """Returns the compiled loop for arguments that may be overwritten, and keys of these shapes.

        The number of calls is an argument of the loop, unless each call has its own keys.
        """
        with self.compiling:
            found: Callable[..., Any] | None = self.compiled.get(key)
            if found is None:
                # Its outputs end with the state, in order.
                replaced = {at: output for output, at in enumerate(self.state, self.first)} if key[0] else {}
                found = xla.launchable(self._loop, self.program, specs, key[0], replaced)
                self.compiled[key] = found
                room.entered(self, executable_size(self.program))
        return found

    @property
    def last_used(self) -> int:
        """When the loop was last run."""
        return self.capture.plan.used

    @property
    def size_of_compiled(self) -> int:
        """About how many bytes its executables take."""
        return len(self.compiled) * executable_size(self.program)

    def let_go(self) -> None:
        """Drops the executables; the next call compiles the loop again."""
        self.compiled.clear()

    def _loop(self, times: Any, *arguments: Any) -> list[Any]:
        jax = xla.jax()
        fixed = dict(zip(self.fixed, arguments, strict=False))
        keys = {at for at, _ in self.keys}

        def call(number: Any, carry: Any) -> Any:
            now = [
                fixed[at][number] if at in keys else fixed.get(at) for at in range(len(self.capture.cells))
            ]
            for at, place in self.carried:
                now[at] = carry[1][place]
            values = xla.evaluate(self.program, (), *now, looped=True)
            return values[: self.first], values[self.first :]

        outputs = [jax.numpy.zeros(self._spec(n).shape, self._spec(n).dtype) for n in range(self.first)]
        last, state = jax.lax.fori_loop(0, times, call, (outputs, list(arguments[len(self.fixed) :])))
        return [*last, *state]

    def _spec(self, output: int) -> Any:
        return self.program.every_spec[self.program.outputs[output]]


__all__ = ["Repeated", "repeat"]
