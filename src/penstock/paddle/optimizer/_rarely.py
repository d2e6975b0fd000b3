"""Optimizers of the rarer kind: RAdam, Rprop, averaged gradients, and L-BFGS."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from penstock.functions.array import sign
from penstock.functions.array import sum as total_of
from penstock.ops.pointwise import equal, greater, less, maximum, minimum, where
from penstock.optimizers.moments import RectifiedMoments
from penstock.optimizers.rules import Numbers, Rule, Shares, Slot, Update
from penstock.paddle._autograd import no_grad
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle.optimizer._base import Optimizer
from penstock.paddle.optimizer._optimizers import _moments
from penstock.paddle.optimizer.lr import LRScheduler
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.tensor import Tensor

_frame = sys._getframe
State = tuple[Tensor, ...]


class RAdam(Optimizer):
    """Adam that holds back while its mean square rests on few gradients (Liu and others, 2020)."""

    _names: ClassVar[dict[str, str]] = {"momentum": "moment1", "velocity": "moment2"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        numbers = _moments(beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return RectifiedMoments()


class Resilient(Rule):
    """A rate for each number: it grows while the sign of the gradient stays, and shrinks where it turns."""

    numbers = ("least", "most", "shrink", "grow")

    def __init__(self, first: float) -> None:
        self.first = first

    def key(self) -> Any:
        """Returns the rate that each number starts with."""
        return self.first

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the gradient before, at zero, and the rates; `spec` does nothing."""
        return (Slot("previous"), Slot("rates", None, self.first))

    def _turned(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, Tensor]:
        product = gradient * state[0]
        up, down = greater(product, 0.0), less(product, 0.0)
        factor = where(up, numbers["grow"], where(down, numbers["shrink"], 1.0))
        rates = minimum(maximum(state[1] * factor, numbers["least"]), numbers["most"])
        return where(down, 0.0, gradient), rates

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value, the gradient, and the rates."""
        kept, rates = self._turned(gradient, state, numbers)
        return Update(value - sign(kept) * rates, (kept, rates))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """All of the move is the gradient's: its size is taken as given. `value` does nothing."""
        kept, rates = self._turned(gradient, state, numbers)
        size = where(equal(kept, 0.0), 1.0, kept) * sign(kept)
        step = rates / where(equal(size, 0.0), 1.0, size)
        return Shares(lambda one: -(where(equal(kept, 0.0), 0.0, one) * step))


