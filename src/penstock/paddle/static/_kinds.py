"""Tests of a tensor's kind: whether it has a value, or is a result of a static program."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.paddle._mode import mode
from penstock.paddle._tensor import Tensor
from penstock.paddle.static import _variable
from penstock.trace.tensor import Cell


class _KindOfVariable(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return not mode.builds() and isinstance(instance, Tensor | Cell)


class _KindOfValue(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        known = _variable.Variable | _variable.StaticLeaf | _variable.StaticParameter
        return isinstance(instance, known)


@named("paddle.static.Variable")
class Variable(metaclass=_KindOfVariable):
    """The class of every tensor in dynamic mode, for `isinstance`; in static mode it has no instances.

    >>> from penstock import paddle
    >>> isinstance(paddle.ones([2]), paddle.static.Variable)
    True
    """


@named("paddle.pir.Value")
class Value(metaclass=_KindOfValue):
    """The class that the tensors of static programs say they are of, parameters among them.

    >>> from penstock import paddle
    >>> isinstance(paddle.ones([2]), paddle.pir.Value)
    False
    """


__all__ = ["Value", "Variable"]
