"""Optimizers that scale losses, and skip an update whose gradients are not finite."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorflow.python.framework import ops

from penstock.frameworks.replaced import Replaced
from penstock.frameworks.tensorflow.amounts import array_of, first_bad, value_of
from penstock.frameworks.tensorflow.lines import here
from penstock.frameworks.tensorflow.tapes import dense
from penstock.frameworks.tensorflow.variable import Parameter
from penstock.frameworks.told import Scaled
from penstock.trace.source_site import Site

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher


class Scaling:
    """The optimizers that scale losses, by the optimizers inside them that make the updates."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._around: weakref.WeakKeyDictionary[Any, weakref.ref[Any]] = weakref.WeakKeyDictionary()
        self._scales: weakref.WeakKeyDictionary[Any, float] = weakref.WeakKeyDictionary()

    def start_keras(self, replaced: Replaced) -> None:
        """Watches the optimizer of Keras that scales losses."""
        from keras.src.optimizers import loss_scale_optimizer

        replaced.function(loss_scale_optimizer.LossScaleOptimizer, "apply", self._apply)

    def scales(self, optimizer: Any) -> bool:
        """Returns whether an optimizer makes its updates for one that scales losses."""
        return optimizer in self._around

    def _apply(
        self, original: Callable[..., Any], owner: Any, grads: Any, trainable_variables: Any = None
    ) -> Any:
        watcher, inner = self._watcher, owner.inner_optimizer
        self._around[inner] = weakref.ref(owner)
        gradients = list(grads)
        given = None if trainable_variables is None else list(trainable_variables)
        if not watcher.is_home or watcher.script() is not None:
            return original(owner, gradients, given)
        before = self.count(inner)
        result = original(owner, gradients, given)
        variables = inner._trainable_variables if given is None else given
        pairs = list(zip(map(watcher.registry.of, variables), gradients))
        missed = self.count(inner) == before
        wrong = [(one, value) for one, gradient in pairs if one and (value := _bad(gradient)) is not None]
        held = [one for one, _ in pairs if one is not None]
        self._tell(
            inner, here(2), [one for one, _ in wrong], wrong[0][1] if wrong else math.nan, missed, held
        )
        return result

    def ran(self, inner: Any, site: Site | None, held: Sequence[Parameter], missed: bool) -> None:
        """Reports an update inside a function, which it has made or skipped."""
        self._tell(inner, site, held, math.nan, missed, held)

    def _tell(
        self,
        inner: Any,
        site: Site | None,
        wrong: Sequence[Parameter],
        value: float,
        missed: bool,
        held: Sequence[Parameter],
    ) -> None:
        watcher = self._watcher
        owner = self._around[inner]()
        if owner is None or not held or watcher.sink.stopped:
            return
        after = self._value(owner.dynamic_scale)
        scales = self._scales.get(owner, float(owner.initial_scale)), after
        self._scales[owner] = after
        name = type(inner).__name__
        one = Scaled(name, site, wrong or held, value, missed, held, scales)
        watcher.sink.passed(watcher.nothing, (), [one])

    def count(self, optimizer: Any) -> int | None:
        """Returns how many updates an optimizer counts itself; None if it does not."""
        counter = getattr(optimizer, "iterations", None)
        inner = getattr(counter, "value", counter)
        return int(self._value(counter)) if inner is not None and hasattr(inner, "handle") else None

    def _value(self, variable: Any) -> float:
        inner = variable if hasattr(variable, "handle") else variable.value
        self._watcher.quiet += 1
        try:
            return float(array_of(value_of(inner)))
        finally:
            self._watcher.quiet -= 1


def _bad(gradient: Any) -> float | None:
    """Returns the first number of a gradient that is not finite, if there is one."""
    tensor = dense(gradient)
    return first_bad(array_of(tensor)) if isinstance(tensor, ops.EagerTensor) else None


__all__ = ["Scaling"]
