"""tf.types.experimental: what functions and values are, for annotations and `isinstance`."""

from __future__ import annotations

from typing import Any

import numpy as _np

from penstock.declared import named as _named
from penstock.tensorflow._function import ConcreteFunction as _Concrete
from penstock.tensorflow._function import Function as _Function
from penstock.tensorflow._function import Method as _Method
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.tensorflow._variable import ResourceVariable as _Variable

_PLACE = "tf.types.experimental"
TensorLike = _named(f"{_PLACE}.TensorLike")(
    _EagerTensor
    | _Variable
    | int
    | float
    | bool
    | str
    | bytes
    | complex
    | tuple
    | list
    | _np.ndarray
    | _np.generic
)
"""What functions take for a tensor."""


class _OfFunctions(type):
    """The class of names for kinds of functions, whose instances are recognised and never made."""

    _kinds: Any

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls._kinds)


class Callable(metaclass=_OfFunctions):
    """Any function under `tf.function`, for some arguments or for all."""

    _kinds: Any = (_Function, _Method, _Concrete)


class ConcreteFunction(Callable):
    """A function for arguments of given shapes and dtypes."""

    _kinds = (_Concrete,)


class PolymorphicFunction(Callable):
    """A function under `tf.function`.

    >>> from penstock import tensorflow as tf
    >>> isinstance(tf.function(abs), tf.types.experimental.PolymorphicFunction)
    True
    """

    _kinds = (_Function, _Method)


GenericFunction = PolymorphicFunction

__getattr__, __dir__, __all__ = _namespace(_PLACE, globals())
