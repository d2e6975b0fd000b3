"""tensorflow.python.keras: layers whose initial values are drawn as those of `tf.random`, as Keras 2 does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from penstock.ops import philox
from penstock.ops.table import Primitive
from penstock.tensorflow._seeds import key_of
from penstock.tensorflow.keras import initializers, models
from penstock.tensorflow.keras._drawn_initializers import Seeded
from penstock.tensorflow.keras._layer import Layer

_KINDS = {
    philox.philox_normal: "normal",
    philox.philox_truncated_normal: "truncated_normal",
    philox.philox_uniform: "uniform",
}
_made: dict[Any, Any] = {}
"""By class: the same class of Keras 2."""


class OfTheStream(Seeded):
    """An initializer that without a seed draws what `tf.random` would: `tf.random.set_seed` decides it."""

    _own_seed = staticmethod(lambda: None)

    def _drawn(self, primitive: Primitive, shape: Sequence[int], dtype: Any) -> Any:
        if self._given_seed is not None:
            return super()._drawn(primitive, shape, dtype)
        lengths = tuple(shape)
        key = key_of(None, (_KINDS[primitive], dtype), lengths)
        return primitive.numpy(key._value, shape=lengths, dtype=dtype)


def of_keras_2(found: Any) -> Any:
    """Returns a layer's or an initializer's class as Keras 2 has it; anything else as it is."""
    if not isinstance(found, type):
        return _get if found is initializers.get else found
    if found not in _made:
        _made[found] = _older(found)
    return _made[found]


def _older(kind: type) -> Any:
    space: dict[str, Any] = {"__doc__": kind.__doc__, "__module__": kind.__module__}
    if issubclass(kind, Seeded):
        return type(kind.__name__, (OfTheStream, kind), space)
    if issubclass(kind, Layer) and not issubclass(kind, models.Model):
        return type(
            kind.__name__,
            (kind,),
            {**space, "_initializer": staticmethod(_get), "_is_base": vars(kind).get("_is_base", False)},
        )
    return kind


def _get(identifier: Any) -> Any:
    """Returns the initializer that a word, a class, a configuration or a function stands for."""
    if isinstance(identifier, str):
        return of_keras_2(type(initializers.get(identifier)))()
    return initializers.get(identifier)


__all__ = ["of_keras_2"]
