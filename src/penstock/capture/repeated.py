"""Many calls of a captured step in one executable: a loop that XLA runs, without Python in between."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.capture.recording import HOLDERS, Bound, Capture
from penstock.capture.steps import Step
from penstock.errors import PenstockError
from penstock.optimizers.schedules import OnHost
from penstock.tiers import plan as tiers
from penstock.tiers import xla
from penstock.trace.hot import launch, unshared
from penstock.trace.recorder import Builder, engine, local
from penstock.trace.site import here
from penstock.trace.spec import Spec, spec_of
from penstock.trace.tensor import Cell, Tensor


class Repeated:
    """What `repeat` makes of a step."""

    def __init__(self, step: Step[..., Any], times: int) -> None:
        self.step, self.times = step, times

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        trace: Any = local.trace
        if not (isinstance(trace, Builder) or trace.taping or trace.capturing):
            capture = self.step.prepared(trace, arguments, options)
            loop = _Loop.of(capture)
            if loop is not None and _may_compile(capture, self.times):
                return loop.run(self.times)
        result = None
        for _ in range(self.times):
            result = self.step(*arguments, **options)
        return result


def repeat(step: Any, times: int) -> Repeated:
    """Returns a function that calls a step so many times with the same arguments; it returns the last result.

    `step` is what `ps.step` returns, or a plain function. The calls are one executable, a loop inside XLA: no
    Python runs in between, and all writes take effect together at the end. Random numbers go on from call to
    call. Where a loop cannot be compiled (the NumPy engine, an open ledger, a learning rate that a Python
    function gives, an index that is computed on the way and has to be checked), the step is replayed so many
    times instead, to the same effect.

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
            f"repeat was asked for {times!r} calls.", remedy="Give a whole number from 1 on.", site=here()
        )
    return Repeated(step if isinstance(step, Step) else Step(step), times)


def _may_compile(capture: Capture, times: int) -> bool:
    """Returns whether so many calls are to be one executable: nobody watches, and NumPy is not asked for."""
    if engine.commits or engine.several or tiers.settings.engine == "numpy":
        return False
    return tiers.settings.engine == "xla" or capture.program.runs + times > tiers.HOT_RUNS


