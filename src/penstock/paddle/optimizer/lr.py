"""Learning rates that change from step to step, as Paddle's schedulers."""

from __future__ import annotations

import math
import sys as _sys
from collections.abc import Callable, Sequence
from itertools import pairwise as _pairwise
from typing import Any

import numpy as _np

from penstock.paddle._convert import HANDLES as _HANDLES
from penstock.paddle._errors import InvalidTypeError as _InvalidTypeError
from penstock.paddle._errors import InvalidValueError as _InvalidValueError
from penstock.paddle._errors import RefusedError as _RefusedError
from penstock.paddle._names import namespace as _namespace
from penstock.trace.engine import engine as _engine
from penstock.trace.source_site import here as _here
from penstock.trace.source_site import warn_once as _warn_once


def _require(
    fits: bool, message: str, kind: Callable[..., Exception] = _InvalidValueError, origin: str = ""
) -> None:
    """Raises an error, in Paddle's words, unless an argument fits."""
    if not fits:
        raise kind(message, origin=origin, site=_here())


def _claim(fits: bool, message: str, value: Any) -> None:
    """Raises AssertionError, as Paddle does here, unless a value fits."""
    _require(fits, f" {message}", _RefusedError, origin=f"it is {value!r}")


def _check_function(kind: str, function: Any) -> None:
    """Raises TypeError unless a scheduler of this kind is given a function."""
    wrong = f"The type of 'lr_lambda' in '{kind}' must be 'function', but received {type(function)}."
    _require(callable(function), wrong, _InvalidTypeError)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value > 0


def _check_gamma(gamma: float) -> None:
    _require(gamma < 1.0, "gamma should be < 1.0.", origin=f"gamma is {gamma!r}")


