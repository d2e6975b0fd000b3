"""The stateful shell around an update rule: owns the state, takes pairs, writes variables in one event."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from penstock.errors import NoGradientsError, PenstockError, ShapeError
from penstock.grad.rows import Rows
from penstock.optimizers.rules import AdaptiveMoments, Descent, Momentum, Rule
from penstock.state.variable import Variable, write_over
from penstock.trace.recorder import Builder, Outcome, Trace, engine, local
from penstock.trace.site import here
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import VERSION


class Optimizer:
    """Applies an update rule to (gradient, variable) pairs. Use a subclass, such as `SGD` or `Adam`.

    Hyper-parameters are plain attributes and may be set between steps: one that changes from step to step
    compiles nothing anew.
    """

    numbers: ClassVar[tuple[str, ...]] = ("learning_rate",)
    learning_rate: float

    def __init__(self, rule: Rule, *, name: str | None = None) -> None:
        self.rule = rule
        self.name = name or type(self).__name__.lower()
        self.site = here()
        self.applied = 0
        self._state: dict[int, tuple[Variable, tuple[Cell, ...]]] = {}
        self._step: Cell | None = None
        self._identity = (type(rule), rule.key(), self.numbers)

    @property
    def variables(self) -> list[Cell]:
        """The optimizer's own state, in the order in which it was made."""
        own: list[Cell] = [] if self._step is None else [self._step]
        for _, slots in self._state.values():
            own.extend(slots)
        return own

    def slots(self, variable: Cell) -> dict[str, Cell]:
        """Returns the state kept for one variable, by name; empty before its first update."""
        found = self._state.get(variable._uid)
        return dict(zip(self.rule.slots, found[1], strict=True)) if found else {}

    def apply_gradients(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Moves each variable by its gradient; pairs whose gradient is None are left out, with a warning.

        Raises NoGradientsError if every gradient is None, and ShapeError if one does not fit its variable.
        Nothing is changed then.
        """
        self._apply(list(pairs), sys._getframe(1))

    def _apply(self, pairs: list[tuple[Any, Any]], frame: FrameType) -> None:
        kept = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
        if len(kept) != len(pairs):
            self._report_absent(pairs, kept)
        trace: Trace = local.trace
        variables = [variable for _, variable in kept]
        for gradient, variable in kept:
            if gradient.__class__ is Rows or (isinstance(gradient, Tensor) and gradient.shape == variable._spec.shape):
                continue
            self._refuse(gradient, variable)
        state: list[tuple[Cell, ...]] = []
        for variable in variables:
            found = self._state.get(variable._uid)
            state.append(self._start(variable) if found is None else found[1])
        if self.rule.counts and self._step is None:
            self._step = self._counter()
        write_over(trace, variables[0], frame)
        trace.settle()
        reference = trace.reference
        gradients = tuple(
            [
                (reference(g.indices), reference(g.values)) if type(g) is Rows else reference(g)
                for g, _ in kept
            ]
        )
        touched = [*variables, *(cell for cells in state for cell in cells)]
        if self._step is not None:
            touched.append(self._step)
        slots = tuple([reference(cell) for cell in touched])
        numbers = tuple([float(getattr(self, name)) for name in self.numbers])
        head = (self._identity, gradients, slots)

        def build(builder: Builder) -> list[tuple[int, int]]:
            return self._expand(builder, trace, kept, gradients, touched, slots)

        node = trace.follow(
            "apply", head, numbers, frame, build,
            by=type(self).__name__, variables=(), count=len(kept), slots=self.rule.slots,
        )  # fmt: skip
        details = node.event.details  # type: ignore[union-attr]
        if not details["variables"]:
            details["variables"] = tuple(trace.variable_index(cell) for cell in touched)
            details["gradients"] = gradients
        for cell, slot in zip(touched, node.result, strict=True):
            trace.assigned(cell, slot)
        self.applied += 1

    def _expand(
        self,
        builder: Builder,
        trace: Trace,
        pairs: list[tuple[Any, Any]],
        gradients: tuple[Any, ...],
        touched: list[Cell],
        slots: tuple[int, ...],
    ) -> list[int]:
        """Records the rule for every pair; returns the slot of the new version of each touched cell."""

        def handle(position: int) -> Tensor:
            return builder.handle(Outcome(slots[position], touched[position]._spec))

        results: dict[int, Tensor] = {}
        count, kinds = len(pairs), len(self.rule.slots)
        step = None
        if self._step is not None:
            step = handle(len(touched) - 1) + 1
            results[len(touched) - 1] = step
        by_dtype: dict[Any, dict[str, Tensor]] = {}
        latest: dict[int, int] = {}
        for position, ((gradient, variable), where) in enumerate(zip(pairs, gradients, strict=True)):
            dtype = variable._spec.dtype
            if dtype not in by_dtype:
                found = {name: builder.number(i, dtype) for i, name in enumerate(self.numbers)}
                if step is not None:
                    found["step"] = step.astype(dtype)
                by_dtype[dtype] = found
            given: Any
            if isinstance(gradient, Rows):
                indices = builder.handle(Outcome(where[0], gradient.indices._spec))
                given = Rows(indices, builder.handle(Outcome(where[1], gradient.values._spec)), gradient._spec)
            else:
                given = builder.handle(Outcome(where, gradient._spec))
                if gradient.dtype != dtype:
                    given = given.astype(dtype)
            first = count + position * kinds
            places = range(first, first + kinds)
            value = results[latest[variable._uid]] if variable._uid in latest else handle(position)
            state = tuple(handle(place) for place in places)
            update = self.rule.move(value, given, state, by_dtype[dtype])
            latest[variable._uid] = position
            results[position] = update.value
            for place, new in zip(places, update.state, strict=True):
                results[place] = new
        versions = []
        for position, cell in enumerate(touched):
            params = {"variable": trace.variable_index(cell), "trainable": cell._trainable}
            versions.append(builder.append(VERSION, (results[position]._slot,), params, cell._spec).slot)
        return versions

    def _start(self, variable: Variable) -> tuple[Cell, ...]:
        made = tuple(
            self._slot_variable(np.zeros(variable._spec.shape, variable._spec.dtype), f"{self.name}/{slot}/{variable.path}")
            for slot in self.rule.slots
        )
        self._state[variable._uid] = (variable, made)
        return made

    def _slot_variable(self, value: Any, path: str) -> Cell:
        return Variable(value, name=path, trainable=False)

    def _counter(self) -> Cell:
        return self._slot_variable(np.zeros((), np.int64), f"{self.name}/step")

    def _refuse(self, gradient: Any, variable: Any) -> None:
        """Raises what is wrong with a pair."""
        if not isinstance(variable, Cell):
            raise PenstockError(
                f"apply_gradients was given {type(variable).__name__} {variable!r} to update.",
                why="Only a Variable can be written. A name that once meant a Variable becomes a plain tensor when "
                "it is assigned with `=`.",
                remedy="Pass the Variable, and write it with variable.assign(...).",
                site=here(),
            )
        if isinstance(gradient, Tensor | Cell):
            raise ShapeError(
                f"The gradient for Variable {variable.path!r} is {gradient._spec!r}, the Variable is "  # type: ignore[attr-defined]
                f"{variable._spec!r}.",
                origin=f"Variable created at {variable.site}",  # type: ignore[attr-defined]
                why="An update has the shape of what it updates.",
                remedy="Pair each gradient with its own variable: zip(gradients, variables).",
                site=here(),
            )
        raise PenstockError(
            f"The gradient for Variable {variable.path!r} is {type(gradient).__name__}.",  # type: ignore[attr-defined]
            remedy="Give a tensor, for example with asarray(...).",
            site=here(),
        )

    def _report_absent(self, pairs: list[tuple[Any, Any]], kept: list[tuple[Any, Any]]) -> None:
        absent = [variable for gradient, variable in pairs if gradient is None]
        reasons = engine.reasons(local.trace, absent)
        lines = "\n".join(reasons)
        if not kept:
            raise NoGradientsError(
                "No gradients provided for any variable.",
                origin=lines,
                why="Every gradient is None, so there is nothing to apply.",
                remedy="Mend the path at the lines above; penstock.explain(target, variable) says more.",
                site=here(),
            )
        warnings.warn(f"No gradient for {len(absent)} of {len(pairs)} variables:\n{lines}", stacklevel=4)


class SGD(Optimizer):
    """Gradient descent, with momentum on request (Keras' form of it).

    `learning_rate`, `momentum` in [0, 1); `nesterov` looks one step ahead.

    >>> import penstock as ps
    >>> x = ps.Variable(0.0)
    >>> optimizer = ps.optimizers.SGD(0.1)
    >>> with ps.GradientTape() as tape:
    ...     loss = (x - 2) ** 2
    >>> optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    >>> print(x.numpy())
    0.4
    """

    def __init__(
        self,
        learning_rate: float = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        *,
        name: str | None = None,
    ) -> None:
        if momentum:
            self.numbers = ("learning_rate", "momentum")  # type: ignore[misc]
        super().__init__(Momentum(nesterov) if momentum else Descent(), name=name)
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.nesterov = nesterov


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015), with epsilon outside the corrected root as in PyTorch and Optax.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> optimizer = ps.optimizers.Adam(0.1)
    >>> optimizer.apply_gradients([(ps.asarray(3.0), x)])
    >>> print(round(float(x), 6))
    0.9
    """

    numbers = ("learning_rate", "beta_1", "beta_2", "epsilon")
    _floor = "outside"

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-8,
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(AdaptiveMoments(self._floor), name=name)
        self.learning_rate = learning_rate
        self.beta_1, self.beta_2, self.epsilon = beta_1, beta_2, epsilon


