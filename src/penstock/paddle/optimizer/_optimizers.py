"""Paddle's optimizers: each one's arguments, the rule it stands for, and what Paddle calls its state."""

from __future__ import annotations

from typing import Any, ClassVar

from penstock.optimizers.accumulators import AveragedMoves, AveragedSquares, SummedSquares
from penstock.optimizers.descent import Accumulated, Descent
from penstock.optimizers.moments import (
    AdaptiveMoments,
    InfinityNorm,
    LayerwiseMoments,
    LookingAheadMoments,
    RectifiedMoments,
)
from penstock.optimizers.rules import Rule
from penstock.paddle._errors import NotThereError
from penstock.paddle.optimizer._base import L2Decay, Optimizer
from penstock.paddle.optimizer._fields import Flag, Number, Share, Size, fields
from penstock.trace.source_site import here

_Powers = dict[str, tuple[str | float, int]]
_MOMENTS = {"momentum": "moment1", "velocity": "moment2", "velocity_hat": "moment2_max"}
_POWERS: _Powers = {"beta1_pow_acc": ("beta_1", 1), "beta2_pow_acc": ("beta_2", 1)}


@fields
class SGD(Optimizer):
    """Gradient descent."""

    learning_rate: Any = 0.001
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    multi_precision: Flag = False
    name: str | None = None

    def _rule(self, decays: bool) -> Rule:
        return Descent()


@fields
class Momentum(Optimizer):
    """Gradient descent with a velocity.

    In the dynamic mode Paddle does not read `rescale_grad`, so it does nothing. An update is one piece
    anyway: nor does `use_multi_tensor`.
    """

    learning_rate: Any = 0.001
    momentum: Number = 0.9
    parameters: Any = None
    use_nesterov: Flag = False
    weight_decay: Any = None
    grad_clip: Any = None
    multi_precision: Flag = False
    rescale_grad: float = 1.0
    use_multi_tensor: bool = False
    name: str | None = None
    _names: ClassVar[dict[str, str]] = {"momentum": "velocity"}

    def _rule(self, decays: bool) -> Rule:
        return Accumulated(self._flags["use_nesterov"])


@fields
class Adam(Optimizer):
    """Adam (Kingma and Ba, 2015).

    With `lazy_mode`, of a table that is read with `sparse=True` only the rows that were read move.
    An update is one piece anyway: `use_multi_tensor` does nothing.
    """

    learning_rate: Any = 0.001
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Size = 1e-8
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    lazy_mode: bool = False
    multi_precision: Flag = False
    use_multi_tensor: bool = False
    amsgrad: Flag = False
    name: str | None = None
    _names: ClassVar[dict[str, str]] = _MOMENTS
    _powers: ClassVar[_Powers] = _POWERS

    def _rule(self, decays: bool) -> Rule:
        return AdaptiveMoments("outside", bool(self._flags["amsgrad"]))


@fields
class AdamW(Optimizer):
    """Adam with the decay apart from the gradient (Loshchilov and Hutter, 2019)."""

    learning_rate: Any = 0.001
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Size = 1e-8
    parameters: Any = None
    weight_decay: float = 0.01
    lr_ratio: Any = None
    apply_decay_param_fun: Any = None
    grad_clip: Any = None
    lazy_mode: bool = False
    multi_precision: Flag = False
    amsgrad: Flag = False
    name: str | None = None
    _names: ClassVar[dict[str, str]] = _MOMENTS
    _powers: ClassVar[_Powers] = _POWERS
    _apart: ClassVar[bool] = True

    def _begin_with(self, given: dict[str, Any], numbers: dict[str, float]) -> None:
        if given["lr_ratio"] is not None:
            raise NotThereError("lr_ratio is not supported yet.", site=here())
        decays = given["apply_decay_param_fun"]
        if decays is not None:
            self._spared = lambda one: not decays(one.name)
        super()._begin_with(given, numbers)

    def _rule(self, decays: bool) -> Rule:
        return AdaptiveMoments("outside", bool(self._flags["amsgrad"]))


