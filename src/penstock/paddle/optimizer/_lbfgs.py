"""Quasi-Newton steps: L-BFGS, which moves all parameters together."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from penstock.optimizers.rules import Rule
from penstock.paddle._declaring import in_optimizer
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle.optimizer._base import Optimizer
from penstock.paddle.optimizer._line_search import Point, strong_wolfe
from penstock.trace.source_site import here

_frame = sys._getframe


@in_optimizer
class LBFGS(Optimizer):
    """Quasi-Newton steps from the last gradients (Nocedal, 1980); `step` takes the function to minimize.

    The step is the learning rate times the direction, or with the `line_search_fn` "strong_wolfe" one that
    is long and low enough. The function clears gradients, computes the loss, calls `backward` and returns it.
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
        if line_search_fn not in (None, "strong_wolfe"):
            raise InvalidValueError(
                f"only 'strong_wolfe' is supported, but line_search_fn is {line_search_fn!r}.", site=here()
            )
        if weight_decay is not None or grad_clip is not None:
            raise NotThereError(
                "LBFGS with weight_decay or grad_clip is not in penstock.paddle yet.",
                remedy="Add the penalty to the loss.",
                site=here(),
            )
        super().__init__(learning_rate, parameters, None, None, name)
        self.learning_rate, self.line_search_fn = learning_rate, line_search_fn
        self.max_iter, self.max_eval = max_iter, max_eval if max_eval is not None else max_iter * 5 // 4
        self.tolerance_grad, self.tolerance_change = tolerance_grad, tolerance_change
        self.history_size = history_size
        self._moves: list[np.ndarray[Any, Any]] = []
        self._turns: list[np.ndarray[Any, Any]] = []
        self._scale = 1.0
        self._direction: Any = None
        self._before: Any = None
        self._length = 0.0
        self._steps = 0

    def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
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
        """Returns the direction: the gradient, turned by the curvature estimate of earlier steps."""
        if self._direction is None:
            return -gradient
        turn, move = gradient - self._before, self._direction * self._length
        curved = float(turn @ move)
        if curved > 1e-10:
            self._moves, self._turns = ([*one[-self.history_size + 1 :], new] for one, new in (
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

    def _along(self, closure: Callable[[], Any], direction: Any, frame: Any) -> Callable[[float], Point]:
        """Returns a function that moves by a distance along a direction, evaluates there, and comes back."""
        home = [one.numpy() for one in self._parameter_list]

        def tried(length: float) -> Point:
            self._add(length * direction, frame)
            loss = float(closure())
            gradient = self._gradient()
            with no_grad():
                for one, value in zip(self._parameter_list, home, strict=True):
                    one._replace(one._fitting(value), "LBFGS", frame)
            return Point(length, loss, gradient, float(gradient @ direction))

        return tried

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Calls the function until the loss or the gradient is still; returns the first loss."""
        frame = _frame(1)
        loss = first = closure()
        present, calls = float(loss), 1
        gradient = self._gradient()
        if np.abs(gradient).max() <= self.tolerance_grad:
            return first
        for count in range(1, self.max_iter + 1):
            self._steps += 1
            direction = self._downhill(gradient)
            rate = self.get_lr()
            if self._steps == 1:
                rate *= min(1.0, 1.0 / float(np.abs(gradient).sum()))
            slope = float(gradient @ direction)
            self._direction, self._before, self._length = direction, gradient, rate
            if slope > -self.tolerance_change:
                break
            last = present
            if self.line_search_fn is not None:
                start = Point(0.0, present, gradient, slope)
                point, more = strong_wolfe(
                    self._along(closure, direction, frame),
                    start,
                    rate,
                    float(np.abs(direction).max()),
                    self.tolerance_change,
                )
                self._add(point.length * direction, frame)
                self._length, present, gradient = point.length, point.loss, point.gradient
                calls += more
            else:
                self._add(rate * direction, frame)
                if count == self.max_iter:
                    break
                present = float(closure())
                gradient, calls = self._gradient(), calls + 1
            if (
                count == self.max_iter
                or calls >= self.max_eval
                or np.abs(gradient).max() <= self.tolerance_grad
                or np.abs(direction * self._length).max() <= self.tolerance_change
                or abs(present - last) < self.tolerance_change
            ):
                break
        return first
