"""tf.keras.optimizers: Keras 3's SGD and Adam over the native update rules."""

from __future__ import annotations

import functools as _functools
import sys as _sys
import warnings as _warnings
from collections.abc import Iterable, Sequence
from types import FrameType as _FrameType
from typing import Any, ClassVar

import numpy as _np

from penstock.errors import NoGradientsError as _NoGradientsError
from penstock.errors import PenstockError as _PenstockError
from penstock.ops import pointwise as _pointwise
from penstock.optimizers import optimizer as _native
from penstock.optimizers import rules as _rules
from penstock.tensorflow import _clipping
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import NotAVariableError as _NotAVariableError
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._tape import IndexedSlices as _IndexedSlices
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.tensorflow._unread import UnreadVariable as _UnreadVariable
from penstock.tensorflow._variable import ResourceVariable as _ResourceVariable
from penstock.tensorflow._variable import unequal_shapes as _unequal_shapes
from penstock.tensorflow.keras._variable import KerasVariable as _KerasVariable
from penstock.tensorflow.keras.backend import automatic_name as _automatic_name
from penstock.tensorflow.keras.optimizers import schedules
from penstock.trace.recorder import engine as _engine
from penstock.trace.recorder import local as _local
from penstock.trace.site import here as _here
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _Tensor

_frame = _sys._getframe


class _KerasNames:
    """Gives the state of a native optimizer the names that Keras gives it."""

    state_names: ClassVar[tuple[str, ...]] = ()
    rule: _rules.Rule
    name: str
    applied: int

    def _slot_variable(self, value: Any, path: str) -> _Cell:
        owner, slot, variable = path.split("/", 2)
        last = f"{variable.replace('/', '_')}_{self.state_names[self.rule.slots.index(slot)]}"
        return _KerasVariable(value, dtype=value.dtype, trainable=False, name=f"{owner}/{last}")

    def _counter(self) -> _Cell:
        return _KerasVariable(self.applied, dtype="int64", trainable=False, name=f"{self.name}/iteration")


# Reports call a writer by the name of its class.
_SGDUpdates: Any = type("SGD", (_KerasNames, _native.SGD), {"state_names": ("momentum",)})
_AdamUpdates: Any = type(
    "Adam", (_KerasNames, _native.Adam), {"state_names": ("momentum", "velocity"), "_floor": "hat"}
)