@fields
class Adagrad(Optimizer):
    """Adagrad (Duchi et al., 2011)."""

    learning_rate: Any
    epsilon: Number = 1e-6
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    name: str | None = None
    initial_accumulator_value: Flag = 0.0
    _names: ClassVar[dict[str, str]] = {"accumulator": "moment"}

    def _rule(self, decays: bool) -> Rule:
        return SummedSquares(float(self._flags["initial_accumulator_value"]))


@fields
class RMSProp(Optimizer):
    """RMSProp (Hinton's lecture 6), with epsilon inside the root."""

    learning_rate: Any
    rho: Number = 0.95
    epsilon: Number = 1e-6
    momentum: Number = 0.0
    centered: Flag = False
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    name: str | None = None
    _names: ClassVar[dict[str, str]] = {
        "velocity": "mean_square", "momentum": "momentum", "average_gradient": "mean_grad",
    }  # fmt: skip

    def _rule(self, decays: bool) -> Rule:
        return AveragedSquares(bool(self._flags["centered"]), bool(self._numbers["momentum"]), "inside")


@fields
class Adadelta(Optimizer):
    """Adadelta (Zeiler, 2012), with a learning rate."""

    learning_rate: Any = 0.001
    epsilon: Number = 1e-6
    rho: Number = 0.95
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    name: str | None = None
    _names: ClassVar[dict[str, str]] = {
        "accumulated_grad": "_avg_squared_grad", "accumulated_delta_var": "_avg_squared_update",
    }  # fmt: skip

    def _rule(self, decays: bool) -> Rule:
        return AveragedMoves()


@fields
class Adamax(Optimizer):
    """Adamax (Kingma and Ba, 2015), with epsilon added to the norm before the maximum."""

    learning_rate: Any = 0.001
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Size = 1e-8
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    name: str | None = None
    _names: ClassVar[dict[str, str]] = {"momentum": "moment", "norm": "inf_norm"}
    _powers: ClassVar[_Powers] = {"beta1_pow_acc": ("beta_1", 1)}

    def _rule(self, decays: bool) -> Rule:
        return InfinityNorm("before")


@fields
class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016)."""

    learning_rate: Any = 0.002
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Size = 1e-8
    momentum_decay: Number = 0.004
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    name: str | None = None
    _names: ClassVar[dict[str, str]] = {
        "momentum": "moment1", "velocity": "moment2", "momentum_product": "mu_product",
    }  # fmt: skip
    _powers: ClassVar[_Powers] = {"momentum_decay_pow": (0.96, 0), "beta2_pow": ("beta_2", 0)}

    def _rule(self, decays: bool) -> Rule:
        return LookingAheadMoments()


@fields
class RAdam(Optimizer):
    """Adam that holds back while its mean square rests on few gradients (Liu and others, 2020)."""

    learning_rate: Any = 0.001
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Size = 1e-8
    parameters: Any = None
    weight_decay: Any = None
    grad_clip: Any = None
    name: str | None = None
    _names: ClassVar[dict[str, str]] = {"momentum": "moment1", "velocity": "moment2"}

    def _rule(self, decays: bool) -> Rule:
        return RectifiedMoments()


@fields
class Lamb(Optimizer):
    """LAMB (You et al., 2020). Parameters that do not decay move like Adam's, unless `always_adapt`."""

    learning_rate: Any = 0.001
    lamb_weight_decay: float = 0.01
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Size = 1e-6
    parameters: Any = None
    grad_clip: Any = None
    exclude_from_weight_decay_fn: Any = None
    multi_precision: Flag = False
    always_adapt: Flag = False
    name: str | None = None
    _names: ClassVar[dict[str, str]] = _MOMENTS
    _powers: ClassVar[_Powers] = _POWERS
    _apart: ClassVar[bool] = True

    def _begin_with(self, given: dict[str, Any], numbers: dict[str, float]) -> None:
        self._spared = given["exclude_from_weight_decay_fn"]
        super()._begin_with({**given, "weight_decay": L2Decay(given["lamb_weight_decay"])}, numbers)

    def _rule(self, decays: bool) -> Rule:
        if decays or self._flags["always_adapt"]:
            return LayerwiseMoments(decays)
        return AdaptiveMoments("outside")
