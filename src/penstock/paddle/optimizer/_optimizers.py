"""Paddle's optimizers: the arguments of each, its rule, and Paddle's names of its state.

Most are declared next to the native optimizer: `penstock/optimizers/vocabulary.py`. Here are those that the
native ones have no class for, or that read more than their rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from penstock import optimizers as native
from penstock.optimizers.descent import Accumulated
from penstock.optimizers.moments import AdaptiveMoments, LayerwiseMoments
from penstock.optimizers.rules import Rule
from penstock.optimizers.vocabulary import Flag, Number, Share, Size
from penstock.paddle._errors import NotThereError
from penstock.paddle.optimizer._base import L2Decay, Optimizer
from penstock.paddle.optimizer._fields import fields, made
from penstock.trace.source_site import here

_Powers = dict[str, tuple[str | float, int]]
_MOMENTS = {"momentum": "moment1", "velocity": "moment2", "velocity_hat": "moment2_max"}
_POWERS: _Powers = {"beta1_pow_acc": ("beta_1", 1), "beta2_pow_acc": ("beta_2", 1)}
for _name in dir(native):
    _words = getattr(getattr(native, _name), "__dict__", {}).get("_Paddle")
    if _words is not None:
        _kind = made(_words, _name, Optimizer, __name__)
        globals()[_kind.__name__] = _kind


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
    _of_each_group: ClassVar[frozenset[str]] = frozenset(["use_nesterov"])

    def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
        return Accumulated(own["use_nesterov"])


@fields
class AdamW(Optimizer):
    """Adam with the decay apart from the gradient (Loshchilov and Hutter, 2019).

    Moments are kept in float32: `use_lowprecision_moment` does nothing.
    """

    learning_rate: Any = 0.001
    beta1: Share = 0.9
    beta2: Share = 0.999
    epsilon: Size = 1e-8
    parameters: Any = None
    weight_decay: float = 0.01
    use_lowprecision_moment: bool = False
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

    def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
        return AdaptiveMoments("outside", bool(own["amsgrad"]))


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
    _penalises_groups: ClassVar[bool] = True
    _of_each_group: ClassVar[frozenset[str]] = frozenset(
        ["lamb_weight_decay", "exclude_from_weight_decay_fn"]
    )

    def _begin_with(self, given: dict[str, Any], numbers: dict[str, float]) -> None:
        self._spared = given["exclude_from_weight_decay_fn"]
        super()._begin_with({**given, "weight_decay": L2Decay(given["lamb_weight_decay"])}, numbers)

    def _rule(self, decays: bool, own: Mapping[str, Any]) -> Rule:
        if decays or own["always_adapt"]:
            return LayerwiseMoments(decays)
        return AdaptiveMoments("outside")
