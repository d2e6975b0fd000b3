"""The stateful shell around an update rule: owns the state, takes pairs, writes variables in one event."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from penstock.errors import NoGradientsError, PenstockError, ShapeError
from penstock.grad.rows import Rows
from penstock.optimizers.rules import AdaptiveMoments, Descent, Momentum, Rule
from penstock.state.variable import Variable, constrained, write_over
from penstock.trace.hot import assign, references
from penstock.trace.recorder import Builder, Outcome, Trace, engine, local, note_made
from penstock.trace.site import here
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import VERSION, Node

_plain = {float}
_identities: dict[Any, int] = {}
"""A small number for each kind of rule, which makes a short key."""
stepped: list[Callable[[Optimizer, Sequence[Cell]], None]] = []
"""Called with an optimizer that has recorded an update, and the variables that it moves; see `flow.check`."""


class Optimizer:
    """Applies an update rule to (gradient, variable) pairs. Use a subclass, such as `SGD` or `Adam`.

    Hyper-parameters are plain attributes and may be set between steps: one that changes from step to step
    compiles nothing anew.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> optimizer = ps.optimizers.SGD(0.5)
    >>> for _ in range(3):
    ...     optimizer.apply_gradients([(ps.asarray(1.0), x)])
    ...     optimizer.learning_rate /= 2
    >>> print(x.numpy(), optimizer.applied)
    0.125 3
    """

    numbers: ClassVar[tuple[str, ...]] = ("learning_rate",)
    learning_rate: float

    def __init__(self, rule: Rule, *, name: str | None = None) -> None:
        self.rule = rule
        self.name = name or type(self).__name__.lower()
        self.site = here()
        self._count = [0]
        self._current: tuple[float, ...] | None = None
        self._state: dict[int, tuple[Variable, tuple[Cell, ...]]] = {}
        self._step: Cell | None = None
        self._given: list[tuple[int, Any]] = []
        self._identity = self._identify()

    def _identify(self) -> int:
        key = (type(self.rule), self.rule.key(), self.numbers)
        return _identities.setdefault(key, len(_identities))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_state": list(self._state.values()), "_count": [self._count[0]]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A copied variable has a number of its own, and a rule's small number is this process's.
        self.__dict__.update(state)
        self._state = {pair[0]._uid: pair for pair in state["_state"]}
        self._identity = self._identify()

    def __new__(cls, *given: Any, **named: Any) -> Any:
        made = super().__new__(cls)
        note_made(made)
        return made

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
        trace: Trace = local.trace
        kept = pairs
        touched: list[Cell] = []
        gradients: list[Any] = []
        for gradient, variable in pairs:
            if gradient is None:
                if kept is pairs:
                    kept = [pair for pair in pairs if pair[0] is not None]
                    self._report_absent(pairs, kept)
                continue
            if not isinstance(variable, Cell) or getattr(gradient, "_spec", None) is not variable._spec:
                self._check(gradient, variable)
            touched.append(variable)
            gradients.append(gradient)
        if not touched:
            return
        numbers = self._current or self._numbers()
        if touched[0]._uid in trace.pending:
            write_over(trace, touched[0], frame)
        trace.settle()
        if self.rule.slots:
            own = self._state
            for variable in touched[:]:
                found = own.get(variable._uid)
                touched.extend(self._start(variable) if found is None else found[1])
        if self.rule.counts:
            if self._step is None:
                self._step = self._counter()
            touched.append(self._step)
        given = tuple(
            [
                g._slot if isinstance(g, Tensor) and g._trace is trace else _referred(trace, g)
                for g in gradients
            ]
        )
        slots = references(trace, touched)
        apart = tuple([(i, trace.reference(value)) for i, value in self._given]) if self._given else ()
        head = (self._identity, given, slots, apart)
        hot_key = ("apply", head, numbers, frame.f_lasti, id(frame.f_code))
        node = None if trace.capturing else trace.node.edges.get(hot_key)
        alone = not engine.several and not trace.again
        if node is None or not alone or not assign(trace, touched, node.result, node):
            try:
                if node is None:
                    node = self._record(trace, kept, given, touched, slots, head, numbers, frame, hot_key)
                trace.node = node
                for cell, slot in zip(touched, node.result, strict=True):
                    trace.assigned(cell, slot)
            except PenstockError:
                raise
            except BaseException as error:
                # An interrupt half-way through the variables: nothing of the step must stay.
                engine.abandon(trace, error)
                raise
        if constrained:
            self._constrain(trace, touched[: len(gradients)], frame)
        self._count[0] += 1
        for tell in stepped:
            tell(self, touched[: len(gradients)])

    def _constrain(self, trace: Trace, moved: list[Cell], frame: FrameType) -> None:
        """Writes what their constraints make of variables that were moved, as part of the same step."""
        try:
            for variable in {one._uid: one for one in moved}.values():
                constraint = getattr(variable, "constraint", None)
                if constraint is not None:
                    variable._write("constraint", constraint(variable), None, frame)  # type: ignore[attr-defined]
        except BaseException as error:
            # The update is not to stand without what it was to be followed by.
            engine.abandon(trace, error)
            raise

    def _numbers(self) -> tuple[float, ...]:
        """Returns the hyper-parameters; one that is a tensor or a variable stands apart, in `_given`."""
        numbers: tuple[Any, ...] = tuple([getattr(self, name) for name in self.numbers])
        self._given = []
        if not _plain.issuperset(map(type, numbers)) or 0.0 in numbers:
            # Adding zero makes -0.0 and 0.0 one number, so that a hot key tells all others apart.
            self._given = [(i, value) for i, value in enumerate(numbers) if isinstance(value, Tensor | Cell)]
            numbers = tuple([0.0 if isinstance(n, Tensor | Cell) else n + 0.0 for n in numbers])
        self._current = None if self._given else numbers
        return numbers

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if name in self.numbers:
            self._current = None

    @property
    def applied(self) -> int:
        """How many times this optimizer has been applied."""
        return self._count[0]

    def _record(
        self,
        trace: Trace,
        kept: list[tuple[Any, Any]],
        gradients: tuple[Any, ...],
        touched: list[Cell],
        slots: tuple[int, ...],
        head: Any,
        numbers: tuple[float, ...],
        frame: FrameType,
        hot_key: Any,
    ) -> Node:
        """Records an application that was not found at once: a new one, or one whose numbers vary."""

        def build(builder: Builder) -> list[int]:
            return self._expand(builder, trace, kept, gradients, touched, slots)

        first = len(trace.arguments)
        capturing = trace.capturing is not None
        bind = frozenset(i for i, name in enumerate(self.numbers) if (id(self), name) in trace.varied)
        node = trace.follow(
            "apply", head, numbers, frame, build, None if capturing else hot_key, bind,
            by=type(self).__name__, created=self.site, variables=(), count=len(kept), slots=self.rule.slots,
        )  # fmt: skip
        details = node.event.details  # type: ignore[union-attr]
        if not details["variables"]:
            details["variables"] = tuple(trace.variable_index(cell) for cell in touched)
            details["gradients"] = gradients
        if capturing:
            trace.applications.append(self)
            trace.bindings += [
                (-1, one, "constraint", None) for one in touched[: len(kept)] if isinstance(one, Variable)
            ]
            for position, (index, dtype) in enumerate(node.scalars, first):
                trace.bindings.append((position, self, self.numbers[index], dtype))
            bound = {index for index, _ in node.scalars}
            trace.bindings += [
                (-1, self, name, None) for i, name in enumerate(self.numbers) if i not in bound
            ]
        return node

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
        given_numbers = {i: builder.handle(Outcome(trace.reference(v), v._spec)) for i, v in self._given}
        for position, ((gradient, variable), where) in enumerate(zip(pairs, gradients, strict=True)):
            dtype = variable._spec.dtype
            if dtype not in by_dtype:
                found = {
                    name: given_numbers[i].astype(dtype) if i in given_numbers else builder.number(i, dtype)
                    for i, name in enumerate(self.numbers)
                }
                if step is not None:
                    found["step"] = step.astype(dtype)
                by_dtype[dtype] = found
            given: Any
            if isinstance(gradient, Rows):
                indices = builder.handle(Outcome(where[0], gradient.indices._spec))
                given = Rows(
                    indices, builder.handle(Outcome(where[1], gradient.values._spec)), gradient._spec
                )
            else:
                given = builder.handle(Outcome(where, gradient._spec))
                if gradient.dtype != dtype:
                    given = given.astype(dtype)
            first = count + position * kinds
            places = range(first, first + kinds)
            # A variable that stands twice is moved twice, the second time from where the first has left it.
            before = latest.get(variable._uid)
            value = handle(position) if before is None else results[before]
            if before is None:
                state = tuple(handle(place) for place in places)
            else:
                state = tuple(results[count + before * kinds + i] for i in range(kinds))
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

    def _start(self, variable: Any) -> tuple[Cell, ...]:
        made = tuple(
            self._slot_variable(
                np.zeros(variable._spec.shape, variable._spec.dtype), f"{self.name}/{slot}/{variable.path}"
            )
            for slot in self.rule.slots
        )
        self._state[variable._uid] = (variable, made)
        return made

    def _slot_variable(self, value: Any, path: str) -> Cell:
        return Variable(value, name=path, trainable=False)

    def _counter(self) -> Cell:
        return self._slot_variable(np.zeros((), np.int64), f"{self.name}/step")

    def _check(self, gradient: Any, variable: Any) -> None:
        """Raises what is wrong with a pair, if anything is."""
        given = getattr(gradient, "_spec", None)
        if isinstance(variable, Cell) and given is not None and given.shape == variable._spec.shape:
            return
        if not isinstance(variable, Cell):
            raise PenstockError(
                f"apply_gradients was given {type(variable).__name__} {variable!r} to update.",
                why="Only a Variable can be written. A name that once meant a Variable becomes a plain "
                "tensor when it is assigned with `=`.",
                remedy="Pass the Variable, and write it with variable.assign(...).",
                site=here(),
            )
        if isinstance(gradient, Tensor | Cell | Rows):
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


def _referred(trace: Trace, gradient: Any) -> Any:
    """Returns the slot of a gradient; two of them for rows."""
    if isinstance(gradient, Rows):
        return trace.reference(gradient.indices), trace.reference(gradient.values)
    return trace.reference(gradient)


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
    >>> print(round(float(x), 4))
    0.9
    """

    # 1 - beta is taken in Python's double precision and rounded once: in float32 it would be 1e-5 off.
    numbers = ("learning_rate", "beta_1", "beta_2", "epsilon", "rest_1", "rest_2")
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

    @property
    def rest_1(self) -> float:
        """1 - beta_1, the weight of a new gradient."""
        return 1.0 - self.beta_1

    @property
    def rest_2(self) -> float:
        """1 - beta_2, the weight of a new squared gradient."""
        return 1.0 - self.beta_2
