"""Learning rates that depend on the number of updates: pure functions of it, computed in the recorded step.

Pass a schedule to an optimizer as its learning rate. It is called with the number of updates so far, starting
at 0, and computed in double precision from the optimizer's own counter, so a changing rate compiles nothing,
and a loaded counter continues where it was. Any function of the step works: one made of tensor operations is
recorded like these; one that reads the number (`if step < 100`) runs in Python at each update.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.functions.array import asarray
from penstock.lazy import listed
from penstock.ops.pointwise import (
    ceil,
    cos,
    equal,
    floor,
    greater,
    less,
    log,
    maximum,
    minimum,
    power,
    where,
)
from penstock.ops.validation import plain
from penstock.trace.builder import Builder
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import Site, here, site_of
from penstock.trace.tensor import Cell, Tensor

WIDE = np.dtype(np.float64)


class Schedule:
    """Base of schedules: `schedule(step)` gives the learning rate of the update after `step` updates.

    `step` is a number or a tensor of no dimensions; the result is a tensor, float64. Subclass it, or use any
    function.

    >>> import penstock as ps
    >>> class Halving(ps.optimizers.schedules.Schedule):
    ...     def rate(self, step):
    ...         return 0.5 ** step
    >>> float(Halving()(3))
    0.125
    """

    def __call__(self, step: Any) -> Tensor:
        """Returns the learning rate after this many updates."""
        if not isinstance(step, Tensor | Cell):
            step = asarray(step, dtype=WIDE)
        made = self.rate(step.astype(WIDE) if step._spec.dtype != WIDE else step)
        return made if isinstance(made, Tensor) else asarray(made, dtype=WIDE)

    def rate(self, step: Tensor) -> Any:
        """Returns the learning rate after this many updates, given as float64."""
        raise NotImplementedError


def _caller() -> Site:
    """Returns the user's line. The generated constructor of a dataclass is not in any file of the library."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return site_of(frame)


def _positive(owner: Any, name: str) -> None:
    value = plain(getattr(owner, name))
    if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
        raise PenstockError(
            f"{type(owner).__name__}: {name} is {value!r}.",
            why="It counts updates.",
            remedy="Give a number greater than 0.",
            site=_caller(),
        )


@dataclass(frozen=True)
class Constant(Schedule):
    """A constant rate, for a part of a `PiecewiseConstantDecay` or after a `WarmUp`.

    >>> import penstock as ps
    >>> float(ps.optimizers.schedules.Constant(0.25)(100))
    0.25
    """

    learning_rate: float

    def rate(self, step: Tensor) -> Any:
        """Returns the rate."""
        return step * 0.0 + self.learning_rate


@dataclass(frozen=True)
class ExponentialDecay(Schedule):
    """initial_learning_rate * decay_rate ** (step / decay_steps), the exponent rounded down if `staircase`.

    As in Keras and Optax (exponential_decay).

    >>> import penstock as ps
    >>> float(ps.optimizers.schedules.ExponentialDecay(1.0, decay_steps=2, decay_rate=0.25)(1))
    0.5
    """

    initial_learning_rate: float
    decay_steps: float
    decay_rate: float
    staircase: bool = False

    def __post_init__(self) -> None:
        _positive(self, "decay_steps")

    def rate(self, step: Tensor) -> Any:
        """Returns the rate after this many updates."""
        turns = step / float(self.decay_steps)
        return power(self.decay_rate, floor(turns) if self.staircase else turns) * self.initial_learning_rate


