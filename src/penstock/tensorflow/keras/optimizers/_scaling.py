"""Keras' LossScaleOptimizer: an optimizer whose loss is scaled, and whose steps may be left out."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions.elementwise import equal, isfinite, maximum, minimum, where
from penstock.optimizers.scaling import is_scale
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._tape import IndexedSlices
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._variable import KerasVariable
from penstock.tensorflow.keras.optimizers._base import Optimizer
from penstock.tensorflow.keras.optimizers._identifiers import deserialize, serialize
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
_OF_THE_INNER = {
    "weight_decay": None,
    "clipnorm": None,
    "global_clipnorm": None,
    "clipvalue": None,
    "use_ema": False,
    "ema_momentum": 0.99,
    "ema_overwrite_frequency": None,
    "loss_scale_factor": None,
    "gradient_accumulation_steps": None,
}


@named("tf.keras.optimizers.LossScaleOptimizer", "tf.keras.mixed_precision.LossScaleOptimizer")
class LossScaleOptimizer(Optimizer):
    """Multiplies the loss of another optimizer by a scale, so that float16 does not lose small gradients.

    A step with a gradient that is not finite is skipped, and the scale is halved, but not below 1; after
    `dynamic_growth_steps` other steps it is doubled, as long as it stays finite. Which of the two happens is
    decided in the compiled step, and nothing of a step that is left out remains. `get_scaled_loss` and
    `get_unscaled_gradients`, from before Keras 3, are there too: gradients that were divided are not divided
    again.

    >>> from penstock import tensorflow as tf
    >>> optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
    >>> x = tf.Variable(1.0)
    >>> for slope in (1.0, float("inf")):
    ...     with tf.GradientTape() as tape:
    ...         loss = optimizer.scale_loss(x * slope)
    ...     optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    >>> print(f"{x.numpy():.1f}", optimizer.dynamic_scale.numpy(), optimizer.step_counter.numpy())
    0.9 16384.0 0
    """

    _native = None
    inner_optimizer: Any
    initial_scale: float
    dynamic_growth_steps: int

    def __init__(
        self,
        inner_optimizer: Any,
        initial_scale: float = 2.0**15,
        dynamic_growth_steps: int = 2000,
        name: str | None = None,
        **more: Any,
    ) -> None:
        if not more.pop("dynamic", True):
            raise ArgumentError(
                "LossScaleOptimizer no longer supports `dynamic=False`. Instead, simply set "
                "`loss_scale_factor` directly on the `inner_optimizer`.",
                site=here(),
            )
        for key, usual in _OF_THE_INNER.items():
            if more.pop(key, usual) != usual:
                raise ArgumentError(
                    f"LossScaleOptimizer does not support `{key}`. Instead, set `{key}` on the "
                    "`inner_optimizer`.",
                    site=here(),
                )
        if more:
            raise ArgumentError(
                f"LossScaleOptimizer does not support arguments: `{'`, `'.join(more)}`.", site=here()
            )
        if not isinstance(inner_optimizer, Optimizer) or isinstance(inner_optimizer, LossScaleOptimizer):
            raise ArgumentError(
                f"LossScaleOptimizer was given {inner_optimizer!r} for `inner_optimizer`.",
                why="It scales the loss of another optimizer.",
                remedy="Give it one: LossScaleOptimizer(tf.keras.optimizers.Adam(1e-3)).",
                site=here(),
            )
        if isinstance(initial_scale, bool) or not is_scale(initial_scale):
            raise ArgumentError(
                f"LossScaleOptimizer was given {initial_scale!r} for `initial_scale`.",
                why="The loss is multiplied by it and the gradients are divided by it, in float32.",
                remedy="Give a positive number, such as 32768.0.",
                site=here(),
            )
        put = object.__setattr__
        put(self, "name", automatic_name(type(self).__name__) if name is None else name)
        put(self, "inner_optimizer", inner_optimizer)
        put(self, "initial_scale", initial_scale)
        put(self, "dynamic_growth_steps", dynamic_growth_steps)
        # Keras forgets a fixed scale of the inner optimizer, too: gradients would be divided twice.
        inner_optimizer.loss_scale_factor = None
        # The rule of such an optimizer is the user's, so a step is left out around it.
        inner = inner_optimizer
        put(self, "_around", inner._by_hand or inner._extends_steps or inner._applies_itself)
        put(self, "_own_scale", {})
        if self._around:
            return
        native = inner_optimizer._updates
        native.loss_scale_initial = float(initial_scale)
        native.loss_scale_growth_steps = int(dynamic_growth_steps)
        native.loss_scale_factor = "dynamic"
        native._shared_prefix = self.name

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "learning_rate":
            self.inner_optimizer.learning_rate = value
            return
        object.__setattr__(self, name, value)
        if name == "dynamic_growth_steps" and not self._around:
            self.inner_optimizer._updates.loss_scale_growth_steps = int(value)

    @property
    def _updates(self) -> Any:
        return self.inner_optimizer._updates

    # -- state -----------------------------------------------------------------------------------------------

    @property
    def built(self) -> bool:  # type: ignore[override]
        """Whether the variables of the optimizers are there."""
        return bool(self.inner_optimizer.built)

    def _cell(self, name: str) -> Any:
        if self._around:
            own = self._own_scale
            if not own:
                for key, word, start in (
                    ("finite_steps", "step_counter", np.zeros((), np.int64)),
                    ("loss_scale", "dynamic_scale", np.asarray(self.initial_scale, np.float32)),
                ):
                    path = f"{self.name}/{word}"
                    own[key] = KerasVariable(start, dtype=start.dtype, trainable=False, name=path)
            return own[name]
        native = self._updates
        if native._stale:
            native._restructure()
        native._share()
        return native._shared[name]

    @property
    def dynamic_scale(self) -> Any:
        """The scale, as a variable."""
        return self._cell("loss_scale")

    @property
    def step_counter(self) -> Any:
        """How many steps with finite gradients there were since the scale was last changed, as a variable."""
        return self._cell("finite_steps")

    @property
    def variables(self) -> list[Any]:
        """An unused count and an unused rate, the counter, the scale, and the inner optimizer's variables."""
        unused = self.__dict__.get("_unused")
        if unused is None:
            count, rate = np.zeros((), np.int64), np.zeros((), np.float32)
            unused = [
                KerasVariable(count, dtype="int64", trainable=False, name=f"{self.name}/iteration"),
                KerasVariable(rate, dtype="float32", trainable=False, name=f"{self.name}/learning_rate"),
            ]
            object.__setattr__(self, "_unused", unused)
        own = [self.step_counter, self.dynamic_scale]
        inner = [one for one in self.inner_optimizer.variables if all(one is not mine for mine in own)]
        return [*unused, *own, *inner]

    def _copies(self) -> list[tuple[Any, Any]]:
        return self.inner_optimizer._copies()  # type: ignore[no-any-return]

    def _in_files(self) -> list[Any]:
        first = self.variables[:4]
        inner = self.inner_optimizer._in_files()
        return [*first, *(one for one in inner if all(one is not mine for mine in first))]

    @property
    def iterations(self) -> Any:
        """How many updates the inner optimizer has made: those that were left out do not count."""
        return self.inner_optimizer.iterations

    @property  # type: ignore[misc]
    def learning_rate(self) -> Any:
        """The learning rate of the inner optimizer. It may be set."""
        return self.inner_optimizer.learning_rate

    def build(self, variables: Sequence[Any]) -> None:
        """Fixes the variables that will be updated, and makes the state for them."""
        self.inner_optimizer.build(variables)
        self._cell("loss_scale")

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Puts the moving averages of the inner optimizer in place of the variables, if there are any."""
        self.inner_optimizer.finalize_variable_values(var_list)

    def exclude_from_weight_decay(self, var_list: Any = None, var_names: Any = None) -> None:
        """Lets variables of the inner optimizer keep from decaying."""
        self.inner_optimizer.exclude_from_weight_decay(var_list, var_names)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {
            "name": self.name,
            "inner_optimizer": serialize(self.inner_optimizer),
            "initial_scale": self.initial_scale,
            "dynamic_growth_steps": self.dynamic_growth_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Returns an optimizer of these arguments."""
        inner = config["inner_optimizer"]
        inner = inner if isinstance(inner, Optimizer) else deserialize(inner, custom_objects)
        return cls(**{**config, "inner_optimizer": inner})

    # -- steps -----------------------------------------------------------------------------------------------

    def scale_loss(self, loss: Any) -> Any:
        """Returns the loss multiplied by the scale."""
        if self._around:
            from penstock.tensorflow._elementwise import cast

            found = operand(loss)
            return found * cast(self.dynamic_scale, found._spec.dtype)
        return self._updates.scale_loss(operand(loss))

    def get_scaled_loss(self, loss: Any) -> Any:
        """Returns the loss, or a function's result, multiplied by the scale: `scale_loss` of Keras 2."""
        if callable(loss) and not isinstance(loss, Tensor | Cell):
            return lambda: self.get_scaled_loss(loss())
        return self.scale_loss(loss)

    def get_unscaled_gradients(self, grads: Sequence[Any]) -> list[Any]:
        """Returns gradients divided by the scale; the next step does not divide them again."""
        scale = self.dynamic_scale
        if self._around:
            object.__setattr__(self, "_divided", True)
        else:
            self._updates._divided = True
        return [_unscaled(one, scale) for one in grads]

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> None:
        """Moves each variable by its gradient divided by the scale, unless one is not finite."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ArgumentError(
                "not enough values to unpack (expected 2, got 0): apply_gradients was given no pairs.",
                site=here(),
            )
        self._apply([g for g, _ in pairs], [v for _, v in pairs], _frame(1))

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None) -> None:
        """Moves the variables given, or those the optimizer was built with, by their gradients."""
        inner = self.inner_optimizer
        wanted = list(inner._known.values() if trainable_variables is None else trainable_variables)
        if trainable_variables is None and len(grads) != len(wanted):
            inner.apply(grads)
        elif len(grads):
            self._apply(list(grads), wanted, _frame(1))

    def _apply(self, gradients: list[Any], variables: list[Any], frame: FrameType) -> None:
        if self._around:
            self._apply_around(gradients, variables)
            return
        self._updates._warned = True
        self.inner_optimizer._apply(gradients, variables, frame)

    def _apply_around(self, gradients: list[Any], variables: list[Any]) -> None:
        """Calls the inner optimizer if all gradients are finite, and counts the step, as Keras does."""
        from penstock.tensorflow._control import cond
        from penstock.tensorflow._elementwise import cast, is_finite
        from penstock.tensorflow._reductions import reduce_all

        if not self.built:
            self.build(variables)
        scale, counter = self.dynamic_scale, self.step_counter
        divided = self.__dict__.pop("_divided", False)
        present = [one.values if isinstance(one, IndexedSlices) else one for one in gradients]
        present = [one for one in present if one is not None]
        finite = reduce_all([reduce_all(is_finite(operand(one))) for one in present])

        def step() -> None:
            found = gradients if divided else [_unscaled(one, scale) for one in gradients]
            self.inner_optimizer.apply(found, variables)
            following = counter + 1
            full = equal(following, self.dynamic_growth_steps)
            counter.assign(where(full, 0, following))
            scale.assign(_rescaled(scale, cast(full, "float32") + 1.0))

        def leave_out() -> None:
            counter.assign(0)
            scale.assign(_rescaled(scale, 0.5))

        cond(finite, step, leave_out)


def _rescaled(scale: Any, factor: Any) -> Any:
    """Returns a scale times a factor, within the bounds that `penstock.optimizers.scaling` gives it."""
    present = operand(scale)
    wanted = present * factor
    return where(isfinite(wanted), maximum(wanted, minimum(present, 1.0)), present)


def _unscaled(gradient: Any, scale: Any) -> Any:
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        return gradient.with_values(_over(gradient.values, scale))
    return _over(gradient, scale)


def _over(values: Any, scale: Any) -> Any:
    tensor = operand(values)
    dtype = tensor._spec.dtype
    if dtype != np.dtype(np.float32):
        from penstock.tensorflow._elementwise import cast

        return tensor / cast(scale, dtype)
    return tensor / scale
