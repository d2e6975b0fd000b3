"""Learning rates that rise and fall: one cycle, many, restarts, and factors from step to step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.paddle.optimizer.lr import LRScheduler


@named("paddle.optimizer.lr.MultiplicativeDecay")
class MultiplicativeDecay(LRScheduler):
    """base times the product of a function's values for all epochs so far."""

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return self.base_lr * math.prod(self.lr_lambda(one) for one in range(1, self.last_epoch + 1))


@named("paddle.optimizer.lr.LinearLR")
class LinearLR(LRScheduler):
    """base times a factor that goes from `start_factor` to `end_factor` in `total_steps`."""

    def __init__(
        self, learning_rate: float, total_steps: int, start_factor: float = 1.0 / 3, end_factor: float = 1.0,
        last_epoch: int = -1, verbose: bool = False,
    ) -> None:  # fmt: skip
        if not 0 < start_factor <= 1:
            raise ValueError(
                f"`start_factor` must be greater than 0 and less or equal to 1, but got {start_factor}"
            )
        if not 0 <= end_factor <= 1:
            raise ValueError(f"`end_factor` must be greater than 0 and less than 1, but got {end_factor}")
        self.start_factor, self.end_factor, self.total_steps = start_factor, end_factor, total_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        share = min(self.last_epoch, self.total_steps) / self.total_steps
        return self.base_lr * (self.start_factor + (self.end_factor - self.start_factor) * share)


@named("paddle.optimizer.lr.CosineAnnealingWarmRestarts")
class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine to `eta_min` in `T_0` epochs, then again, `T_mult` times as long."""

    def __init__(
        self, learning_rate: float, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        epoch, length = self.last_epoch, self.T_0
        while epoch >= length:
            epoch, length = epoch - length, length * self.T_mult
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + math.cos(math.pi * epoch / length)) / 2


@named("paddle.optimizer.lr.OneCycleLR")
class OneCycleLR(LRScheduler):
    """Up to the largest rate, and down to `end_learning_rate`, in `total_steps` (Smith and Topin, 2018)."""

    def __init__(
        self, max_learning_rate: float, total_steps: int, divide_factor: float = 25.0,
        end_learning_rate: float = 0.0001, phase_pct: float = 0.3, anneal_strategy: str = "cos",
        three_phase: bool = False, last_epoch: int = -1, verbose: bool = False,
    ) -> None:  # fmt: skip
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"'anneal_strategy' must by one of 'cos' or 'linear', but received {anneal_strategy}"
            )
        first, top = max_learning_rate / float(divide_factor), float(max_learning_rate)
        self.total_steps, self._cosine = total_steps, anneal_strategy == "cos"
        turn = float(phase_pct * total_steps) - 1
        self._ends = [0.0, turn, total_steps - 1.0]
        self._rates = [first, top, float(end_learning_rate)]
        if three_phase:
            self._ends.insert(2, float(2 * phase_pct * total_steps) - 2)
            self._rates.insert(2, first)
        super().__init__(first, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present step."""
        now = self.last_epoch
        if now > self.total_steps:
            raise ValueError(
                f"Tried to step {now} times. However the number of total steps is {self.total_steps}"
            )
        for i in range(1, len(self._ends)):
            if now <= self._ends[i] or i == len(self._ends) - 1:
                share = (now - self._ends[i - 1]) / (self._ends[i] - self._ends[i - 1])
                start, end = self._rates[i - 1], self._rates[i]
                if self._cosine:
                    return (start - end) / 2.0 * (1 + math.cos(math.pi * share)) + end
                return (end - start) * share + start
        raise AssertionError("the last phase has no end")


@named("paddle.optimizer.lr.CyclicLR")
class CyclicLR(LRScheduler):
    """Between two rates, up in `step_size_up` and down in `step_size_down` steps (Smith, 2017)."""

    def __init__(
        self, base_learning_rate: float, max_learning_rate: float, step_size_up: int,
        step_size_down: int | None = None, mode: str = "triangular", exp_gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None, scale_mode: str = "cycle", last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(
                "'mode' is invalid and 'scale_fn' is not specified, make sure one of 'mode' or 'scale_fn' is "
                "valid"
            )
        if scale_mode not in ("cycle", "iterations"):
            raise ValueError("'scale_mode' must be one of 'cycle' or 'iterations")
        self._up, self._down = step_size_up, step_size_up if step_size_down is None else step_size_down
        self._amplitude = max_learning_rate - base_learning_rate
        scales: dict[str, Any] = {
            "triangular": (lambda x: 1.0, "cycle"),
            "triangular2": (lambda x: 1 / (2.0 ** (x - 1)), "cycle"),
            "exp_range": (lambda x: exp_gamma**x, "iterations"),
        }
        chosen: Any = scales[mode] if scale_fn is None else (scale_fn, scale_mode)
        self.scale_fn: Any = chosen[0]
        self.scale_mode: str = chosen[1]
        super().__init__(base_learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present step."""
        size = float(self._up + self._down)
        cycle = 1 + self.last_epoch // size
        place, top = 1.0 + self.last_epoch / size - cycle, self._up / size
        share = place / top if place <= top else (1 - place) / (1 - top)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        return self.base_lr + self._amplitude * share * float(scale)
