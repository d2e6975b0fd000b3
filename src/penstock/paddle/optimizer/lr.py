"""Learning rates that change from step to step, as Paddle's schedulers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from penstock.paddle._names import namespace as _namespace


class LRScheduler:
    """A learning rate by the number of the epoch; `step()` goes to the next. Subclasses say `get_lr`."""

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False) -> None:
        self.base_lr = float(learning_rate)
        self.last_lr = float(learning_rate)
        self.last_epoch = last_epoch
        self.verbose = verbose
        self._var_name = None
        self.step()

    def __call__(self) -> float:
        """Returns the present learning rate."""
        return self.last_lr

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch, or to the one named."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.last_lr = float(self.get_lr())
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Returns the epoch and the learning rate."""
        return {"last_epoch": self.last_epoch, "last_lr": self.last_lr}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the epoch and the learning rate."""
        self.last_epoch, self.last_lr = state_dict["last_epoch"], state_dict["last_lr"]

    set_dict = set_state_dict


class NoamDecay(LRScheduler):
    """Rises for the warm-up steps, then falls with the root of the step (Vaswani et al., 2017)."""

    def __init__(
        self, d_model: float, warmup_steps: int, learning_rate: float = 1.0, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        self.d_model, self.warmup_steps = d_model, warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        a = 1.0 if self.last_epoch == 0 else self.last_epoch**-0.5
        b = self.warmup_steps**-1.5 * self.last_epoch
        return float(self.base_lr * self.d_model**-0.5 * min(a, b))


class PiecewiseDecay(LRScheduler):
    """values[i] until epoch boundaries[i]."""

    def __init__(
        self, boundaries: Sequence[int], values: Sequence[float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.boundaries, self.values = boundaries, values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        for boundary, value in zip(self.boundaries, self.values):
            if self.last_epoch < boundary:
                return value
        return self.values[-1]


class NaturalExpDecay(LRScheduler):
    """base * exp(-gamma * epoch)."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(NaturalExpDecay):
    """base / (1 + gamma * epoch)."""

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class ExponentialDecay(NaturalExpDecay):
    """base * gamma ** epoch."""

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return float(self.base_lr * self.gamma**self.last_epoch)


class PolynomialDecay(LRScheduler):
    """From base to `end_lr` in `decay_steps`, along a power."""

    def __init__(
        self, learning_rate: float, decay_steps: int, end_lr: float = 0.0001, power: float = 1.0,
        cycle: bool = False, last_epoch: int = -1, verbose: bool = False,
    ) -> None:  # fmt: skip
        self.decay_steps, self.end_lr, self.power, self.cycle = decay_steps, end_lr, power, cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        epoch, steps = self.last_epoch, self.decay_steps
        if self.cycle:
            steps *= max(1, math.ceil(epoch / steps))
        else:
            epoch = min(epoch, steps)
        return float((self.base_lr - self.end_lr) * (1 - epoch / steps) ** self.power + self.end_lr)


