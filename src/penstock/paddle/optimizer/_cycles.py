"""Learning rates that rise and fall: one cycle, many, restarts, and factors from step to step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.paddle._errors import InvalidTypeError
from penstock.paddle.optimizer.lr import LRScheduler, _check_function, _require


def _of_kind(name: str, value: Any, kind: Any, words: str) -> None:
    """Raises TypeError unless an argument is of a kind."""
    wrong = f"'{name}' must be {words}, but received {type(value)}"
    _require(isinstance(value, kind), wrong, InvalidTypeError)


@named("paddle.optimizer.lr.MultiplicativeDecay")
class MultiplicativeDecay(LRScheduler):
    """base times the product of a function's values for all epochs so far."""

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        _check_function("MultiplicativeDecay", lr_lambda)
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
        _require(
            0 < start_factor <= 1,
            f"`start_factor` must be greater than 0 and less or equal to 1, but got {start_factor}",
        )
        _require(
            0 <= end_factor <= 1,
            f"`end_factor` must be greater than 0 and less than 1, but got {end_factor}",
        )
        _require(total_steps > 0, f"`total_steps` must be greater than 0, but got {total_steps}")
        self.start_factor, self.end_factor, self.total_steps = start_factor, end_factor, total_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        if self.last_epoch == 0:
            return self.base_lr * self.start_factor
        if self.last_epoch > self.total_steps:
            return self.last_lr  # type: ignore[no-any-return]
        # From the rate before, as in Paddle: an epoch that is named starts from there, too.
        rise = self.end_factor - self.start_factor
        below = self.total_steps * self.start_factor + (self.last_epoch - 1) * rise
        return self.last_lr * (1.0 + rise / below)  # type: ignore[no-any-return]


@named("paddle.optimizer.lr.CosineAnnealingWarmRestarts")
class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine to `eta_min` in `T_0` epochs, then again, `T_mult` times as long."""

    def __init__(
        self, learning_rate: float, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        _require(isinstance(T_0, int) and T_0 > 0, f"Expected positive integer T_0, but got {T_0}")
        _require(isinstance(T_mult, int) and T_mult >= 1, f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0, self.T_i, self.T_mult, self.eta_min = T_0, T_0, T_mult, eta_min
        self.T_cur = float(last_epoch)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        above = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return self.eta_min + (self.base_lr - self.eta_min) * above / 2

    def step(self, epoch: float | None = None) -> None:
        """Goes to the next epoch, or to the one named, which may be part of one."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        else:
            _require(epoch >= 0, f"Expected non-negative epoch, but got {epoch}")
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self.last_lr = self.get_lr()
        self._tell()

    def _go_to(self, epoch: float) -> None:
        """Notes the place in a cycle, and the length of the cycle."""
        if epoch < self.T_0:
            self.T_cur, self.T_i = epoch, self.T_0
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            count = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**count - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**count


@named("paddle.optimizer.lr.OneCycleLR")
class OneCycleLR(LRScheduler):
    """Up to the largest rate, and down to `end_learning_rate`, in `total_steps` (Smith and Topin, 2018)."""

    def __init__(
        self, max_learning_rate: float, total_steps: int, divide_factor: float = 25.0,
        end_learning_rate: float = 0.0001, phase_pct: float = 0.3, anneal_strategy: str = "cos",
        three_phase: bool = False, last_epoch: int = -1, verbose: bool = False,
    ) -> None:  # fmt: skip
        for name, rate in (("max", max_learning_rate), ("end", end_learning_rate)):
            _of_kind(f"{name}_learning_rate", rate, (float, int), "'float' or 'int'")
            wrong = f"'{name}_learning_rate' must be a positive integer."
            _require(rate >= 0, wrong, origin=f"it is {rate!r}")
        _of_kind("total_step", total_steps, int, "'int'")
        _require(total_steps > 0, "'total_step' must be a positive integer.", origin=f"it is {total_steps!r}")
        _of_kind("phase_pct", phase_pct, float, "'float'")
        _require(0 <= phase_pct <= 1, f"'phase_pct' must be between 0 and 1, but received {phase_pct}")
        _of_kind("divide_factor", divide_factor, (float, int), "'float' or 'int'")
        _require(
            not three_phase or phase_pct < 0.5,
            "When three_phase is True, 'phase_pct' must be less than 0.5",
            origin=f"it is {phase_pct!r}",
        )
        _require(
            anneal_strategy in ("cos", "linear"),
            f"'anneal_strategy' must by one of 'cos' or 'linear', but received {anneal_strategy}",
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
        _of_kind("max_learning_rate", max_learning_rate, (float, int), "'float' or 'int'")
        wrong = f"'max_learning_rate' must be a positive integer, but received {max_learning_rate}"
        _require(max_learning_rate >= 0, wrong)
        for name, size in (("step_size_up", step_size_up), ("step_size_down", step_size_down)):
            if size is None and name == "step_size_down":
                continue
            wrong = f"The type of '{name}' must be int, but received {type(size)}"
            _require(isinstance(size, int), wrong, InvalidTypeError)
            _require(size > 0, f"'{name}' must be a positive integer, but received {size}")  # type: ignore[operator]
        wrong = f"The type of 'exp_gamma' must be float, but received {type(exp_gamma)}"
        _require(isinstance(exp_gamma, float), wrong, InvalidTypeError)
        _require(
            mode in ("triangular", "triangular2", "exp_range") or scale_fn is not None,
            "'mode' is invalid and 'scale_fn' is not specified, make sure one of 'mode' or 'scale_fn' is "
            "valid",
            origin=f"mode is {mode!r}",
        )
        _require(
            scale_mode in ("cycle", "iterations"),
            "'scale_mode' must be one of 'cycle' or 'iterations",
            origin=f"it is {scale_mode!r}",
        )
        self.cycle_size = float(step_size_up + (step_size_up if step_size_down is None else step_size_down))
        self.step_up_pct = step_size_up / self.cycle_size
        self.max_lr, self.amplitude = float(max_learning_rate), max_learning_rate - base_learning_rate
        self.mode, self.gamma = mode, exp_gamma
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
        size = self.cycle_size
        cycle = 1 + self.last_epoch // size
        place, top = 1.0 + self.last_epoch / size - cycle, self.step_up_pct
        share = place / top if place <= top else (1 - place) / (1 - top)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        return self.base_lr + self.amplitude * share * float(scale)
