"""One application of an optimizer, expanded into primitives: gradients in, then stages, then the rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from penstock.functions.array import all as every
from penstock.functions.array import arange, broadcast_to, full, reshape
from penstock.grad.rows import Rows
from penstock.ops.guards import require_finite
from penstock.ops.index import add_rows, set_rows, take
from penstock.ops.pointwise import (
    absolute,
    divide,
    equal,
    floor_divide,
    isfinite,
    logical_and,
    remainder,
    square,
    where,
)
from penstock.ops.promotion import kind_of
from penstock.ops.sparse_rows import sum_equal
from penstock.optimizers import clipping
from penstock.optimizers.rules import WIDE, Numbers, Rule
from penstock.optimizers.scaling import rescaled
from penstock.trace.builder import Builder, Outcome
from penstock.trace.leaf import Version
from penstock.trace.spec import Shape, Spec
from penstock.trace.tensor import Tensor

SINGLE = np.dtype(np.float32)


@dataclass(frozen=True, slots=True)
class Stages:
    """The stages around the rule, as far as they shape the program; the numbers themselves are elsewhere.

    `clip` is "value", "norm" or "global"; `window` and `mean` say over how many calls gradients are
    accumulated, and how; `average` keeps a moving average of the values, and `overwrite` is the number of
    updates after which it replaces them; `scale` is "fixed" or "dynamic", with `growth` updates between two
    doublings; with `unscaled` the gradients have already been divided by it; `finite` is "raise" or "skip";
    `lazy` moves only the rows that were read; `schedules` holds the learning rate of each group that is a
    function of the step. With `by_call`, schedules and averages count calls and not updates, and betas are
    rounded before they are raised to a power, as in Keras; with `multiplied`, their powers are products in
    single precision, as in Paddle. With `squares_rows`, rows that share an id are
    clipped and squared one by one before they are added up.
    """

    clip: str | None = None
    window: int = 1
    mean: bool = True
    average: bool = False
    overwrite: int | None = None
    scale: str | None = None
    growth: int = 2000
    unscaled: bool = False
    finite: str | None = None
    lazy: bool = False
    schedules: tuple[Any, ...] = (None,)
    by_call: bool = False
    multiplied: bool = False
    squares_rows: bool = False

    @property
    def counts(self) -> bool:
        """Whether the number of the step is part of the program; it also tells which steps were skipped."""
        scheduled = any(one is not None for one in self.schedules)
        return self.window > 1 or self.average or scheduled or self.skips

    @property
    def skips(self) -> bool:
        """Whether a step with non-finite gradients is skipped."""
        return self.finite == "skip" or self.scale == "dynamic"


class Pair(NamedTuple):
    """One variable of an application, with its rule and the places of its gradient and state.

    `cells` gives the positions of its state among the cells that the application touches, by name;
    `gradient` is the slot of a dense gradient, or those of the ids and values of rows.
    """

    position: int
    path: str
    rule: Rule
    group: int
    decays: bool
    cells: dict[str, int]
    gradient: Any
    gradient_spec: Any


@dataclass(frozen=True)
class Application:
    """All that one application needs to be expanded; it holds no variable.

    `slots` and `specs` are those of every cell that is touched: the variables, their state, and the shared
    state, whose positions are in `shared`. `index` numbers the hyper-parameters by group and name; `given`
    holds those that are tensors.
    """

    pairs: tuple[Pair, ...]
    slots: tuple[int, ...]
    specs: tuple[Spec, ...]
    owners: tuple[int, ...]
    shared: dict[str, int]
    stages: Stages
    index: dict[tuple[int, str], int]
    given: dict[int, tuple[int, Spec]]

    def expand(self, builder: Builder) -> list[Tensor]:
        """Records the application; returns the new value of each cell."""
        return Expansion(self, builder).run()

    def record(self, builder: Builder, indices: Sequence[int], flags: Sequence[bool]) -> list[int]:
        """Records the application and a new version of each cell; returns the slots of the versions."""
        versions = []
        results = self.expand(builder)
        for result, index, flag, own in zip(results, indices, flags, self.specs, strict=True):
            versions.append(builder.append(Version(index, flag), (result._slot,), {}, own).slot)
        return versions


def computing(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Returns the dtype of an update: float32 for half precision, which would lose epsilon."""
    return SINGLE if kind_of(dtype) == "f" and dtype.itemsize < 4 else dtype