class Optimizer:
    """What Keras' optimizers have in common: hyper-parameters, clipping, and the rules about variables."""

    def __init__(
        self,
        learning_rate: Any,
        updates: Any,
        numbers: dict[str, float],
        *,
        weight_decay: Any = None,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
        use_ema: bool = False,
        ema_momentum: float = 0.99,
        ema_overwrite_frequency: int | None = None,
        loss_scale_factor: float | None = None,
        gradient_accumulation_steps: int | None = None,
        name: str | None = None,
        **more: Any,
    ) -> None:
        if more.pop("decay", None) is not None:
            _warnings.warn("Argument `decay` is no longer supported and will be ignored.", stacklevel=3)
        if more:
            raise _ArgumentError(f"Argument(s) not recognized: {more}", site=_here())
        if sum(one is not None for one in (clipnorm, clipvalue, global_clipnorm)) > 1:
            raise _ArgumentError(
                "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
                f"clipnorm={clipnorm}, clipvalue={clipvalue}, global_clipnorm={global_clipnorm}",
                site=_here(),
            )
        unknown = {
            "weight_decay": weight_decay,
            "use_ema": use_ema,
            "gradient_accumulation_steps": gradient_accumulation_steps,
        }
        for option, value in unknown.items():
            if value:
                raise _ArgumentError(
                    f"{option}={value!r}: this option is not in penstock.tensorflow yet.", site=_here()
                )
        self.name = _automatic_name(type(self).__name__) if name is None else name
        self.clipnorm, self.clipvalue, self.global_clipnorm = clipnorm, clipvalue, global_clipnorm
        self.weight_decay, self.use_ema, self.loss_scale_factor = weight_decay, use_ema, loss_scale_factor
        self.ema_momentum, self.ema_overwrite_frequency = ema_momentum, ema_overwrite_frequency
        self.gradient_accumulation_steps = gradient_accumulation_steps
        self.built = False
        self._known: dict[int, Any] = {}
        self._numbers = numbers
        self._updates = updates(name=self.name, **{key: float(value) for key, value in numbers.items()})
        self._schedule: Any = None
        self._rate_variable: _KerasVariable | None = None
        if callable(learning_rate) and not isinstance(learning_rate, _Tensor | _Cell):
            self._schedule = learning_rate
        elif isinstance(learning_rate, float):
            self._rate = float(_np.float32(learning_rate))
        else:
            raise _ArgumentError(
                "Argument `learning_rate` should be float, or an instance of LearningRateSchedule, or a "
                "callable (that "
                "takes in the current iteration value and returns the corresponding learning rate "
                "value). Received "
                f"instead: learning_rate={learning_rate}",
                remedy="Write a number with a point, such as 0.1.",
                site=_here(),
            )

    # -- hyper-parameters --------------------------------------------------------------------------------

    @property
    def iterations(self) -> Any:
        """How many updates have been applied, as a variable."""
        updates = self._updates
        if updates._step is None:
            # From here on the updates count their steps on the record, whether their rule needs it or not.
            updates._step = updates._counter()
            updates.rule.counts = True
        return updates._step

    @property
    def learning_rate(self) -> Any:
        """The learning rate as a variable; if there is a schedule, what it gives for the next update."""
        if self._schedule is not None:
            if isinstance(self._schedule, schedules.LearningRateSchedule):
                return self._schedule(self.iterations)
            return self._schedule()
        if self._rate_variable is None:
            path = f"{self.name}/learning_rate"
            self._rate_variable = _KerasVariable(self._rate, dtype="float32", trainable=False, name=path)
        return self._rate_variable

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if callable(value) and not isinstance(value, _Tensor | _Cell):
            self._schedule = value
            return
        if isinstance(self._schedule, schedules.LearningRateSchedule):
            raise TypeError(
                "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` "
                "constructor "
                "argument, hence its learning rate is not settable. If you need the learning rate to be "
                "settable, you "
                "should instantiate the optimizer with a float `learning_rate` argument."
            )
        self._schedule = None
        self._rate = float(_np.float32(float(value)))
        if self._rate_variable is not None:
            self._rate_variable.assign(self._rate)

    def _present_rate(self) -> Any:
        """Returns the learning rate of the next update: a number, a variable or a tensor."""
        if self._schedule is None:
            return self._rate if self._rate_variable is None else self._rate_variable
        if isinstance(self._schedule, schedules.ExponentialDecay):
            return self._schedule.at(self._updates.applied)
        rate = self.learning_rate
        return float(rate) if isinstance(rate, int | float) else _operand(rate)

    @property
    def variables(self) -> list[Any]:
        """The step count, the learning rate, and the state kept for the variables."""
        rate = [] if self._schedule is not None else [self.learning_rate]
        state = [cell for _, cells in self._updates._state.values() for cell in cells]
        return [self.iterations, *rate, *state]

    def get_config(self) -> dict[str, Any]:
        """Returns the hyper-parameters by name."""
        rate = (
            self._schedule.get_config()
            if hasattr(self._schedule, "get_config")
            else float(self._present_rate())
        )
        return {
            "name": self.name,
            "learning_rate": rate,
            "weight_decay": self.weight_decay,
            "clipnorm": self.clipnorm,
            "global_clipnorm": self.global_clipnorm,
            "clipvalue": self.clipvalue,
            "use_ema": self.use_ema,
            "ema_momentum": self.ema_momentum,
            "ema_overwrite_frequency": self.ema_overwrite_frequency,
            "loss_scale_factor": self.loss_scale_factor,
            "gradient_accumulation_steps": self.gradient_accumulation_steps,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Returns an optimizer with these hyper-parameters."""
        return cls(**config)

    # -- updates -----------------------------------------------------------------------------------------

    def build(self, variables: Sequence[Any]) -> None:
        """Fixes the variables that this optimizer will be asked to update."""
        self._known = {_variable(one)._uid: _variable(one) for one in variables}
        self.built = True

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> None:
        """Moves each variable by its gradient; pairs whose gradient is None are left out, with a warning.

        Raises ValueError if every gradient is None, and for a variable that was not there the first time.
        """
        pairs = list(grads_and_vars)
        known = self._known
        plain = bool(pairs)
        for gradient, variable in pairs:
            if not (
                type(gradient) is _EagerTensor
                and type(variable) is _ResourceVariable
                and gradient._spec is variable._spec
                and variable._uid in known
            ):
                plain = False
                break
        if plain:
            self._move(pairs, _frame(1))
            return
        gradients, variables = [], []
        for gradient, variable in pairs:
            gradients.append(gradient)
            variables.append(variable)
        if not variables:
            raise _ArgumentError(
                "not enough values to unpack (expected 2, got 0): apply_gradients was given no pairs.",
                site=_here(),
            )
        self._apply(gradients, variables, _frame(1))

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None) -> None:
        """Moves the variables given, or those the optimizer was built with, by their gradients."""
        if not len(grads):
            return
        if trainable_variables is None:
            if not self.built:
                raise _ArgumentError(
                    "When passing `grads` without `variables`, the optimizer must already be built on a "
                    "list of "
                    "variables. Call `optimizer.build(trainable_variables)` first. ",
                    site=_here(),
                )
            if len(grads) != len(self._known):
                raise _ArgumentError(
                    "When passing `grads` as a list of gradient tensors, the gradients must match "
                    f"`optimizer.variables` one-to-on. Received a list of {len(grads)} gradients, but "
                    "the optimizer is "
                    f"tracking {len(self._known)} trainable variables.",
                    site=_here(),
                )
            trainable_variables = list(self._known.values())
        self._apply(list(grads), list(trainable_variables), _frame(1))

    def _apply(self, gradients: list[Any], variables: list[Any], frame: _FrameType) -> None:
        known = self._known
        for place, variable in enumerate(variables):
            if not isinstance(variable, _Cell):
                variables[place] = variable = _variable(variable)
            if self.built and variable._uid not in known:
                raise _unknown(variable)
        if not self.built:
            self.build(variables)
        if None in map(_is_none, gradients):
            gradients, variables = self._without_absent(gradients, variables, frame)
        pairs = [
            (_fitting(one, variable), variable) for one, variable in zip(gradients, variables, strict=True)
        ]
        self._move(pairs, frame)

    def _move(self, pairs: list[tuple[Any, Any]], frame: _FrameType) -> None:
        """Moves variables of this optimizer by gradients that fit them."""
        if self.clipnorm or self.clipvalue or self.global_clipnorm or self.loss_scale_factor:
            pairs = self._clipped(pairs, frame)
        updates = self._updates
        rate = self._present_rate()
        if getattr(updates, "learning_rate", None) is not rate:
            updates.learning_rate = rate
        for number, value in self._numbers.items():
            present = getattr(self, number)
            if present is not value:
                self._numbers[number] = present
                setattr(updates, number, float(present))
        updates._apply(
            [(g._rows(v._spec.shape), v) if type(g) is _IndexedSlices else (g, v) for g, v in pairs], frame
        )

    def _without_absent(
        self, gradients: list[Any], variables: list[Any], frame: _FrameType
    ) -> tuple[list[Any], list[Any]]:
        """Leaves out the pairs without a gradient, with a warning that says why they have none."""
        absent = [
            variable for gradient, variable in zip(gradients, variables, strict=True) if gradient is None
        ]
        reasons = "\n".join(_engine.reasons(_local.trace, absent))
        if len(absent) == len(variables):
            raise _NoGradientsError(
                "No gradients provided for any variable.",
                origin=reasons,
                why="Every gradient is None, so there is nothing to apply.",
                remedy="Mend the path at the lines above; penstock.explain(target, variable) says more.",
                site=_here(),
            )
        names = [getattr(variable, "name", "") for variable in absent]
        _warnings.warn(
            f"Gradients do not exist for variables {names} when minimizing the loss. If using "
            "`model.compile()`, did "
            f"you forget to provide a `loss` argument?\n{reasons}",
            stacklevel=_depth(frame),
        )
        kept = [(g, v) for g, v in zip(gradients, variables, strict=True) if g is not None]
        return [g for g, _ in kept], [v for _, v in kept]

    def _clipped(self, pairs: list[tuple[Any, Any]], frame: _FrameType) -> list[tuple[Any, Any]]:
        gradients = [
            _operand(g._rows(v._spec.shape)) if isinstance(g, _IndexedSlices) else g for g, v in pairs
        ]
        if self.loss_scale_factor:
            gradients = [
                _record(_pointwise.divide, (g, float(self.loss_scale_factor)), {}, frame) for g in gradients
            ]
        if self.clipnorm:
            gradients = [_clipping.clip_by_norm(g, self.clipnorm) for g in gradients]
        elif self.global_clipnorm:
            gradients, _ = _clipping.clip_by_global_norm(gradients, self.global_clipnorm)
        elif self.clipvalue:
            limit = float(self.clipvalue)
            gradients = [_record(_pointwise.clip, (g, -limit, limit), {}, frame) for g in gradients]
        return [(g, v) for g, (_, v) in zip(gradients, pairs, strict=True)]


class SGD(Optimizer):
    """Gradient descent, with momentum and Nesterov's look-ahead on request.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(0.0)
    >>> with tf.GradientTape() as tape:
    ...     loss = (x - 2) ** 2
    >>> tf.keras.optimizers.SGD(0.1).apply_gradients([(tape.gradient(loss, x), x)])
    >>> print(x.numpy())
    0.4
    """

    def __init__(
        self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False, **options: Any
    ) -> None:
        if not isinstance(momentum, float) or not 0 <= momentum <= 1:
            raise _ArgumentError("`momentum` must be a float between [0, 1].", site=_here())
        self.momentum, self.nesterov = momentum, nesterov
        updates = _functools.partial(_SGDUpdates, nesterov=nesterov)
        super().__init__(learning_rate, updates, {"momentum": momentum} if momentum else {}, **options)

    def get_config(self) -> dict[str, Any]:
        """Returns the hyper-parameters by name."""
        return {**super().get_config(), "momentum": self.momentum, "nesterov": self.nesterov}


class Adam(Optimizer):
    """Adam as in Keras: epsilon is added to the root before it is corrected, the paper's epsilon-hat.

    >>> from penstock import tensorflow as tf
    >>> x = tf.Variable(1.0)
    >>> tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant(3.0), x)])
    >>> print(f"{x.numpy():.5f}")
    0.90000
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        **options: Any,
    ) -> None:
        if amsgrad:
            raise _ArgumentError("amsgrad=True: this option is not in penstock.tensorflow yet.", site=_here())
        self.beta_1, self.beta_2, self.epsilon, self.amsgrad = beta_1, beta_2, epsilon, amsgrad
        numbers = {"beta_1": beta_1, "beta_2": beta_2, "epsilon": epsilon}
        super().__init__(learning_rate, _AdamUpdates, numbers, **options)

    def get_config(self) -> dict[str, Any]:
        """Returns the hyper-parameters by name."""
        more = {
            "beta_1": self.beta_1,
            "beta_2": self.beta_2,
            "epsilon": self.epsilon,
            "amsgrad": self.amsgrad,
        }
        return {**super().get_config(), **more}


