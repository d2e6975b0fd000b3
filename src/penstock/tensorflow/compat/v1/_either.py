"""Names of TensorFlow 1 with two meanings: an object of graphs, and one that has a value at once."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow import _convert, _tape
from penstock.tensorflow import is_tensor as has_value
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow._graphs.tape import GraphTape
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._variable import ResourceVariable

_converted = lift(_convert.convert_to_tensor)


class _EitherType(type):
    """Gives one name to a class of graphs and one of eager programs."""

    _eager: type
    _graph: type

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        return (cls._eager if mode.building() is None else cls._graph)(*arguments, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls._eager | cls._graph)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, (cls._eager, cls._graph))


@named("tf.compat.v1.Variable")
class Variable(metaclass=_EitherType):
    """A variable of the graph that is being built; outside of graphs, one that has its value at once."""

    _eager, _graph = ResourceVariable, GraphVariable


@named("tf.compat.v1.Tensor")
class Tensor(metaclass=_EitherType):
    """A tensor, of a graph or with a value."""

    _eager, _graph = EagerTensor, SymbolicTensor


@named("tf.compat.v1.GradientTape")
class GradientTape(metaclass=_EitherType):
    """A tape of the graph that is being built; outside of graphs, one of values."""

    _eager, _graph = _tape.GradientTape, GraphTape


@named("tf.compat.v1.ConfigProto")
class ConfigProto:
    """Settings of a session about devices; none of them changes a result here."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)
        self.gpu_options = options.get("gpu_options") or GPUOptions()


@named("tf.compat.v1.GPUOptions")
class GPUOptions:
    """Settings of a session about GPUs; none of them changes a result here."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)


@named("tf.compat.v1.is_tensor")
def is_tensor(x: Any) -> Any:
    """Returns whether x is a tensor or a variable."""
    return isinstance(x, SymbolicTensor | GraphVariable) or has_value(x)


@named("tf.compat.v1.convert_to_tensor")
def convert_to_tensor(
    value: Any, dtype: Any = None, name: Any = None, preferred_dtype: Any = None, dtype_hint: Any = None
) -> Any:
    """Returns the argument as a tensor."""
    if isinstance(value, SymbolicTensor) and (dtype is None or value.dtype == dtype):
        return value
    if isinstance(value, StringTensor):
        return value
    if value is None and mode.building() is not None:
        raise ValueError("None values not supported.")
    hint = preferred_dtype if dtype_hint is None else dtype_hint
    return _converted(value, dtype, hint, name=name)