class Expansion:
    """The expansion of one application. With `wide`, everything is computed in double precision."""

    def __init__(self, application: Application, builder: Builder, wide: bool = False) -> None:
        self.application, self.builder, self.wide = application, builder, wide
        self.stages = application.stages
        handles = [
            builder.handle(Outcome(slot, own))
            for slot, own in zip(application.slots, application.specs, strict=True)
        ]
        # A variable that is listed twice is updated twice, the second time from the result of the first: its
        # present value is kept at the first of its positions.
        self.now: dict[int, Tensor] = dict(enumerate(handles))
        self.results: dict[int, Tensor] = {}
        self.gate: Tensor | None = None
        self.calls: Any = None
        self.updates: Any = None
        self.step: Any = None
        self._numbers: dict[Any, Any] = {}
        self._found: dict[Any, Tensor] = {}

    # -- reading ------------------------------------------------------------------------------------------

    def cell(self, position: int) -> Tensor:
        """Returns the present value of a cell."""
        return self.now[self.application.owners[position]]

    def write(self, position: int, value: Tensor) -> None:
        """Notes the new value of a cell, in its own dtype; a skipped step keeps the old one."""
        value = self.kept(value, self.cell(position))
        self.now[self.application.owners[position]] = self.results[position] = value

    def kept(self, value: Tensor, old: Tensor) -> Tensor:
        """Returns a new value in the dtype of the old one, or the old one if the step is skipped."""
        value = value.astype(old.dtype) if value.dtype != old.dtype else value
        return value if self.gate is None else where(self.gate, value, old)

    def dtype(self, own: np.dtype[Any]) -> np.dtype[Any]:
        """Returns the dtype in which a variable of this dtype is updated."""
        return WIDE if self.wide and kind_of(own) == "f" else computing(own)

    def widened(self, value: Tensor) -> Tensor:
        """Returns a value in the dtype of the computation."""
        dtype = self.dtype(value.dtype)
        return value if value.dtype == dtype else value.astype(dtype)

    def number(self, group: int, name: str, dtype: Any) -> Tensor:
        """Returns a hyper-parameter of a group, or the optimizer's if the group does not set it."""
        key = (group, name, np.dtype(dtype))
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._number(group, name, dtype)
        return found

    def _number(self, group: int, name: str, dtype: Any) -> Tensor:
        owner = group if self._has(group, name) else 0
        schedule = self.stages.schedules[owner] if name == "learning_rate" else None
        if schedule is not None:
            key = ("schedule", owner)
            if key not in self._found:
                # The step count is a tensor here: schedules that read it as a Python number are handled
                # elsewhere.
                made = schedule(self.calls if self.stages.by_call else self.updates)
                self._found[key] = (
                    made.astype(WIDE) if isinstance(made, Tensor) else self.builder.constant(made, WIDE)
                )
            return self._found[key].astype(dtype)
        i = self.application.index[owner, name]
        given = self.application.given.get(i)
        if given is None:
            return self.hyper(i, dtype)
        tensor = self.builder.handle(Outcome(*given))
        return tensor if tensor.dtype == dtype else tensor.astype(dtype)

    def hyper(self, i: int, dtype: Any) -> Tensor:
        """Returns the i-th hyper-parameter: a constant, or an argument once it has been seen to vary."""
        return self.builder.number(i, dtype)

    def _has(self, group: int, name: str) -> bool:
        if (group, name) in self.application.index:
            return True
        return name == "learning_rate" and self.stages.schedules[group] is not None

    def _known(self, group: int, name: str) -> float | None:
        i = self.application.index.get((group, name), self.application.index.get((0, name)))
        if i is None or i in self.application.given or i in self.builder.varying:
            return None
        return float(self.builder.numbers[i])

    def numbers(self, group: int, dtype: np.dtype[Any]) -> Numbers:
        """Returns the hyper-parameters of a group, in one dtype."""
        found: Numbers | None = self._numbers.get((group, dtype))
        if found is None:
            found = self._numbers[group, dtype] = Numbers(
                dtype,
                lambda name, wanted: self.number(group, name, wanted),
                lambda name: self._known(group, name),
                self.builder.constant,
                self.step,
                self.stages.by_call,
                self.stages.multiplied,
            )
        return found

    # -- gradients ---------------------------------------------------------------------------------------

    def gradient(self, pair: Pair) -> Tensor | Rows:
        """Returns the gradient that was passed in, in the dtype of the computation."""
        own = self.application.specs[pair.position]
        if not isinstance(pair.gradient, tuple):
            return self._cast(self.builder.handle(Outcome(pair.gradient, pair.gradient_spec)), own)
        (ids, values), (ids_spec, values_spec, full) = pair.gradient, pair.gradient_spec
        indices = self.builder.handle(Outcome(ids, ids_spec))
        rows = self._cast(self.builder.handle(Outcome(values, values_spec)), own)
        if indices.ndim != 1:
            indices, rows = reshape(indices, (-1,)), reshape(rows, (-1, *full.shape[1:]))
        found = Rows(indices, rows, full)
        return found if self.by_rows(pair) or self.stages.squares_rows else found.dense()

    def _cast(self, gradient: Tensor, own: Spec) -> Tensor:
        dtype = self.dtype(own.dtype)
        return gradient if gradient.dtype == dtype else gradient.astype(dtype)

    def by_rows(self, pair: Pair) -> bool:
        """Returns whether a row gradient stays rows: its rule leaves other rows alone, or `lazy` says so."""
        if "master" in pair.cells:
            return False
        return pair.rule.rowwise or (self.stages.lazy and pair.rule.separable)

    def prepare(self) -> None:
        """Computes the step, the gradients before and after clipping, and whether the step is taken."""
        stages, shared = self.stages, self.application.shared
        pairs = self.application.pairs
        self.calls = self.now[shared["step"]] if "step" in shared else None
        self.updates = self.step = self.calls
        if self.calls is not None:
            if stages.window > 1:
                self.updates = floor_divide(self.calls, stages.window)
            self.step = self.updates + 1
        gradients = [self.gradient(pair) for pair in pairs]
        if stages.finite == "raise":
            for place, (one, pair) in enumerate(zip(gradients, pairs, strict=True)):
                what = f"gradient for Variable {pair.path!r}"
                gradients[place] = _mapped(one, lambda values, what=what: require_finite(values, what=what))
        if stages.scale is not None and not stages.unscaled:
            gradients = [self._unscaled(one) for one in gradients]
        full = finite = None
        if stages.skips and stages.by_call:
            # Before anything is accumulated: a skipped call adds nothing.
            finite = self.gate = self._all_finite(gradients)
        if stages.window > 1:
            full = equal(remainder(self.calls + 1, stages.window), 0)
            gradients = [self._accumulated(*both) for both in zip(pairs, gradients, strict=True)]
            gradients = [self._total(*both, full) for both in zip(pairs, gradients, strict=True)]
        self.gate = None
        if stages.skips and finite is None:
            finite = self._all_finite(gradients)
        self._count(full, finite)
        self.gate = full if finite is None else finite if full is None else logical_and(full, finite)
        if (stages.clip is not None or stages.window > 1) and not stages.squares_rows:
            gradients = [_summed(one) for one in gradients]
        self.raw, self.gradients = gradients, self._clipped(gradients)

    def _all_finite(self, gradients: list[Any]) -> Any:
        """Returns whether every number in these gradients is finite, as a tensor."""
        finite: Any = None
        for one in gradients:
            here = every(isfinite(one.values if isinstance(one, Rows) else one))
            finite = here if finite is None else logical_and(finite, here)
        return finite

    def _unscaled(self, gradient: Any) -> Any:
        def unscaled(values: Tensor) -> Tensor:
            if self.stages.scale == "dynamic":
                scale = self.now[self.application.shared["loss_scale"]].astype(values.dtype)
            else:
                scale = self.number(0, "loss_scale_factor", values.dtype)
            return divide(values, scale)

        return _mapped(gradient, unscaled)

    def _accumulated(self, pair: Pair, gradient: Tensor | Rows) -> Tensor | Rows:
        """Returns the sum of the gradients of this window so far."""
        if "gradient_ids" not in pair.cells:
            total = self.widened(self.cell(pair.cells["gradient_accumulator"]))
            if isinstance(gradient, Rows):
                return add_rows(total, gradient.indices, gradient.values)
            return total + gradient
        assert isinstance(gradient, Rows)
        window = self.stages.window
        ids, values = (self.cell(pair.cells[name]) for name in ("gradient_ids", "gradient_rows"))
        capacity = ids.shape[1]
        here = equal(arange(window), remainder(self.calls, window))
        indices, rows = gradient.indices.astype(ids.dtype), self.widened(gradient.values)
        missing = capacity - indices.shape[0]
        if missing:
            indices, rows = _padded(indices, rows, missing)
        ids = where(reshape(here, (window, 1)), reshape(indices, (1, capacity)), ids)
        shape = (window, *[1] * rows.ndim)
        values = where(reshape(here, shape), reshape(rows, (1, *rows.shape)), self.widened(values))
        return Rows(ids, values, gradient._spec)

    def _total(self, pair: Pair, gradient: Tensor | Rows, full: Tensor) -> Tensor | Rows:
        """Stores the accumulated gradient, or zeros after the last call of a window; returns the gradient."""
        window = self.stages.window

        def share(values: Tensor) -> Tensor:
            return divide(values, float(window)) if self.stages.mean else values

        if isinstance(gradient, Rows):
            ids, values = gradient.indices, gradient.values
            self.write(pair.cells["gradient_ids"], ids)
            self.write(pair.cells["gradient_rows"], values)
            flat = (window * ids.shape[1], *values.shape[2:])
            return Rows(reshape(ids, flat[:1]), share(reshape(values, flat)), gradient._spec)
        self.write(pair.cells["gradient_accumulator"], where(full, 0.0, gradient))
        return share(gradient)

    def _count(self, full: Tensor | None, finite: Tensor | None) -> None:
        """Counts the call; a skipped step sets the count back to the beginning of its window.

        With `by_call`, only the skipped call itself does not count.
        """
        shared, window = self.application.shared, self.stages.window
        if self.stages.by_call:
            full, window = None, 1
        left_out = None
        if finite is not None:
            left_out = finite.astype("int64") * -1 + 1
            if full is not None:
                left_out = left_out * full.astype("int64")
        if self.calls is not None:
            counted = self.calls + 1
            if left_out is not None:
                counted = counted - left_out * window
            self.write(shared["step"], counted)
        if self.stages.scale == "dynamic":
            assert finite is not None
            scale, good = self.now[shared["loss_scale"]], self.now[shared["finite_steps"]]
            following = good + 1
            grown = equal(following, self.stages.growth)
            new_scale = rescaled(scale, where(finite, where(grown, 2.0, 1.0), 0.5))
            new_good = where(finite, where(grown, 0, following), 0)
            self.write(shared["loss_scale"], new_scale if full is None else where(full, new_scale, scale))
            self.write(shared["finite_steps"], new_good if full is None else where(full, new_good, good))

    def _clipped(self, gradients: list[Any]) -> list[Any]:
        clip = self.stages.clip
        if clip is None:
            return gradients
        if clip == "global":
            norm = clipping.norm_of_all([one.values if isinstance(one, Rows) else one for one in gradients])
            limit = self.number(0, "global_clipnorm", norm.dtype)
            scale = clipping.global_scale(norm, limit)
            scaled = [_mapped(one, lambda values: values * scale.astype(values.dtype)) for one in gradients]
            # Keras' product with the scale is dense.
            return [_summed(one) for one in scaled] if self.stages.squares_rows else scaled
        if clip == "norm":
            return [
                _mapped(
                    one,
                    lambda values: clipping.scaled_to_norm(values, self.number(0, "clipnorm", values.dtype)),
                )
                for one in gradients
            ]
        return [
            _mapped(one, lambda values: clipping.bounded(values, self.number(0, "clipvalue", values.dtype)))
            for one in gradients
        ]

    # -- updates -----------------------------------------------------------------------------------------

    def run(self) -> list[Tensor]:
        """Computes the new value of every cell."""
        self.prepare()
        for pair, gradient in zip(self.application.pairs, self.gradients, strict=True):
            self.move(pair, gradient)
        if self.stages.average:
            for pair in self.application.pairs:
                self._average(pair)
        return [
            self.results.get(position, self.now[owner])
            for position, owner in enumerate(self.application.owners)
        ]

    def state(self, pair: Pair) -> list[int]:
        """Returns the positions of the rule's state for a variable."""
        own = self.application.specs[pair.position]
        return [pair.cells[slot.name] for slot in pair.rule.start(own)]

    def decayed(self, pair: Pair, value: Tensor, numbers: Numbers) -> Tensor:
        """Returns a value after its weight decay, unless the rule itself applies the decay."""
        if not pair.decays or pair.rule.decays:
            return value
        return value - value * numbers[pair.rule.decay_number] * numbers["learning_rate"]

    def value(self, pair: Pair) -> Tensor:
        """Returns the value that a rule updates: that of the variable, or its master weight if there is one.

        If the variable was written elsewhere since, the master weight restarts from its value.
        """
        own = self.cell(pair.position)
        place = pair.cells.get("master")
        if place is None:
            return self.widened(own)
        master = self.cell(place)
        return where(equal(master.astype(own.dtype), own), self.widened(master), self.widened(own))

    def move(self, pair: Pair, gradient: Tensor | Rows) -> None:
        """Moves one variable by its gradient."""
        if isinstance(gradient, Rows) and self.by_rows(pair):
            self._move_rows(pair, gradient)
        else:
            self._move(pair, gradient)

    def whole(self, pair: Pair, gradient: Tensor | Rows, dtype: np.dtype[Any]) -> tuple[Tensor, Numbers]:
        """Returns a gradient of the whole variable, and the numbers of its update."""
        numbers = self.numbers(pair.group, dtype)
        if not isinstance(gradient, Rows):
            return gradient, numbers
        return gradient.dense(), self._of_rows(numbers, gradient, lambda rows: rows.dense())

    def _of_rows(self, numbers: Numbers, gradient: Rows, added: Callable[[Rows], Tensor]) -> Numbers:
        """Returns the numbers of a row-wise update; `added` adds up the rows that share an id."""
        if not self.stages.squares_rows:
            return numbers
        squares, sizes = (added(_mapped(gradient, one)) for one in (square, absolute))
        return numbers.of_rows(squares, sizes)

    def _move(self, pair: Pair, given: Tensor | Rows) -> None:
        value = self.value(pair)
        cells = self.state(pair)
        gradient, numbers = self.whole(pair, given, value.dtype)
        before = tuple([self.widened(self.cell(cell)) for cell in cells])
        update = pair.rule.move(self.decayed(pair, value, numbers), gradient, before, numbers)
        self.write(pair.position, update.value)
        if "master" in pair.cells:
            self.write(pair.cells["master"], update.value)
        for cell, new in zip(cells, update.state, strict=True):
            self.write(cell, new)

    def _move_rows(self, pair: Pair, gradient: Rows) -> None:
        """Moves the rows of a gradient, each once, and leaves the others where they are."""
        table = self.cell(pair.position)
        dtype = self.dtype(table.dtype)
        numbers = self.numbers(pair.group, dtype)
        plain = self.gate is None and dtype == table.dtype
        decays = pair.decays and not pair.rule.decays
        if decays and not self.stages.lazy:
            table = self.kept(self.decayed(pair, self.widened(table), numbers), table)
        if plain and not (decays and self.stages.lazy):
            moved = pair.rule.move_rows(table, gradient, numbers)
            if moved is not None:
                self.write(pair.position, moved)
                return
        ids = gradient.indices
        cells = self.state(pair)
        whole = [self.cell(cell) for cell in cells]
        parts = [take(one, ids, axis=0) if one.ndim else one for one in whole]
        old = take(table, ids, axis=0)
        value = self.widened(old)
        if self.stages.lazy:
            value = self.decayed(pair, value, numbers)
        numbers = self._of_rows(numbers, gradient, _by_id)
        update = pair.rule.move(value, _by_id(gradient), tuple(map(self.widened, parts)), numbers)
        gate, owners = self.gate, self.application.owners
        moved = set_rows(table, ids, self.kept(update.value, old))
        self.now[owners[pair.position]] = self.results[pair.position] = moved
        for cell, one, part, new in zip(cells, whole, parts, update.state, strict=True):
            new = self.kept(new, part)
            self.now[owners[cell]] = self.results[cell] = set_rows(one, ids, new) if one.ndim else new
        assert gate is self.gate

    def _average(self, pair: Pair) -> None:
        """Moves the average of a variable towards its value; the first value is the first average."""
        stages = self.stages
        own, average = self.cell(pair.position), self.cell(pair.cells["average"])
        value, before = self.widened(own), self.widened(average)
        momentum = where(equal(self.updates, 0), 0.0, self.number(0, "ema_momentum", value.dtype))
        new = before * momentum + value * (1.0 - momentum)
        gate = self.gate
        if stages.by_call:
            self.gate = None
        self.write(pair.cells["average"], new)
        if stages.overwrite:
            due = equal(remainder(self.step, stages.overwrite), 0)
            self.write(pair.position, where(due, self.cell(pair.cells["average"]), own))
        self.gate = gate


def _mapped(gradient: Any, function: Any) -> Any:
    if isinstance(gradient, Rows):
        return gradient.with_values(function(gradient.values))
    return function(gradient)


def _summed(gradient: Tensor | Rows) -> Tensor | Rows:
    return gradient.summed() if isinstance(gradient, Rows) else gradient


def _by_id(gradient: Rows) -> Tensor:
    """Returns for each row the sum of all rows with its id."""
    return sum_equal(gradient.values, gradient.indices)


def _padded(indices: Tensor, rows: Tensor, missing: int) -> tuple[Tensor, Tensor]:
    """Pads a smaller batch with its first index and rows of zeros, which add nothing to it."""
    from penstock.functions.array import concat

    filling = (
        broadcast_to(indices[:1], (missing,)) if indices.shape[0] else filled(0, (missing,), indices.dtype)
    )
    return concat([indices, filling]), concat([rows, filled(0, (missing, *rows.shape[1:]), rows.dtype)])


def filled(value: float, shape: Shape, dtype: Any) -> Tensor:
    """Returns one number, repeated, as part of the program and not as data to pass to it."""
    return broadcast_to(full((), value, dtype=dtype), shape)


__all__ = ["Application", "Expansion", "Pair", "Stages", "computing", "filled", "replace"]