@dataclass(frozen=True)
class InverseTimeDecay(Schedule):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps).

    With `staircase`, step / decay_steps is rounded down. As in Keras.

    >>> import penstock as ps
    >>> float(ps.optimizers.schedules.InverseTimeDecay(1.0, decay_steps=2, decay_rate=1.0)(6))
    0.25
    """

    initial_learning_rate: float
    decay_steps: float
    decay_rate: float
    staircase: bool = False

    def __post_init__(self) -> None:
        _positive(self, "decay_steps")

    def rate(self, step: Tensor) -> Any:
        """Returns the rate after this many updates."""
        turns = step / float(self.decay_steps)
        turns = floor(turns) if self.staircase else turns
        return self.initial_learning_rate / (turns * self.decay_rate + 1.0)


@dataclass(frozen=True)
class PolynomialDecay(Schedule):
    """(initial - end) * (1 - step / decay_steps) ** power + end, constant after `decay_steps`.

    With `cycle`, `decay_steps` grows to its next multiple whenever it is reached. As in Keras; Optax has no
    cycle.

    >>> import penstock as ps
    >>> schedule = ps.optimizers.schedules.PolynomialDecay(1.0, decay_steps=4, end_learning_rate=0.0)
    >>> [float(schedule(step)) for step in (0, 1, 4, 9)]
    [1.0, 0.75, 0.0, 0.0]
    """

    initial_learning_rate: float
    decay_steps: float
    end_learning_rate: float = 1e-4
    power: float = 1.0
    cycle: bool = False

    def __post_init__(self) -> None:
        _positive(self, "decay_steps")

    def rate(self, step: Tensor) -> Any:
        """Returns the rate after this many updates."""
        length = step * 0.0 + float(self.decay_steps)
        if self.cycle:
            length = length * where(equal(step, 0.0), 1.0, ceil(step / float(self.decay_steps)))
        else:
            step = minimum(step, float(self.decay_steps))
        left = power(1.0 - step / length, float(self.power))
        return left * (self.initial_learning_rate - self.end_learning_rate) + self.end_learning_rate


@dataclass(frozen=True)
class CosineDecay(Schedule):
    """Half a cosine from the initial rate down to `alpha` times it, over `decay_steps` updates.

    With `warmup_target`, the rate first rises from the initial one to the target, in a straight line over
    `warmup_steps`, and falls from there. As in Keras (Loshchilov and Hutter, ICLR 2017).

    >>> import penstock as ps
    >>> schedule = ps.optimizers.schedules.CosineDecay(1.0, decay_steps=4)
    >>> [round(float(schedule(step)), 4) for step in (0, 1, 2, 4, 5)]
    [1.0, 0.8536, 0.5, 0.0, 0.0]
    """

    initial_learning_rate: float
    decay_steps: float
    alpha: float = 0.0
    warmup_target: float | None = None
    warmup_steps: float = 0

    def __post_init__(self) -> None:
        _positive(self, "decay_steps")

    def rate(self, step: Tensor) -> Any:
        """Returns the rate after this many updates."""
        top = self.initial_learning_rate if self.warmup_target is None else self.warmup_target
        warm = float(self.warmup_steps) if self.warmup_target is not None else 0.0
        done = minimum(maximum(step - warm, 0.0), float(self.decay_steps)) / float(self.decay_steps)
        fallen = (((cos(done * math.pi) + 1.0) * 0.5) * (1.0 - self.alpha) + self.alpha) * top
        if self.warmup_target is None or not warm:
            return fallen
        rise = self.warmup_target - self.initial_learning_rate
        return where(less(step, warm), step / warm * rise + self.initial_learning_rate, fallen)


@dataclass(frozen=True)
class CosineDecayRestarts(Schedule):
    """Cosine decay with restarts: after `first_decay_steps`, then after `t_mul` times as many, and so on.

    Each start is `m_mul` times as high as the last. As in Keras (SGDR: Loshchilov and Hutter, ICLR 2017).

    >>> import penstock as ps
    >>> schedule = ps.optimizers.schedules.CosineDecayRestarts(1.0, 2, t_mul=1.0, m_mul=0.5)
    >>> [round(float(schedule(step)), 4) for step in range(5)]
    [1.0, 0.5, 0.5, 0.25, 0.25]
    """

    initial_learning_rate: float
    first_decay_steps: float
    t_mul: float = 2.0
    m_mul: float = 1.0
    alpha: float = 0.0

    def __post_init__(self) -> None:
        _positive(self, "first_decay_steps")

    def rate(self, step: Tensor) -> Any:
        """Returns the rate after this many updates."""
        done = step / float(self.first_decay_steps)
        if self.t_mul == 1.0:
            restarts = floor(done)
            within = done - restarts
        else:
            restarts = floor(log(1.0 - done * (1.0 - self.t_mul)) / math.log(self.t_mul))
            # The logarithm of an exact power may be rounded down, but at a restart the count must be exact.
            following = restarts + 1.0
            reached = 1.0 - done * (1.0 - self.t_mul) >= power(float(self.t_mul), following) * (1.0 - 1e-12)
            restarts = where(reached, following, restarts)
            length = power(float(self.t_mul), restarts)
            within = (done - (1.0 - length) / (1.0 - self.t_mul)) / length
            within = maximum(within, 0.0)
        height = power(float(self.m_mul), restarts) * 0.5
        fallen = (cos(within * math.pi) + 1.0) * height * (1.0 - self.alpha) + self.alpha
        return fallen * self.initial_learning_rate


@dataclass(frozen=True)
class PiecewiseConstantDecay(Schedule):
    """values[0] up to and including step boundaries[0], then values[1], and so on. As in Keras.

    >>> import penstock as ps
    >>> schedule = ps.optimizers.schedules.PiecewiseConstantDecay([2, 4], [1.0, 0.5, 0.1])
    >>> [float(schedule(step)) for step in (0, 2, 3, 5)]
    [1.0, 1.0, 0.5, 0.1]
    """

    boundaries: Sequence[float]
    values: Sequence[float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "boundaries", tuple(self.boundaries))
        object.__setattr__(self, "values", tuple(self.values))
        if len(self.boundaries) != len(self.values) - 1:
            raise PenstockError(
                f"PiecewiseConstantDecay: {len(self.boundaries)} boundaries and {len(self.values)} values.",
                why="There must be one boundary between every two values.",
                remedy=f"Give {len(self.boundaries) + 1} values.",
                site=_caller(),
            )
        if any(one >= other for one, other in zip(self.boundaries, self.boundaries[1:], strict=False)):
            raise PenstockError(
                f"PiecewiseConstantDecay: the boundaries {list(self.boundaries)} are not increasing.",
                remedy="Give them in increasing order.",
                site=_caller(),
            )

    def rate(self, step: Tensor) -> Any:
        """Returns the rate after this many updates."""
        found = step * 0.0 + float(self.values[0])
        for boundary, value in zip(self.boundaries, self.values[1:], strict=True):
            found = where(greater(step, float(boundary)), float(value), found)
        return found


@dataclass(frozen=True)
class WarmUp(Schedule):
    """Rises linearly from `start` to where `after` begins, over `steps` updates; then follows `after`.

    `after` is a number, or a schedule that counts from the end of the rise.

    >>> import penstock as ps
    >>> schedule = ps.optimizers.schedules.WarmUp(1.0, steps=4)
    >>> [float(schedule(step)) for step in (0, 1, 4, 9)]
    [0.0, 0.25, 1.0, 1.0]
    """

    after: float | Callable[[Any], Any]
    steps: float
    start: float = 0.0

    def __post_init__(self) -> None:
        _positive(self, "steps")

    def rate(self, step: Tensor) -> Any:
        """Returns the rate after this many updates."""
        done = minimum(step / float(self.steps), 1.0)
        if not callable(self.after):
            return done * (self.after - self.start) + self.start
        top = self.after(step * 0.0)
        following = self.after(maximum(step - float(self.steps), 0.0))
        return where(less(step, float(self.steps)), done * (top - self.start) + self.start, following)


def records(function: Callable[[Any], Any]) -> bool:
    """Returns whether a function of the step can be recorded: it returns a tensor and reads no value.

    A function without a hash, such as a mutable dataclass, may change: it is called for each update.
    """
    if type(function).__hash__ is None:
        return False
    if isinstance(local.trace, Builder):
        return isinstance(function, Schedule)
    try:
        with Builder(local.trace, (), (), here(), None) as builder:
            made = function(builder.constant(0, np.int64))
    except Exception:
        # Any error: when it is called in Python with a number, the function raises it on the user's line.
        return False
    return isinstance(made, Tensor) and made._spec.shape == ()


def _number(made: Any) -> float:
    """Returns a rate that a schedule gave as a number; NaN for anything else."""
    try:
        return float(made)
    except (TypeError, ValueError):
        return math.nan


class OnHost:
    """A learning rate that a Python function computes at each update from the number of updates."""

    __slots__ = ("function", "kind", "updates")

    def __init__(self, function: Callable[[Any], Any], updates: Callable[[int], int], kind: str) -> None:
        self.function, self.updates, self.kind = function, updates, kind

    @property
    def rate(self) -> float:
        """The learning rate of the next update."""
        return self.rate_after(0)

    def rate_after(self, calls: int) -> float:
        """Returns the learning rate after the optimizer has been applied this many more times."""
        updates = self.updates(calls)
        outer = local.trace
        if type(self.function).__hash__ is None:
            # Its tensor operations must not become part of the step, whose key does not cover them.
            local.trace = Trace()
        try:
            made = self.function(updates)
            rate = _number(made)
        finally:
            local.trace = outer
        if not rate >= 0.0:
            raise PenstockError(
                f"{self.kind}: the schedule gave {made!r} after {updates} updates.",
                why="A learning rate must be at least 0.",
                remedy="Check what the function returns for this step.",
                site=here(),
            )
        return rate


__all__ = [
    "Constant", "CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay",
    "PiecewiseConstantDecay", "PolynomialDecay", "Schedule", "WarmUp",
]  # fmt: skip
__dir__ = listed(__name__)
