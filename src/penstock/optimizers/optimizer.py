"""The stateful object around an update rule: it takes pairs and writes variables and state in one event."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

from penstock.errors import PenstockError
from penstock.foreign import OF_OPTIMIZERS
from penstock.grad.rows import Rows
from penstock.optimizers import refusals
from penstock.optimizers.absent import warn_absent
from penstock.optimizers.application import Application, Pair
from penstock.optimizers.keeper import Keeper, Member
from penstock.optimizers.options import Options, Rate
from penstock.optimizers.schedules import OnHost
from penstock.optimizers.settings import identity
from penstock.state.variable import Variable, constrained, read, write_over
from penstock.trace.builder import Builder
from penstock.trace.captured import Baked, Binding
from penstock.trace.engine import engine
from penstock.trace.fast_path import assign, references
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell, Tensor
from penstock.trace.tree import Node

_plain = {float}


class Optimizer(Keeper):
    """Applies an update rule to (gradient, variable) pairs. Use a subclass, such as `SGD` or `Adam`.

    Hyper-parameters are plain attributes and may be set between steps: changing one from step to step
    compiles nothing again. `learning_rate` may also be a schedule, any function of the number of updates so
    far, or a tensor or variable. The state between updates is kept in variables (`variables`), named after
    the optimizer and what they belong to: `adam/encoder/kernel/momentum`. Half-precision variables (float16,
    bfloat16) are updated in float32 and stored in their own dtype.

    Every optimizer takes these keyword options, listed in the order in which they act:

    - `loss_scale_factor`: gradients are divided by it, because the loss was multiplied by it: see
      `scale_loss`. With "dynamic" it starts at `loss_scale_initial` (32768). A step whose gradients are not
      finite is skipped and halves it, and `loss_scale_growth_steps` (2000) steps with finite gradients double
      it; it stays finite and at least 1. After 50 skipped steps in a row, a warning says why.
    - `finite`: True raises NonFiniteError for a gradient that is infinite or NaN, and changes nothing; "skip"
      skips such a step.
    - `gradient_accumulation_steps`: variables are updated once in this many calls, by the mean of the
      gradients, or with `gradient_accumulation_reduction="sum"` by their sum. The rate, the clipping and the
      number of updates count whole windows.
    - `clipvalue`, `clipnorm`, `global_clipnorm`: at most one of them; the last bounds the norm of all
      gradients together.
    - `weight_decay`: value * learning_rate * weight_decay is subtracted before the update (decoupled), except
      from variables whose path matches a pattern of `exclude_from_weight_decay`.
    - `use_ema`: keeps a moving average of the values, with `ema_momentum` (0.99), and replaces the values by
      it every `ema_overwrite_frequency` updates; see `averaged`.
    - `rows`: how to update an embedding table, whose gradient is rows. "exact" does what a dense gradient
      would do: rules that do not change a row without a gradient (SGD without momentum, Adagrad) update only
      the rows that were read, and others get a dense gradient. "lazy" updates, decays and averages only the
      rows that were read, whatever the rule says about the others; LAMB, Adafactor and Muon refuse it.
    - `groups`: hyper-parameters for variables whose path matches a pattern:
      `groups={"head/*": {"learning_rate": 1e-2}}`. A pattern that matches nothing is an error.
    - `name`: the start of the paths of the state.

    Raises:
        ArgumentError: if a hyper-parameter is outside its range.
        NoGradientsError: if no variable has a gradient.

    >>> import penstock as ps
    >>> x = ps.Variable(1.0)
    >>> optimizer = ps.optimizers.SGD(0.5)
    >>> for _ in range(3):
    ...     optimizer.apply_gradients([(ps.asarray(1.0), x)])
    ...     optimizer.learning_rate /= 2
    >>> print(x.numpy(), optimizer.applied)
    0.125 3
    """

    _warned = False
    _is_scheduled = False
    """Whether a scheduler sets the learning rate: it is an argument of the step before it has varied."""
    _unscaled: frozenset[int] = frozenset()
    """The threads that have already divided the gradients of their next step by the loss scale."""

    def __getattr__(self, name: str) -> Any:
        known = f". {OF_OPTIMIZERS[name]}" if name in OF_OPTIMIZERS else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{known}")

    @property
    def _divided(self) -> bool:
        return threading.get_ident() in self._unscaled

    @_divided.setter
    def _divided(self, divided: bool) -> None:
        own = {threading.get_ident()}
        with engine.lock:
            self._unscaled = self._unscaled | own if divided else self._unscaled - own

    def apply_gradients(self, pairs: Iterable[tuple[Any, Any]]) -> None:
        """Updates each variable by its gradient; pairs whose gradient is None are skipped with a warning.

        Raises NoGradientsError if every gradient is None, ShapeError if one does not fit its variable, and
        LockedError for a variable that `ps.freeze` has locked. In these cases nothing is changed.

        A variable that is skipped keeps its value to the bit, whatever momentum or decay it has. A variable
        whose `trainable` was set to False has no gradient on a tape, so it is skipped; but if you pass a
        gradient anyway, even zeros, the variable moves, at least by its momentum.

        Threads may share an optimizer. A call is atomic: it reads the variables, their state and the count
        when it writes them, so the updates of two threads come one after another, each whole. The gradients
        are used as given, whatever values they were computed from.
        """
        listed = list(pairs)
        try:
            self._apply(listed, sys._getframe(1))
        except (TypeError, ValueError):
            refusals.check_pairs(listed)
            raise

    def _apply(self, pairs: list[tuple[Any, Any]], frame: FrameType) -> None:
        trace: Trace = local.trace
        kept, plain = pairs, True
        touched: list[Cell] = []
        gradients: list[Any] = []
        for gradient, variable in pairs:
            if gradient is None:
                if kept is pairs:
                    kept = [pair for pair in pairs if pair[0] is not None]
                    self._report_absent(pairs, kept, frame)
                continue
            if not isinstance(variable, Cell) or getattr(gradient, "_spec", None) is not variable._spec:
                plain = False
                refusals.check(gradient, variable)
            touched.append(variable)
            gradients.append(gradient)
        if not touched:
            if not pairs:
                refusals.warn_of_no_pairs(frame)
            return
        if touched[0]._uid in trace.pending:
            write_over(trace, touched[0], frame)
        trace.settle()
        # The lock: until this update is recorded, no other thread may update any of its variables.
        with engine.lock:
            if self._stale:
                self._restructure()
            own = self._state
            members: list[Any] = [own.get(variable._uid) for variable in touched]
            if None in members:
                self._begin(touched)
                members = [own[variable._uid] for variable in touched]
            if self._stages.window > 1:
                self._accumulate(members, gradients)
            scale, own_identity = self._stages.scale, self._identity
            if scale is not None:
                if self._divided:
                    own_identity = identity(("divided", own_identity))
                if not self._warned:
                    self._warned = True
                    warnings.warn(refusals.unscaled(type(self).__name__), stacklevel=3)
            numbers = self._current or self._numbers()
            for member in members:
                touched.extend(member.touched)
            if self._counts or scale == "dynamic":
                self._share()
                touched.extend(self._shared.values())
                if self._stages.skips:
                    self._look_for_progress()
            if plain and Rows not in map(type, gradients):
                given = references(trace, gradients)
            else:
                given = tuple([_referred(trace, gradient) for gradient in gradients])
            slots = references(trace, touched)
            apart = tuple([(i, trace.reference(value)) for i, value in self._given]) if self._given else ()
            codes = tuple([member.code for member in members]) if self._various else ()
            head = (own_identity, codes, given, slots, apart)
            hot_key = ("apply", head, numbers, frame.f_lasti, id(frame.f_code))
            node = None if trace.capturing else trace.node.edges.get(hot_key)
            if node is None or not assign(trace, touched, node.result, node, self._count):
                try:
                    if node is None:
                        node = self._record(
                            trace, kept, members, given, touched, slots, head, numbers, frame, hot_key
                        )
                    trace.node = node
                    trace.assigned_together(touched, node.result)
                    if not trace.rehearsal:
                        assign(trace, [], [], node, self._count)
                except PenstockError:
                    raise
                except BaseException as error:
                    # An interrupt half-way through the variables: no part of the step may remain.
                    engine.abandon(trace, error)
                    raise
            if self._unscaled:
                self._divided = False
            if constrained:
                self._constrain(trace, touched[: len(gradients)], frame)
        if engine.applications.functions:
            engine.applications.tell(self, touched[: len(gradients)])

    def _constrain(self, trace: Trace, moved: list[Cell], frame: FrameType) -> None:
        """Applies their constraints to the updated variables, as part of the same step."""
        try:
            for variable in {one._uid: one for one in moved if one._uid in constrained}.values():
                constraint = variable.constraint  # type: ignore[attr-defined]
                if constraint is not None:
                    variable._write("constraint", constraint(variable), None, frame)  # type: ignore[attr-defined]
        except BaseException as error:
            # The update must not take effect without its constraint.
            engine.abandon(trace, error)
            raise

    def _numbers(self) -> tuple[float, ...]:
        """Returns the hyper-parameters; tensors and variables are kept apart, in `_given`."""
        numbers: tuple[Any, ...] = tuple([getattr(owner, name) for owner, name in self._sources])
        self._given = []
        if not _plain.issuperset(map(type, numbers)) or 0.0 in numbers:
            # Adding zero turns -0.0 into 0.0; a hot key distinguishes all other numbers.
            self._given = [(i, value) for i, value in enumerate(numbers) if isinstance(value, Tensor | Cell)]
            numbers = tuple([0.0 if isinstance(n, Tensor | Cell) else n + 0.0 for n in numbers])
        self._current = None if self._given or self._varies else numbers
        return numbers

    def _record(
        self,
        trace: Trace,
        kept: list[tuple[Any, Any]],
        members: Sequence[Member],
        gradients: tuple[Any, ...],
        touched: list[Cell],
        slots: tuple[int, ...],
        head: Any,
        numbers: tuple[float, ...],
        frame: FrameType,
        hot_key: Any,
    ) -> Node:
        """Records an application that has no hot key yet: a new one, or one whose numbers vary."""
        made: dict[str, Any] = {}

        def build(builder: Builder) -> list[int]:
            application = self._application(trace, kept, members, gradients, touched, slots, head)
            names = {name for member in members for name in member.names}
            made.update(slots=tuple(sorted(names)), terms=self._terms(members), application=application)
            indices = [trace.variable_index(cell) for cell in touched]
            return application.record(builder, indices, [cell._trainable for cell in touched])

        first = len(trace.arguments)
        capturing = trace.capturing is not None
        bind = frozenset(
            i
            for i, (owner, name) in enumerate(self._sources)
            if isinstance(owner, OnHost)
            or (id(owner), name) in trace.varied
            or (name == "learning_rate" and self._is_scheduled)
        )
        node = trace.follow(
            "apply", head, numbers, frame, build, None if capturing else hot_key, bind,
            by=type(self).__name__, created=self.site, variables=(), count=len(kept), hyper=numbers,
        )  # fmt: skip
        details = node.event.details  # type: ignore[union-attr]
        if made:
            details.update(made)
            details["variables"] = tuple(trace.variable_index(cell) for cell in touched)
            details["gradients"] = gradients
        if capturing:
            ahead = sum(one is self for one in trace.applications)
            trace.applications.append(self)
            trace.bindings += [
                Baked(one, "constraint") for one in touched[: len(kept)] if isinstance(one, Variable)
            ]
            for position, (index, dtype) in enumerate(node.scalars, first):
                trace.bindings.append(Binding(position, *self._sources[index], dtype, ahead))
            # Do not compare numbers that are part of the record, nor those that a function computes for each
            # update: these are bound wherever they are used.
            apart = {index for index, _ in node.scalars}
            apart.update(i for i, value in self._given if getattr(value, "_trace", None) is trace)
            trace.bindings += [
                Baked(owner, name)
                for i, (owner, name) in enumerate(self._sources)
                if i not in apart and not isinstance(owner, OnHost)
            ]
        return node

    def _terms(self, members: Sequence[Member]) -> tuple[str, ...]:
        """Returns the possible causes of a change, in the words of the ledger."""
        causes = {
            "gradient": True,
            "scale": self._stages.scale is not None,
            "momentum": any("momentum" in member.names for member in members),
            "decay": any(member.decays for member in members),
            "clip": self._stages.clip is not None,
            "state": self._stages.overwrite is not None,
        }
        return tuple([cause for cause, there in causes.items() if there])

    def _application(
        self,
        trace: Trace,
        kept: list[tuple[Any, Any]],
        members: Sequence[Member],
        gradients: tuple[Any, ...],
        touched: list[Cell],
        slots: tuple[int, ...],
        head: Any,
    ) -> Application:
        pairs, start = [], len(kept)
        for position, ((gradient, variable), member, where) in enumerate(
            zip(kept, members, gradients, strict=True)
        ):
            cells = {name: start + i for i, name in enumerate(member.names)}
            start += len(member.names)
            own: Any = gradient._spec
            if isinstance(gradient, Rows):
                own = (gradient.indices._spec, gradient.values._spec, gradient._spec)
            pairs.append(
                Pair(position, variable.path, member.rule, member.group, member.decays, cells, where, own)
            )
        places: dict[int, int] = {}
        owners = tuple([places.setdefault(cell._uid, i) for i, cell in enumerate(touched)])
        given = {i: (slot, value._spec) for (i, value), (_, slot) in zip(self._given, head[-1], strict=True)}
        return Application(
            tuple(pairs),
            slots,
            tuple([cell._spec for cell in touched]),
            owners,
            {name: start + i for i, name in enumerate(self._shared)} if start < len(touched) else {},
            replace(self._stages, unscaled=True) if self._divided else self._stages,
            dict(self._index),
            given,
        )

    def _report_absent(
        self, pairs: list[tuple[Any, Any]], kept: list[tuple[Any, Any]], frame: FrameType
    ) -> None:
        absent = [variable for gradient, variable in pairs if gradient is None]
        if not kept:
            raise refusals.no_gradients("\n".join(engine.reasons(local.trace, absent)))
        told = f"No gradient for {len(absent)} of {len(pairs)} variables:\n"
        warn_absent(local.trace, frame, absent, told.__add__)

    def _holds(self) -> list[Any]:
        """Returns the variables that it was given to update, if it was given any before its first update."""
        return []

    # -- around the step ---------------------------------------------------------------------------------

    def scale_loss(self, loss: Any) -> Any:
        """Returns a loss multiplied by the loss scale, so that float16 gradients do not vanish.

        `apply_gradients` divides the gradients by it. Without `loss_scale_factor` the loss is returned
        unchanged.

        >>> import penstock as ps
        >>> optimizer = ps.optimizers.SGD(0.1, loss_scale_factor=1024.0)
        >>> x = ps.Variable(1.0)
        >>> with ps.GradientTape() as tape:
        ...     loss = optimizer.scale_loss(x * x)
        >>> gradient = tape.gradient(loss, x)
        >>> optimizer.apply_gradients([(gradient, x)])
        >>> float(gradient), round(float(x), 4)
        (2048.0, 0.8)
        """
        scale = self._scale_now()
        if scale is None or not isinstance(scale, Tensor):
            return loss if scale is None else loss * scale
        dtype = loss._spec.dtype if isinstance(loss, Tensor | Cell) else scale.dtype
        return loss * (scale if dtype == scale.dtype else scale.astype(dtype))

    def unscale(self, gradients: Iterable[Any]) -> list[Any]:
        """Returns the gradients of a scaled loss divided by the loss scale, to clip or inspect them.

        The next `apply_gradients` does not divide them again. None stays None.

        >>> import penstock as ps
        >>> optimizer = ps.optimizers.SGD(0.1, loss_scale_factor=1024.0)
        >>> x = ps.Variable(1.0)
        >>> with ps.GradientTape() as tape:
        ...     loss = optimizer.scale_loss(x * x)
        >>> gradients = optimizer.unscale(tape.gradient(loss, [x]))
        >>> optimizer.apply_gradients([(gradients[0], x)])
        >>> float(gradients[0]), round(float(x), 4)
        (2.0, 0.8)
        """
        scale = self._scale_now()
        self._divided = scale is not None

        def divided(values: Any) -> Any:
            number = isinstance(scale, Tensor) and scale.dtype != values.dtype
            return values / (scale.astype(values.dtype) if number else scale)

        return [
            one
            if one is None or scale is None
            else one.with_values(divided(one.values))
            if isinstance(one, Rows)
            else divided(one)
            for one in gradients
        ]

    def _scale_now(self) -> Any:
        """Returns the present factor of the loss: None, a number or a tensor."""
        self._warned = True
        with engine.lock:
            if self._stale:
                self._restructure()
            if self._stages.scale == "dynamic":
                self._share()
        if self._stages.scale is None:
            return None
        if self._stages.scale == "fixed":
            scale = self.loss_scale_factor
            return read(scale) if isinstance(scale, Cell) else scale
        return read(self._shared["loss_scale"])

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Replaces the variables by their moving averages inside a `with` block.

        Afterwards every variable has the value it had before, bit for bit. Needs `use_ema=True`.

        >>> import penstock as ps
        >>> x = ps.Variable(0.0)
        >>> optimizer = ps.optimizers.SGD(1.0, use_ema=True, ema_momentum=0.5)
        >>> for _ in range(2):
        ...     optimizer.apply_gradients([(ps.asarray(-1.0), x)])
        >>> with optimizer.averaged():
        ...     print(x.numpy())
        1.5
        >>> print(x.numpy())
        2.0
        """
        moved = self._with_averages()
        before = [(member.variable, read(member.variable)) for member in moved]
        try:
            for member in moved:
                member.variable.assign(read(member.cells["average"]))
            yield
        finally:
            for variable, value in before:
                variable.assign(value)

    def assign_averages(self) -> None:
        """Replaces the variables by their moving averages for good. Needs `use_ema=True`."""
        for member in self._with_averages():
            member.variable.assign(read(member.cells["average"]))

    def _with_averages(self) -> list[Member]:
        moved = [member for member in self._state.values() if "average" in member.cells]
        if not self.use_ema or not moved:
            raise refusals.no_averages(type(self).__name__, bool(self.use_ema))
        return moved


def _referred(trace: Trace, gradient: Any) -> Any:
    """Returns the slot of a gradient; two of them for rows."""
    if isinstance(gradient, Rows):
        return trace.reference(gradient.indices), trace.reference(gradient.values)
    return trace.reference(gradient)


__all__ = ["Optimizer", "Options", "Rate"]
