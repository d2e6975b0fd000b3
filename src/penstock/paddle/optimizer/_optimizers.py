"""Paddle's optimizers: each one's arguments, the rule it stands for, and what Paddle calls its state."""

from __future__ import annotations

from typing import Any, ClassVar

from penstock.optimizers.accumulators import AveragedMoves, AveragedSquares, SummedSquares
from penstock.optimizers.descent import Accumulated, Descent
from penstock.optimizers.moments import AdaptiveMoments, InfinityNorm, LayerwiseMoments, LookingAheadMoments
from penstock.optimizers.rules import Rule
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.paddle.optimizer._base import L2Decay, Optimizer
from penstock.trace.source_site import here


class SGD(Optimizer):
    """Gradient descent."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = bool(multi_precision)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def _rule(self, decays: bool) -> Rule:
        return Descent()


class Momentum(Optimizer):
    """Gradient descent with a velocity.

    In the dynamic mode Paddle does not read `rescale_grad`, so it does nothing. An update is one piece
    anyway: nor does `use_multi_tensor`.
    """

    _names: ClassVar[dict[str, str]] = {"momentum": "velocity"}

    def __init__(
        self,
        learning_rate: Any = 0.001,
        momentum: float = 0.9,
        parameters: Any = None,
        use_nesterov: bool = False,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = bool(multi_precision)
        self._nesterov = use_nesterov
        numbers = {"momentum": float(momentum)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return Accumulated(self._nesterov)


def by_rows(parameter: Any) -> bool:
    """Returns whether a parameter is a table that was read with `sparse=True`."""
    return bool(getattr(parameter, "sparse", False))


_MOMENTS = {"momentum": "moment1", "velocity": "moment2", "velocity_hat": "moment2_max"}
_POWERS: dict[str, tuple[str | float, int]] = {
    "beta1_pow_acc": ("beta_1", 1),
    "beta2_pow_acc": ("beta_2", 1),
}


def _moments(beta1: Any, beta2: Any, epsilon: Any) -> dict[str, float]:
    numbers = {"beta1": float(beta1), "beta2": float(beta2), "epsilon": float(epsilon)}
    for name, value in numbers.items():
        if not (0.0 <= value < 1.0 if name != "epsilon" else value >= 0.0):
            bounds = "epsilon >= 0" if name == "epsilon" else f"{name} in [0,1)"
            raise InvalidValueError(f"Invalid value of {name}, expect {bounds}.", site=here())
    return {"beta_1": numbers["beta1"], "beta_2": numbers["beta2"], "epsilon": numbers["epsilon"]}


class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015).

    With `lazy_mode`, of a table that is read with `sparse=True` only the rows that were read move.
    An update is one piece anyway: `use_multi_tensor` does nothing.
    """

    _names, _powers = _MOMENTS, _POWERS

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        use_multi_tensor: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = bool(multi_precision)
        self._amsgrad = bool(amsgrad)
        self._lazy = by_rows if lazy_mode else None
        numbers = _moments(beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return AdaptiveMoments("outside", self._amsgrad)


class AdamW(Optimizer):
    """Adam with the decay apart from the gradient (Loshchilov and Hutter, 2019)."""

    _names, _powers, _apart = _MOMENTS, _POWERS, True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        parameters: Any = None,
        weight_decay: float = 0.01,
        lr_ratio: Any = None,
        apply_decay_param_fun: Any = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        amsgrad: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = bool(multi_precision)
        if lr_ratio is not None:
            raise NotThereError("lr_ratio is not supported yet.", site=here())
        self._amsgrad = bool(amsgrad)
        self._lazy = by_rows if lazy_mode else None
        if apply_decay_param_fun is not None:
            self._spared = lambda one: not apply_decay_param_fun(one.name)
        numbers = _moments(beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return AdaptiveMoments("outside", self._amsgrad)


class Adagrad(Optimizer):
    """Adagrad (Duchi et al., 2011)."""

    _names: ClassVar[dict[str, str]] = {"accumulator": "moment"}

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1e-6,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        self._initial = float(initial_accumulator_value)
        numbers = {"epsilon": float(epsilon)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return SummedSquares(self._initial)


class RMSProp(Optimizer):
    """RMSProp (Hinton's lecture 6), with epsilon inside the root."""

    _names: ClassVar[dict[str, str]] = {
        "velocity": "mean_square",
        "momentum": "momentum",
        "average_gradient": "mean_grad",
    }

    def __init__(
        self,
        learning_rate: Any,
        rho: float = 0.95,
        epsilon: float = 1e-6,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        self._centered, self._heavy = bool(centered), bool(momentum)
        numbers = {"rho": float(rho), "epsilon": float(epsilon), "momentum": float(momentum)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return AveragedSquares(self._centered, self._heavy, "inside")


class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012), with a learning rate."""

    _names: ClassVar[dict[str, str]] = {
        "accumulated_grad": "_avg_squared_grad",
        "accumulated_delta_var": "_avg_squared_update",
    }

    def __init__(
        self,
        learning_rate: Any = 0.001,
        epsilon: float = 1e-6,
        rho: float = 0.95,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        numbers = {"rho": float(rho), "epsilon": float(epsilon)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return AveragedMoves()


class Adamax(Optimizer):
    """Adamax (Kingma and Ba, 2015), with epsilon added to the norm before the maximum."""

    _names: ClassVar[dict[str, str]] = {"momentum": "moment", "norm": "inf_norm"}
    _powers: ClassVar[dict[str, tuple[str | float, int]]] = {"beta1_pow_acc": ("beta_1", 1)}

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
        return InfinityNorm("before")


class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    _names: ClassVar[dict[str, str]] = {
        "momentum": "moment1",
        "velocity": "moment2",
        "momentum_product": "mu_product",
    }
    _powers: ClassVar[dict[str, tuple[str | float, int]]] = {
        "momentum_decay_pow": (0.96, 0),
        "beta2_pow": ("beta_2", 0),
    }

    def __init__(
        self,
        learning_rate: Any = 0.002,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-8,
        momentum_decay: float = 0.004,
        parameters: Any = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        numbers = {**_moments(beta1, beta2, epsilon), "momentum_decay": float(momentum_decay)}
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        return LookingAheadMoments()


class Lamb(Optimizer):
    """LAMB (You et al., 2020). Parameters that do not decay move like Adam's, unless `always_adapt`."""

    _names, _powers, _apart = _MOMENTS, _POWERS, True

    def __init__(
        self,
        learning_rate: Any = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: Any = 0.9,
        beta2: Any = 0.999,
        epsilon: Any = 1e-6,
        parameters: Any = None,
        grad_clip: Any = None,
        exclude_from_weight_decay_fn: Any = None,
        multi_precision: bool = False,
        always_adapt: bool = False,
        name: str | None = None,
    ) -> None:
        self._multi_precision = bool(multi_precision)
        self._always_adapt, self._spared = always_adapt, exclude_from_weight_decay_fn
        numbers = _moments(beta1, beta2, epsilon)
        super().__init__(learning_rate, parameters, L2Decay(lamb_weight_decay), grad_clip, name, numbers)

    def _rule(self, decays: bool) -> Rule:
        if decays or self._always_adapt:
            return LayerwiseMoments(decays)
        return AdaptiveMoments("outside")


__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Lamb", "Momentum", "NAdam", "RMSProp",
]  # fmt: skip