def _is_none(value: Any) -> Any:
    return None if value is None else True


def _variable(value: Any) -> Any:
    if isinstance(value, _UnreadVariable):
        return value._variable
    if isinstance(value, _Cell):
        return value
    raise _NotAVariableError(
        f"{type(value).__name__!r} object has no attribute '_unique_id': it is not a variable.",
        why="Only a tf.Variable can be written. A name that once meant one becomes a plain tensor when it is "
        "assigned with `=`.",
        remedy="Pass pairs of (gradient, variable), and write a variable with variable.assign(...).",
        site=_here(),
    )


def _unknown(variable: Any) -> _PenstockError:
    return _ArgumentError(
        f"Unknown variable: {variable}. This optimizer can only be called for the variables it was "
        "originally built "
        "with. When working with a new set of variables, you should recreate a new optimizer instance.",
        origin=f"Variable created at {variable.site}",
        remedy="Or build it for all variables first: optimizer.build([...]).",
        site=_here(),
    )


def _fitting(gradient: Any, variable: Any) -> Any:
    """Returns a gradient as a tensor or as rows of the variable's shape."""
    if isinstance(gradient, _IndexedSlices):
        if gradient.values._spec.shape[1:] != variable._spec.shape[1:]:
            raise _unequal_shapes(variable, tuple(gradient.shape))
        return gradient
    if not isinstance(gradient, _Tensor | _Cell):
        gradient = _operand(gradient, None if isinstance(gradient, _UnreadVariable) else variable._spec.dtype)
    if gradient._spec.shape != variable._spec.shape:
        raise _unequal_shapes(variable, gradient._spec.shape)
    return gradient


def _depth(frame: _FrameType) -> int:
    """Returns the stack level of a frame as seen from the caller of this function's caller."""
    depth, one = 1, _frame(1)
    while one is not frame and one.f_back is not None:
        depth, one = depth + 1, one.f_back
    return depth


def get(identifier: Any) -> Any:
    """Returns the optimizer that a word names, such as 'sgd'; an optimizer is returned as it is."""
    if isinstance(identifier, Optimizer):
        return identifier
    found = {"sgd": SGD, "adam": Adam}.get(str(identifier).lower())
    if found is None:
        raise _ArgumentError(f"Could not interpret optimizer identifier: {identifier}", site=_here())
    return found()


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.optimizers", name, __all__)


__all__ = ["SGD", "Adam", "Optimizer", "get", "schedules"]