class LinearWarmup(LRScheduler):
    """From `start_lr` to `end_lr` in `warmup_steps`, then by `learning_rate`."""

    def __init__(
        self, learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.start_lr, self.end_lr = start_lr, end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        if self.last_epoch < self.warmup_steps:
            share = float(self.last_epoch) / float(self.warmup_steps)
            return (self.end_lr - self.start_lr) * share + self.start_lr
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return float(self.learning_rate)


class StepDecay(LRScheduler):
    """base * gamma for each `step_size` epochs."""

    def __init__(
        self, learning_rate: float, step_size: int, gamma: float = 0.1, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        self.step_size, self.gamma = step_size, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return float(self.base_lr * self.gamma ** (self.last_epoch // self.step_size))


class MultiStepDecay(LRScheduler):
    """base * gamma for each milestone that has been passed."""

    def __init__(
        self, learning_rate: float, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        self.milestones, self.gamma = milestones, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return float(self.base_lr * self.gamma ** sum(self.last_epoch >= one for one in self.milestones))


class LambdaDecay(LRScheduler):
    """base times a function's value for the epoch."""

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class CosineAnnealingDecay(LRScheduler):
    """Half a cosine from base to `eta_min` in `T_max` epochs (Loshchilov and Hutter, 2017)."""

    def __init__(
        self, learning_rate: float, T_max: int, eta_min: float = 0.0, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        self.T_max, self.eta_min = T_max, float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        if self.last_epoch == 0:
            return self.base_lr
        span = self.base_lr - self.eta_min
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return self.last_lr + span * (1 - math.cos(math.pi / self.T_max)) / 2
        above = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        below = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return above / below * (self.last_lr - self.eta_min) + self.eta_min


class ReduceOnPlateau(LRScheduler):
    """Times `factor` where a metric has not got better for more than `patience` epochs."""

    def __init__(
        self, learning_rate: float, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: float = 0.0,
        epsilon: float = 1e-8, verbose: bool = False,
    ) -> None:  # fmt: skip
        self.mode, self.factor, self.patience, self.threshold = mode, factor, patience, threshold
        self.threshold_mode, self.cooldown, self.min_lr, self.epsilon = (
            threshold_mode, cooldown, min_lr, epsilon,
        )  # fmt: skip
        self.base_lr = self.last_lr = float(learning_rate)
        self.last_epoch, self.verbose = 0, verbose
        self.cooldown_counter = self.num_bad_epochs = 0
        self.best: float | None = None

    def step(self, metrics: Any = None, epoch: int | None = None) -> None:  # type: ignore[override]
        """Goes to the next epoch, whose metric is given."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        found = float(metrics)
        if self.best is None or self._better(found, self.best):
            self.best, self.num_bad_epochs = found, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            lower = max(self.last_lr * self.factor, self.min_lr)
            if self.last_lr - lower > self.epsilon:
                self.last_lr = lower
                if self.verbose:
                    print(f"Epoch {self.last_epoch}: ReduceOnPlateau set learning rate to {self.last_lr}.")

    def state_dict(self) -> dict[str, Any]:
        """Returns how it has gone so far."""
        return {name: getattr(self, name) for name in self._state}

    _state = ("cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr")

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over how it has gone so far."""
        for name in self._state:
            if name in state_dict:
                setattr(self, name, state_dict[name])

    set_dict = set_state_dict

    def _better(self, found: float, best: float) -> bool:
        if self.mode == "min":
            return found < (
                best - best * self.threshold if self.threshold_mode == "rel" else best - self.threshold
            )
        return found > (
            best + best * self.threshold if self.threshold_mode == "rel" else best + self.threshold
        )

    def get_lr(self) -> float:
        """Returns the learning rate."""
        return self.last_lr


def noam_decay(d_model: float, warmup_steps: int, learning_rate: float = 1.0) -> NoamDecay:
    """Returns `NoamDecay`."""
    return NoamDecay(d_model, warmup_steps, learning_rate)


def exponential_decay(
    learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
) -> ExponentialDecay:
    """Returns `ExponentialDecay`; `decay_steps` and `staircase` do nothing: an epoch is a step."""
    return ExponentialDecay(learning_rate, decay_rate)


def natural_exp_decay(
    learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
) -> NaturalExpDecay:
    """Returns `NaturalExpDecay`; `decay_steps` and `staircase` do nothing: an epoch is a step."""
    return NaturalExpDecay(learning_rate, decay_rate)


def inverse_time_decay(
    learning_rate: float, decay_steps: int, decay_rate: float, staircase: bool = False
) -> InverseTimeDecay:
    """Returns `InverseTimeDecay`; `decay_steps` and `staircase` do nothing: an epoch is a step."""
    return InverseTimeDecay(learning_rate, decay_rate)


def polynomial_decay(
    learning_rate: float, decay_steps: int, end_learning_rate: float = 0.0001, power: float = 1.0,
    cycle: bool = False,
) -> PolynomialDecay:  # fmt: skip
    """Returns `PolynomialDecay`."""
    return PolynomialDecay(learning_rate, decay_steps, end_learning_rate, power, cycle)


def cosine_decay(learning_rate: float, step_each_epoch: int, epochs: int) -> CosineAnnealingDecay:
    """Returns `CosineAnnealingDecay`, which counts epochs: `step_each_epoch` does nothing."""
    return CosineAnnealingDecay(learning_rate, epochs)


def piecewise_decay(boundaries: Sequence[int], values: Sequence[float]) -> PiecewiseDecay:
    """Returns `PiecewiseDecay`."""
    return PiecewiseDecay(boundaries, values)


def linear_lr_warmup(learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float) -> LinearWarmup:
    """Returns `LinearWarmup`."""
    return LinearWarmup(learning_rate, warmup_steps, start_lr, end_lr)


__getattr__, __dir__, _public = _namespace("paddle.optimizer.lr", globals(), rest="optimizer._cycles")