class LRScheduler:
    """A learning rate by the number of the epoch; `step()` goes to the next. Subclasses say `get_lr`."""

    keys: list[str]
    """The names of what `state_dict` holds, as `state_keys` notes them."""
    _made = False

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False) -> None:
        _require(
            isinstance(learning_rate, float | int),
            f"The type of learning rate must be float, but received {type(learning_rate)}",
            _InvalidTypeError,
        )
        _require(learning_rate >= 0, f"Invalid learning rate: {learning_rate}")
        self.base_lr = float(learning_rate)
        self.last_lr: Any = float(learning_rate)
        self.last_epoch = last_epoch
        self.verbose = verbose
        self._var_name = None
        self.step()
        self._made = True
        if _engine.slots.functions:
            _engine.slots.tell("schedule made", _sys._getframe(1), "", [self])

    def __call__(self) -> float:
        """Returns the present learning rate."""
        return self.last_lr  # type: ignore[no-any-return]

    def step(self, epoch: int | None = None) -> None:
        """Goes to the next epoch, or to the one named."""
        if _engine.slots.functions and self._made:
            _engine.slots.tell("schedule stepped", _sys._getframe(1), "", [self])
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.last_lr = self.get_lr() if epoch is None else self._at_epoch()
        self._tell()

    def _at_epoch(self) -> float:
        """Returns the learning rate of an epoch that need not follow the one before."""
        return self.get_lr()

    def _tell(self) -> None:
        if self.verbose:
            print(f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}.")

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        raise NotImplementedError

    def state_keys(self) -> None:
        """Notes in `keys` what `state_dict` holds; a subclass may note more."""
        self.keys = ["last_epoch", "last_lr"]

    def state_dict(self) -> dict[str, Any]:
        """Returns the values of `keys`: the epoch and the learning rate."""
        self.state_keys()
        own = self.__dict__
        found = {name: own[name] for name in self.keys if name in own}
        return {name: float(one) if isinstance(one, _HANDLES) else one for name, one in found.items()}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the values of `keys`."""
        self.state_keys()
        for name in self.keys:
            if name not in state_dict:
                raise RuntimeError(
                    "Please check whether state_dict is correct for optimizer. Can't find "
                    f"[ {name} ] in state_dict"
                )
            self.__dict__[name] = state_dict[name]
        if len(state_dict) > len(self.keys):
            _warn_once(
                "There are some unused values in state_dict. Maybe the optimizer have different "
                "'LearningRateDecay' when invoking state_dict and set_dict",
            )

    set_dict = set_state_dict


class NoamDecay(LRScheduler):
    """Rises for the warm-up steps, then falls with the root of the step (Vaswani et al., 2017)."""

    def __init__(
        self, d_model: float, warmup_steps: int, learning_rate: float = 1.0, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        _require(d_model > 0, "d_model should be grater than 0", origin=f"d_model is {d_model!r}")
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
        _require(len(boundaries) > 0, "The boundaries cannot be empty.")
        _require(
            len(values) > len(boundaries),
            "The values have one more element than boundaries, but received len(values) "
            f"[{len(values)}] < len(boundaries) + 1 [{len(boundaries) + 1}].",
        )
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
        _claim(gamma > 0.0, "'gamma' must be a positive number so that the learning rate will decay.", gamma)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return self.base_lr * math.exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """base / (1 + gamma * epoch)."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class ExponentialDecay(LRScheduler):
    """base * gamma ** epoch."""

    def __init__(
        self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        wrong = "'gamma' must be in interval (0.0, 1.0) so that the learning rate will decay."
        _claim(0.0 < gamma < 1.0, wrong, gamma)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        return float(self.base_lr * self.gamma**self.last_epoch)


class PolynomialDecay(LRScheduler):
    """From base to `end_lr` in `decay_steps`, along a power."""

    def __init__(
        self, learning_rate: float, decay_steps: int, end_lr: float = 0.0001, power: float = 1.0,
        cycle: bool = False, last_epoch: int = -1, verbose: bool = False,
    ) -> None:  # fmt: skip
        _claim(_is_count(decay_steps), "'decay_steps' must be a positive integer.", decay_steps)
        _claim(power > 0.0, "'power' must be greater than 0.0 so that the learning rate will decay.", power)
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
        _require(
            isinstance(learning_rate, float | int | LRScheduler),
            "the type of learning_rate should be [int, float or LRScheduler], the current type is "
            f"{learning_rate}",
            _InvalidTypeError,
        )
        _claim(_is_count(warmup_steps), "'warmup_steps' must be a positive integer.", warmup_steps)
        wrong = f"end_lr {end_lr} must be greater than start_lr {start_lr}"
        _require(end_lr > start_lr, wrong, _RefusedError)
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.start_lr, self.end_lr = start_lr, end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        if self.last_epoch < self.warmup_steps:
            above = (self.end_lr - self.start_lr) * float(self.last_epoch) / float(self.warmup_steps)
            return above + self.start_lr
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return self.learning_rate  # type: ignore[no-any-return]

    def state_dict(self) -> dict[str, Any]:
        """Returns the epoch, the learning rate, and the state of the scheduler that follows."""
        found = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            found["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return found

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over the epoch, the learning rate, and the state of the scheduler that follows."""
        super().set_state_dict(state_dict)
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.set_state_dict(state_dict["LinearWarmup_LR"])


class StepDecay(LRScheduler):
    """base * gamma for each `step_size` epochs."""

    def __init__(
        self, learning_rate: float, step_size: int, gamma: float = 0.1, last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:  # fmt: skip
        _require(
            isinstance(step_size, int),
            f"The type of 'step_size' must be 'int', but received {type(step_size)}.",
            _InvalidTypeError,
        )
        _check_gamma(gamma)
        _claim(step_size > 0, "'step_size' must be a positive integer.", step_size)
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
        _require(
            isinstance(milestones, tuple | list),
            "The type of 'milestones' in 'MultiStepDecay' must be 'tuple, list', but received "
            f"{type(milestones)}.",
            _InvalidTypeError,
        )
        rises = all(first < second for first, second in _pairwise(milestones))
        _require(rises, "The elements of milestones must be incremented", origin=f"they are {milestones!r}")
        _check_gamma(gamma)
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
        _check_function("LambdaDecay", lr_lambda)
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
        _require(
            isinstance(T_max, int),
            f"The type of 'T_max' in 'CosineAnnealingDecay' must be 'int', but received {type(T_max)}.",
            _InvalidTypeError,
        )
        _require(
            isinstance(eta_min, float | int),
            "The type of 'eta_min' in 'CosineAnnealingDecay' must be 'float, int', but received "
            f"{type(eta_min)}.",
            _InvalidTypeError,
        )
        _claim(T_max > 0, "'T_max' must be a positive integer.", T_max)
        self.T_max, self.eta_min = T_max, float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the learning rate of the present epoch."""
        if self.last_epoch == 0:
            return self.base_lr
        span = self.base_lr - self.eta_min
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            return float(self.last_lr + span * (1 - math.cos(math.pi / self.T_max)) / 2)
        above = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        below = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return above / below * (self.last_lr - self.eta_min) + self.eta_min  # type: ignore[no-any-return]

    def _at_epoch(self) -> float:
        above = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return self.eta_min + (self.base_lr - self.eta_min) * above / 2


class ReduceOnPlateau(LRScheduler):
    """Times `factor` where a metric has not got better for more than `patience` epochs."""

    def __init__(
        self, learning_rate: float, mode: str = "min", factor: float = 0.1, patience: int = 10,
        threshold: float = 1e-4, threshold_mode: str = "rel", cooldown: int = 0, min_lr: float = 0.0,
        epsilon: float = 1e-8, verbose: bool = False,
    ) -> None:  # fmt: skip
        mode, threshold_mode = mode.lower(), threshold_mode.lower()
        _require(mode in ("min", "max"), f"mode: {mode} is unknown!")
        wrong = "new_lr = origin_lr * gamma and gamma should be < 1.0."
        _require(factor < 1.0, wrong, origin=f"factor is {factor!r}")
        _require(threshold_mode in ("rel", "abs"), f"threshold mode: {threshold_mode} is unknown!")
        _require(
            isinstance(learning_rate, float | int),
            "The type of 'learning_rate' in 'ReduceOnPlateau' must be 'float', but received "
            f"{type(learning_rate)}.",
            _InvalidTypeError,
        )
        self.mode, self.factor, self.patience, self.threshold = mode, factor, patience, threshold
        self.threshold_mode, self.cooldown, self.min_lr, self.epsilon = (
            threshold_mode, cooldown, min_lr, epsilon,
        )  # fmt: skip
        self.base_lr = self.last_lr = float(learning_rate)
        self.last_epoch, self.verbose = 0, verbose
        self.cooldown_counter = self.num_bad_epochs = 0
        self.best: float | None = None

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Goes to the next epoch, whose metric is given."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        size = getattr(metrics, "size", 1)
        _require(
            size == 1,
            f"the size of metrics must be 1, but the current metrics.size is {size}. Maybe that you should "
            "call paddle.mean to process it first.",
            _RefusedError,
        )
        _require(
            isinstance(metrics, (int, float, _np.float32, _np.float64, _np.ndarray, *_HANDLES)),
            "metrics must be 'int', 'float', 'np.float64', 'numpy.ndarray' or 'paddle.Tensor', but receive "
            f"{type(metrics)}",
            _InvalidTypeError,
        )
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
                self._tell()

    def state_keys(self) -> None:
        """Notes in `keys` how it has gone so far."""
        self.keys = ["cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr"]

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
        return self.last_lr  # type: ignore[no-any-return]


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