class _Loop:
    """The loop over the program of one capture: what is carried from call to call, and what each draws.

    It takes the number of calls, then what stays the same (`fixed`, by position in the program, with the keys
    of all calls stacked), then the variables that it writes, whose memory it may write over.
    """

    def __init__(self, capture: Capture) -> None:
        self.capture = capture
        program, cells = capture.program, capture.cells
        self.written = list(capture.written)
        places = {id(variable): number for number, variable in enumerate(self.written)}
        self.carried = [(at, places[id(cell)]) for at, cell in enumerate(cells) if id(cell) in places]
        self.fixed = [at for at, cell in enumerate(cells) if id(cell) not in places]
        keys = {id(holder): number for number, (_, holder) in enumerate(capture.draws)}
        self.keys = [(at, keys[id(cell)]) for at, cell in enumerate(cells) if id(cell) in keys]
        self.first = len(capture.plan.handles)
        self.program = program
        self.state = tuple(range(1 + len(self.fixed), 1 + len(self.fixed) + len(self.written)))
        self.compiled: dict[Any, Any] = {}
        self.compiling = threading.Lock()

    @staticmethod
    def of(capture: Capture) -> _Loop | None:
        """Returns the loop of a capture, or None if there is something that a loop cannot do."""
        with engine.lock:
            loop = capture.loop
            if loop is None:
                loop = _Loop(capture)
                loop.able = loop._is_able()
                capture.loop = loop
        return loop if loop.able else None

    able = False

    def _is_able(self) -> bool:
        numbers = [*self.capture.baked, *self.capture.bound]
        if any(isinstance(one.owner, OnHost) for one in numbers):
            # Python gives this rate anew at each call.
            return False
        inputs = {at for at, _ in (*self.carried, *self.keys)}
        for step in self.program.steps:
            if step.primitive.many and xla.is_guarded(step):
                return False
            if step.primitive.guard is not None:
                roots = xla._host_roots(self.program, [step.inputs[i] for i in step.primitive.guarded])
                if roots is None or inputs & set(roots):
                    return False
        moving = {id(self.capture.cells[at]) for at in inputs}
        aliases = [place for _, _, place in self.capture.outputs if place is not None and place < 0]
        return bool(self.written) and not any(id(self.capture.cells[~place]) in moving for place in aliases)

    def run(self, times: int) -> Any:
        """Runs so many calls; commits their writes together, or none of them."""
        capture = self.capture
        for guard in local.trace.guards:
            guard.replayed(capture.node, capture.variables, [source._value for source in capture.sources])
        for bound in capture.bound:
            bound.refresh()
        drawn = [self._next_keys() for _ in range(times)] if capture.draws else []
        stacked = {at: np.stack([keys[number] for keys in drawn]) for at, number in self.keys}
        guarded = any(step.primitive.guard is not None for step in self.program.steps)
        checked = xla.executable(self.program, ()) if guarded else None
        box: list[Any] = []
        compiled: dict[Any, Any] = {}
        while True:
            with engine.lock:
                arguments = self._arguments(times, stacked, checked)
                shared = engine.several or not unshared(arguments, self.state, HOLDERS)
                key = () if shared else self.state, tuple(stacked[at].shape for at, _ in self.keys)
                executable = self.compiled.get(key, compiled.get(key))
                if executable is not None:
                    # The callable that JAX makes at a first call, which runs no Python.
                    executable = self.compiled[key] = getattr(executable, "_call", None) or executable
                    try:
                        with xla.jax().enable_x64(True):
                            outputs = launch(box, executable, arguments)
                        capture.commit(box, times)
                    except BaseException:
                        capture.commit(box, times)
                        raise
                    self.program.runs += times
                    for optimizer in capture.skipping:
                        optimizer._look_for_progress()
                    return capture.returned(outputs)
                specs = list(map(spec_of, arguments))
                # Not held on to: who is counted as a holder of a value keeps it from being overwritten.
                arguments = []
            compiled[key] = self._executable(key, specs)

    def _arguments(self, times: int, stacked: dict[int, Any], checked: Any) -> list[Any]:
        """Returns what the loop takes; `checked` is the program whose guards look at it before."""
        capture = self.capture
        for variable in capture.variables:
            if variable._pending is not None:
                engine.publish(variable)
        if checked is not None:
            checked.check(self.program, [cell._value for cell in capture.cells])
        for cell in (*capture.cells, *self.written):
            if isinstance(cell._value, np.ndarray) and isinstance(cell, Tensor | Cell | Bound):
                cell._value = xla.on_device(cell._value)
        return [
            np.int32(times),
            *(stacked[at] if at in stacked else capture.cells[at]._value for at in self.fixed),
            *(variable._value for variable in self.written),
        ]

    def _next_keys(self) -> list[Any]:
        """Returns the keys of one call; those drawn while the step was recorded are the first ones."""
        capture = self.capture
        if capture.drawn:
            for entry, holder in capture.draws:
                holder._value = entry.next()._value
        capture.drawn = True
        return [holder._value for _, holder in capture.draws]

    def _executable(self, key: Any, specs: Sequence[Spec]) -> Callable[..., Any]:
        """Returns the compiled loop for arguments that may be overwritten, and keys of these shapes.

        The number of calls is an argument of it, unless each has keys of its own.
        """
        with self.compiling:
            found: Callable[..., Any] | None = self.compiled.get(key)
            if found is None:
                found = self.compiled[key] = xla.launchable(self._loop, self.program, specs, key[0])
        return found

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
            values = xla.evaluate(self.program, (), *now)
            return values[: self.first], values[self.first :]

        outputs = [jax.numpy.zeros(self._spec(n).shape, self._spec(n).dtype) for n in range(self.first)]
        last, state = jax.lax.fori_loop(0, times, call, (outputs, list(arguments[len(self.fixed) :])))
        return [*last, *state]

    def _spec(self, output: int) -> Any:
        number = self.program.outputs[output]
        every = [*self.program.specs, *self.program.constants, *(step.spec for step in self.program.steps)]
        return every[number]


__all__ = ["Repeated", "repeat"]
