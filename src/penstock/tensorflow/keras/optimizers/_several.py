"""Keras' MultiOptimizer: several optimizers, each for the variables that a map or a function gives it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._automatic_names import automatic_name
from penstock.tensorflow.keras._variable import KerasVariable
from penstock.tensorflow.keras.optimizers._base import Optimizer
from penstock.tensorflow.keras.optimizers._identifiers import deserialize, serialize
from penstock.tensorflow.keras.optimizers._scaling import LossScaleOptimizer
from penstock.trace.source_site import here


@named("tf.keras.optimizers.OptimizerMap")
class OptimizerMap(MutableMapping[str, Any]):
    """Optimizers by the paths of variables, or by patterns that match whole paths.

    >>> from penstock import tensorflow as tf
    >>> chosen = tf.keras.optimizers.OptimizerMap(tf.keras.optimizers.Adam())
    >>> chosen["encoder/.*"] = tf.keras.optimizers.SGD()
    >>> [type(chosen[path]).__name__ for path in ("encoder/dense/kernel", "head/bias")]
    ['SGD', 'Adam']
    """

    def __init__(self, default_optimizer: Any, optimizer_map: dict[str, Any] | None = None) -> None:
        if not isinstance(default_optimizer, Optimizer):
            raise TypeError(
                f"default_optimizer must be a Keras Optimizer instance. Received: {default_optimizer}"
            )
        if optimizer_map is not None and not isinstance(optimizer_map, dict):
            raise TypeError(f"optimizer_map must be a dictionary. Received: {optimizer_map}")
        self._default_optimizer = default_optimizer
        self._optimizer_map = optimizer_map or {}

    @property
    def default_optimizer(self) -> Any:
        """The optimizer of all variables that no key matches."""
        return self._default_optimizer

    def __getitem__(self, key: str) -> Any:
        if key in self._optimizer_map:
            return self._optimizer_map[key]
        matching = [pattern for pattern in self._optimizer_map if re.fullmatch(pattern, key)]
        if len(matching) > 1:
            raise ArgumentError(
                f"Multiple optimizers assigned to variable {key}.",
                origin=f"matched by {', '.join(map(repr, matching))}",
                remedy="Write patterns of which one matches the path.",
                site=here(),
            )
        return self._optimizer_map[matching[0]] if matching else self._default_optimizer

    def __setitem__(self, key: str, optimizer: Any) -> None:
        if key in self._optimizer_map:
            raise ArgumentError(
                f"'{key}' already exists in the OptimizerMap with value {self._optimizer_map[key]}. Please "
                "make sure to not use duplicated keys.",
                site=here(),
            )
        if not isinstance(key, str):
            raise ArgumentError(f"key must be a string. Received: {key}", site=here())
        if not isinstance(optimizer, Optimizer):
            raise ArgumentError(
                f"optimizer must be a Keras Optimizer instance. Received: {optimizer}", site=here()
            )
        if isinstance(optimizer, LossScaleOptimizer | MultiOptimizer):
            raise ArgumentError(f"optimizer cannot be {type(optimizer).__name__}.", site=here())
        self._optimizer_map[key] = optimizer

    def __delitem__(self, key: str) -> None:
        del self._optimizer_map[key]

    def __len__(self) -> int:
        return len(self._optimizer_map)

    def __iter__(self) -> Iterator[str]:
        return iter(self._optimizer_map)

    def __call__(self, variable: Any) -> Any:
        return self[variable.path]

    def get_config(self) -> dict[str, Any]:
        """Returns the configurations of the optimizers."""
        return {
            "default_optimizer": serialize(self._default_optimizer),
            "optimizer_map": {key: serialize(one) for key, one in self._optimizer_map.items()},
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> OptimizerMap:
        """Returns the map of these configurations."""
        found = {key: deserialize(one, custom_objects) for key, one in config["optimizer_map"].items()}
        return cls(deserialize(config["default_optimizer"], custom_objects), found)


_RATE = (
    "Learning rate cannot be {0} on a MultiOptimizer. {1} the learning rate on the individual sub-optimizers "
    "instead."
)


@named("tf.keras.optimizers.MultiOptimizer")
class MultiOptimizer(Optimizer):
    """Several optimizers: each moves the variables that `optimizer_map` gives it.

    `optimizer_map` is an OptimizerMap, or a function that returns an optimizer for a variable. Which one
    moves a variable is found out once, when the state is made.

    >>> from penstock import tensorflow as tf
    >>> x, y = tf.keras.Variable(1.0), tf.keras.Variable(1.0)
    >>> slow, fast = tf.keras.optimizers.SGD(0.25), tf.keras.optimizers.SGD(0.5)
    >>> both = tf.keras.optimizers.MultiOptimizer(lambda variable: slow if variable is x else fast)
    >>> both.apply([tf.constant(1.0), tf.constant(1.0)], [x, y])
    >>> print(float(x), float(y))
    0.75 0.5
    """

    _native = None
    _inner_optimizers: list[Any]

    def __init__(
        self,
        optimizer_map: OptimizerMap | Callable[[Any], Any],
        loss_scale_factor: float | None = None,
        name: str | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "name", automatic_name(type(self).__name__) if name is None else name)
        put(self, "_optimizer_map", optimizer_map)
        put(self, "_inner_optimizers", [])
        put(self, "_places", {})
        put(self, "_known", {})
        put(self, "_counter", None)
        put(self, "built", False)
        put(self, "loss_scale_factor", loss_scale_factor)
        for one in getattr(optimizer_map, "values", tuple)():
            self._take_in(one)
        usual = getattr(optimizer_map, "default_optimizer", None)
        if usual is not None:
            self._take_in(usual)

    def _take_in(self, optimizer: Any) -> int:
        """Returns the number of an optimizer among those inside."""
        inner = self._inner_optimizers
        for number, one in enumerate(inner):
            if one is optimizer:
                return number
        optimizer.loss_scale_factor = self.loss_scale_factor
        inner.append(optimizer)
        return len(inner) - 1

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "learning_rate":
            raise AttributeError(_RATE.format("set", "Set"))
        object.__setattr__(self, name, value)
        if name == "loss_scale_factor":
            for one in self._inner_optimizers:
                one.loss_scale_factor = value

    def __getattr__(self, name: str) -> Any:
        if name == "learning_rate":
            raise AttributeError(_RATE.format("accessed", "Access"))
        return super().__getattr__(name)

    @property  # type: ignore[misc]
    def learning_rate(self) -> Any:
        """Refused: each optimizer inside has its own."""
        raise AttributeError

    @property
    def optimizers(self) -> list[Any]:
        """The optimizers inside."""
        return self._inner_optimizers

    @property
    def _own_variables(self) -> list[Any]:
        made: list[Any] | None = self._counter
        if made is None:
            count, rate = np.zeros((), np.int64), np.zeros((), np.float32)
            made = [
                KerasVariable(count, dtype="int64", trainable=False, name=f"{self.name}/iteration"),
                KerasVariable(rate, dtype="float32", trainable=False, name=f"{self.name}/learning_rate"),
            ]
            object.__setattr__(self, "_counter", made)
        return made

    @property
    def _iterations(self) -> Any:
        return self._own_variables[0]

    @property
    def iterations(self) -> Any:
        """How many updates have been made, as a variable."""
        return self._own_variables[0]

    @property
    def variables(self) -> list[Any]:
        """The count of updates, an unused rate, and the variables of the optimizers inside."""
        return [*self._own_variables, *(one for inner in self._inner_optimizers for one in inner.variables)]

    def _in_files(self) -> list[Any]:
        return [*self._own_variables, *(one for inner in self._inner_optimizers for one in inner._in_files())]

    def _copies(self) -> list[tuple[Any, Any]]:
        return [pair for inner in self._inner_optimizers for pair in inner._copies()]

    def build(self, variables: Sequence[Any]) -> None:
        """Finds the optimizer of each variable, and lets each make its state."""
        if self.built:
            return
        shares: dict[int, list[Any]] = {}
        for one in variables:
            chosen = self._optimizer_map(one)
            if not isinstance(chosen, Optimizer):
                raise ArgumentError(
                    f"Optimizer for variable {one} is not an Optimizer instance.", site=here()
                )
            if isinstance(chosen, LossScaleOptimizer | MultiOptimizer):
                raise ArgumentError(
                    f"{type(chosen).__name__} cannot be used inside an MultiOptimizer.", site=here()
                )
            number = self._places[id(one)] = self._take_in(chosen)
            shares.setdefault(number, []).append(one)
        for number, share in sorted(shares.items()):
            self._inner_optimizers[number].build(share)
        object.__setattr__(self, "_known", dict(enumerate(variables)))
        object.__setattr__(self, "built", True)

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Any]]) -> Any:
        """Moves each variable by its gradient, each by its own optimizer; returns the count of updates."""
        pairs = list(grads_and_vars)
        self.apply([gradient for gradient, _ in pairs], [variable for _, variable in pairs])
        return self.iterations

    def apply(self, grads: Sequence[Any], trainable_variables: Sequence[Any] | None = None) -> None:
        """Moves the variables given, or those the optimizer was built with, by their gradients."""
        if not len(grads):
            return
        if trainable_variables is None and not self.built:
            raise ArgumentError(
                "When passing `grads` without `variables`, the optimizer must already be built on a list of "
                "variables. Call `optimizer.build(trainable_variables)` first.",
                site=here(),
            )
        wanted = list(self._known.values() if trainable_variables is None else trainable_variables)
        self.build(wanted)
        if len(grads) != len(self._places):
            raise ArgumentError(
                f"Gradients must match trainable variables one-to-one. Received {len(grads)} gradients and "
                f"{len(self._places)} variables.",
                site=here(),
            )
        shares: dict[int, list[tuple[Any, Any]]] = {}
        for gradient, variable in zip(grads, wanted, strict=False):
            shares.setdefault(self._places[id(variable)], []).append((gradient, variable))
        for number, share in sorted(shares.items()):
            self._inner_optimizers[number].apply([one for one, _ in share], [one for _, one in share])
        self.iterations.assign_add(1)

    def scale_loss(self, loss: Any) -> Any:
        """Returns the loss multiplied by `loss_scale_factor`, by which gradients are divided again."""
        return loss if self.loss_scale_factor is None else loss * self.loss_scale_factor

    def finalize_variable_values(self, var_list: Sequence[Any]) -> None:
        """Puts the moving averages of each optimizer in place of its variables, if there are any."""
        for number, inner in enumerate(self._inner_optimizers):
            share = [one for one in var_list if self._places[id(one)] == number]
            if share:
                inner.finalize_variable_values(share)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {
            "optimizer_map": self._optimizer_map.get_config()
            if isinstance(self._optimizer_map, OptimizerMap)
            else self._optimizer_map,
            "loss_scale_factor": self.loss_scale_factor,
            "name": self.name,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """Returns an optimizer of these arguments."""
        chosen = config["optimizer_map"]
        if isinstance(chosen, dict):
            chosen = OptimizerMap.from_config(chosen.get("config", chosen), custom_objects)
        return cls(**{**config, "optimizer_map": chosen})


__all__ = ["MultiOptimizer", "OptimizerMap"]