class Rprop(Optimizer):
    """Resilient descent (Riedmiller and Braun, 1993), for whole batches: only signs of gradients count."""

    _names: ClassVar[dict[str, str]] = {"previous": "prevs", "rates": "learning_rates"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        learning_rate_range: Any = (1e-5, 50),
        parameters: Any = None,
        etas: Any = (0.5, 1.2),
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        rate = learning_rate() if isinstance(learning_rate, LRScheduler) else float(learning_rate)
        least, most = (float(one) for one in learning_rate_range)
        shrink, grow = (float(one) for one in etas)
        if not 0.0 < least <= rate <= most:
            raise InvalidValueError(
                "'0.0 < learning_rate_range[0] <= learning_rate <= learning_rate_range[1]' must be true, but "
                f"the learning rate is {rate} and its range {learning_rate_range}.",
                site=here(),
            )
        if not 0.0 < shrink < 1.0 < grow:
            raise InvalidValueError(
                f"'0.0 < etas[0] < 1.0 < etas[1]' must be true, but etas is {etas}.", site=here()
            )
        self._first = rate
        self._multi_precision = bool(multi_precision)
        numbers = {"least": least, "most": most, "shrink": shrink, "grow": grow}
        super().__init__(learning_rate, parameters, None, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return Resilient(self._first)


class AveragedGradients(Rule):
    """Descent along the mean of the last gradients of so many batches."""

    counts = True

    def __init__(self, batches: int) -> None:
        self.batches = batches

    def key(self) -> Any:
        """Returns the number of batches."""
        return self.batches

    def start(self, spec: Spec) -> tuple[Slot, ...]:
        """Returns the last gradient of each batch, at zero."""
        return (Slot("gradients", (self.batches, *spec.shape)),)

    def _kept(self, gradient: Tensor, state: State, numbers: Numbers) -> tuple[Tensor, Tensor, Tensor]:
        from penstock.functions.array import arange, reshape

        step = numbers.wide_step - 1.0
        turn = step - self.batches * (step // self.batches)
        places = arange(self.batches, dtype=np.float64)
        own = equal(places.astype(step.dtype), turn)
        own = reshape(own, (self.batches,) + (1,) * len(gradient.shape))
        count = numbers.narrow(minimum(step + 1.0, float(self.batches)))
        return where(own, gradient, state[0]), own, count

    def move(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Update:
        """Returns the new value and gradients."""
        kept, _, count = self._kept(gradient, state, numbers)
        return Update(value - total_of(kept, axis=0) / count * numbers["learning_rate"], (kept,))

    def shares(self, value: Tensor, gradient: Tensor, state: State, numbers: Numbers) -> Shares:
        """The gradients of the other batches count as momentum. `value` does nothing."""
        _, own, count = self._kept(gradient, state, numbers)
        rate = numbers["learning_rate"] / count
        others = total_of(where(own, 0.0, state[0]), axis=0)
        return Shares(lambda one: -(one * rate), -(others * rate))


class ASGD(Optimizer):
    """Descent along an average of the gradients of `batch_num` batches (Schmidt and others, 2017)."""

    _names: ClassVar[dict[str, str]] = {"gradients": "y"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        batch_num: int = 1,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        if not isinstance(batch_num, int) or batch_num < 1:
            raise InvalidValueError("batch_num should be greater than 0", site=here())
        self._batches = batch_num
        self._multi_precision = bool(multi_precision)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _rule(self, decays: bool) -> Rule:
        return AveragedGradients(self._batches)


class LBFGS(Optimizer):
    """Quasi-Newton steps from the last gradients (Nocedal, 1980); `step` takes the function to minimize.

    Lines are not searched: the step is the learning rate times the direction. The function clears gradients,
    computes the loss, calls `backward` and returns the loss.
    """

    def __init__(
        self,
        learning_rate: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        if line_search_fn is not None:
            raise NotThereError(
                f"LBFGS(line_search_fn={line_search_fn!r}) is not in penstock.paddle yet.",
                remedy="Omit it: the step is learning_rate times the direction.",
                site=here(),
            )
        if weight_decay is not None or grad_clip is not None:
            raise NotThereError(
                "LBFGS with weight_decay or grad_clip is not in penstock.paddle yet.",
                remedy="Add the penalty to the loss.",
                site=here(),
            )
        super().__init__(learning_rate, parameters, None, None, name)
        self._most, self._calls = max_iter, max_eval if max_eval is not None else max_iter * 5 // 4
        self._flat, self._still = tolerance_grad, tolerance_change
        self._history = history_size
        self._moves: list[np.ndarray[Any, Any]] = []
        self._turns: list[np.ndarray[Any, Any]] = []
        self._scale = 1.0
        self._direction: Any = None
        self._before: Any = None
        self._length = 0.0
        self._steps = 0

    def _rule(self, decays: bool) -> Rule:
        raise AssertionError("LBFGS moves all parameters together")

    def _train(self, given: list[Any]) -> None:
        self._parameter_list = given
        self._groups, self._together = [], []

    def _gradient(self) -> np.ndarray[Any, Any]:
        parts = [
            np.zeros(one._spec.size, one._spec.dtype) if one.grad is None else one.grad.numpy().ravel()
            for one in self._parameter_list
        ]
        return np.concatenate(parts)

    def _add(self, step: np.ndarray[Any, Any], frame: Any) -> None:
        start = 0
        with no_grad():
            for one in self._parameter_list:
                stop = start + one._spec.size
                part = step[start:stop].reshape(one._spec.shape).astype(one._spec.dtype)
                one._replace(one._fitting(one.numpy() + part), "LBFGS", frame)
                start = stop

    def _downhill(self, gradient: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Returns the direction: the gradient, turned by what earlier steps tell of the curvature."""
        if self._direction is None:
            return -gradient
        turn, move = gradient - self._before, self._direction * self._length
        curved = float(turn @ move)
        if curved > 1e-10:
            self._moves, self._turns = ([*one[-self._history + 1 :], new] for one, new in (
                (self._moves, move), (self._turns, turn)))  # fmt: skip
            self._scale = curved / float(turn @ turn)
        q = -gradient
        shares = []
        for move, turn in zip(reversed(self._moves), reversed(self._turns), strict=True):
            share = float(move @ q) / float(turn @ move)
            q = q - share * turn
            shares.append(share)
        q = q * self._scale
        for move, turn, share in zip(self._moves, self._turns, reversed(shares), strict=True):
            q = q + move * (share - float(turn @ q) / float(turn @ move))
        return q

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Calls the function until the loss or the gradient is still; returns the first loss."""
        frame = _frame(1)
        loss = first = closure()
        present, calls = float(loss), 1
        gradient = self._gradient()
        if np.abs(gradient).max() <= self._flat:
            return first
        for count in range(1, self._most + 1):
            self._steps += 1
            direction = self._downhill(gradient)
            rate = self.get_lr()
            if self._steps == 1:
                rate *= min(1.0, 1.0 / float(np.abs(gradient).sum()))
            slope = float(gradient @ direction)
            self._direction, self._before, self._length = direction, gradient, rate
            if slope > -self._still:
                break
            self._add(rate * direction, frame)
            if count == self._most:
                break
            last, present = present, float(closure())
            gradient, calls = self._gradient(), calls + 1
            if (
                calls >= self._calls
                or np.abs(gradient).max() <= self._flat
                or np.abs(direction * rate).max() <= self._still
                or abs(present - last) < self._still
            ):
                break
        return first


__all__ = ["ASGD", "LBFGS", "RAdam", "Rprop"]
