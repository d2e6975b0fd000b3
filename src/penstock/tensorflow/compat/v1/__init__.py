"""tf.compat.v1: TensorFlow 1's names. Operations build a graph, which sessions run.

Use it as `import penstock.tensorflow.compat.v1 as tf`, followed by `tf.disable_eager_execution()`, or run a
program with `penstock run --as tensorflow`: a program that uses names of TensorFlow 1 only gets this module
under `import tensorflow`, and builds its graph from the first line.
"""

# Every name of this module is public, and most come from elsewhere.
# ruff: noqa: F401

from __future__ import annotations

import sys as _sys
from types import FunctionType as _FunctionType
from types import ModuleType as _ModuleType
from typing import Any

import penstock.tensorflow as _tensorflow
from penstock.declared import names_of as _names_of
from penstock.tensorflow import compat, dtypes, errors, keras
from penstock.tensorflow import image as _image
from penstock.tensorflow import linalg as _linalg
from penstock.tensorflow import math as _math
from penstock.tensorflow import nn as _nn
from penstock.tensorflow import random as _random
from penstock.tensorflow._graphs import loops as _loops
from penstock.tensorflow._graphs import operators as _operators
from penstock.tensorflow._graphs.build import lift as _lift
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow._graphs.graph import on_change as _on_change
from penstock.tensorflow._graphs.tape import GraphTape as _GraphTape
from penstock.tensorflow._graphs.tensor import SymbolicTensor as _SymbolicTensor
from penstock.tensorflow._graphs.variable import GraphVariable as _GraphVariable
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1._aliases import aliases as _aliases

__version__ = "2.21.0"
VERSION = __version__
OpError = errors.OpError
_FILES = (
    "_graphs.cond _graphs.functions _graphs.gradients _graphs.graph _graphs.initializers _graphs.loops "
    "_graphs.scope _session compat.v1._older_forms compat.v1._print compat.v1._python_functions "
    "compat.v1._rnn compat.v1._sampled_losses"
)
_missing = _namespace("tf.compat.v1", globals(), _FILES)[0]


class _EitherType(type):
    """Lets a name stand for a class of graphs and one of eager programs."""

    _eager: type
    _graph: type

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        return (cls._eager if _mode.building() is None else cls._graph)(*arguments, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls._eager | cls._graph)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, (cls._eager, cls._graph))


class Variable(metaclass=_EitherType):
    """A variable of the graph that is being built; outside of graphs, one that has its value at once."""

    _eager, _graph = _tensorflow.Variable, _GraphVariable


class Tensor(metaclass=_EitherType):
    """A tensor, of a graph or with a value."""

    _eager, _graph = _tensorflow.Tensor, _SymbolicTensor


class GradientTape(metaclass=_EitherType):
    """A tape of the graph that is being built; outside of graphs, one of values."""

    _eager, _graph = _tensorflow.GradientTape, _GraphTape


class ConfigProto:
    """What a session may be told about devices; nothing of it changes a result here."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)
        self.gpu_options = options.get("gpu_options") or GPUOptions()


class GPUOptions:
    """What a session may be told about GPUs; nothing of it changes a result here."""

    def __init__(self, **options: Any) -> None:
        self.__dict__.update(options)


def is_tensor(x: Any) -> Any:
    """Returns whether x is a tensor or a variable."""
    return isinstance(x, _SymbolicTensor | _GraphVariable) or _tensorflow.is_tensor(x)


def convert_to_tensor(
    value: Any, dtype: Any = None, name: Any = None, preferred_dtype: Any = None, dtype_hint: Any = None
) -> Any:
    """Returns a tensor of what is given."""
    if isinstance(value, _SymbolicTensor) and (dtype is None or value.dtype == dtype):
        return value
    if value is None and _mode.building() is not None:
        raise ValueError("None values not supported.")
    hint = preferred_dtype if dtype_hint is None else dtype_hint
    return _converted(value, dtype, hint, name=name)


def _lifted_module(module: _ModuleType) -> Any:
    """Returns a module with the functions of another, which build while a graph is being built."""
    made: Any = _ModuleType(f"{__name__}.{module.__name__.rpartition('.')[2]}", module.__doc__)
    for name in module.__all__:
        value = getattr(module, name)
        setattr(made, name, _lift(value) if isinstance(value, _FunctionType) else value)
    made.__all__ = list(module.__all__)
    made.__getattr__ = module.__getattr__
    _sys.modules[made.__name__] = made
    return made


nn, math, random, linalg, image = (_lifted_module(one) for one in (_nn, _math, _random, _linalg, _image))
math.special = _lifted_module(_math.special)
_converted = _lift(_tensorflow.convert_to_tensor)
_OWN = (
    "app", "data", "distributions", "initializers", "layers", "logging", "losses", "metrics",
    "summary", "train",
)  # fmt: skip
_EAGER_ONLY = (
    "TensorArray", "autodiff", "custom_gradient", "debugging", "get_static_value", "grad_pass_through",
    "nest", "print", "recompute_grad", "timestamp",
)  # fmt: skip
"""What does the same in a graph, or only without one."""
custom_gradient, grad_pass_through = _tensorflow.custom_gradient, _tensorflow.grad_pass_through
Assert, assert_equal, assert_greater, assert_less, assert_rank = (
    _loops.checking(getattr(_tensorflow, one))
    for one in ("Assert", "assert_equal", "assert_greater", "assert_less", "assert_rank")
)
for _name in _tensorflow.__all__:
    if _name not in globals() and _name not in _OWN and _name not in _EAGER_ONLY:
        _value = getattr(_tensorflow, _name)
        globals()[_name] = _lift(_value) if isinstance(_value, _FunctionType) else _value
newaxis = None

_MODULES = {"math": math, "linalg": linalg, "random": random, "image": image}
for _name, _module, _own in _aliases():
    globals()[_name] = getattr(_MODULES[_module], _own)
lin_space, reverse_v2, all_variables = (
    globals()["linspace"],
    globals()["reverse"],
    globals()["global_variables"],
)
initialize_all_variables = globals()["global_variables_initializer"]
initialize_local_variables = globals()["local_variables_initializer"]
initialize_variables = globals()["variables_initializer"]
random.set_random_seed = random.set_seed = globals()["set_random_seed"]
_homes = [f"penstock.tensorflow.{one}" for one in _FILES.split()]
vars(nn).update(_names_of("tf.compat.v1.nn", _homes))
vars(random).update(_names_of("tf.compat.v1.random", _homes))

from penstock.tensorflow.compat.v1 import (  # noqa: E402
    app,
    data,
    distributions,
    initializers,
    layers,
    logging,
    losses,
    metrics,
    rnn_cell,
    summary,
    train,
)

nn.rnn_cell = rnn_cell

__all__ = [name for name in globals() if not name.startswith("_") and name not in ("annotations", "Any")]


_SWAPPED = [(_tensorflow, globals()), (_nn, vars(nn)), (_math, vars(math)), (_random, vars(random)),
            (_linalg, vars(linalg)), (_image, vars(image))]  # fmt: skip
_kept: dict[Any, Any] = {}
_waits = object()
"""Stands for a name that a module imports when it is asked for."""
_newer: dict[Any, Any] = {}


def _swap(building: bool) -> None:
    """Lets the names of TensorFlow 2 build too, as long as there is a graph to be built."""
    for module, ours in _SWAPPED:
        for name in module.__all__:
            value, own = ours.get(name), vars(module).get(name, _waits)
            if isinstance(value, _ModuleType):
                continue
            value = getattr(value, "_second", value)
            if building and value is not None and own is not value:
                if getattr(value, "_eager", own) is not own and isinstance(own, _FunctionType):
                    # TensorFlow 1 has another function under this name.
                    value = _newer[own] = _newer.get(own) or _lift(own)
                _kept[module, name] = own
                setattr(module, name, value)
    if not building:
        for (module, name), value in _kept.items():
            if value is _waits:
                vars(module).pop(name, None)
            else:
                setattr(module, name, value)
        _kept.clear()


_on_change.append(_swap)
if type(_mode).inside:
    _swap(True)


def __getattr__(name: str) -> Any:
    if name == "contrib":
        raise AttributeError(
            "module 'tensorflow.compat.v1' has no attribute 'contrib'\n"
            "tf.contrib ended with TensorFlow 1. Instead of tf.contrib.layers.xavier_initializer() write "
            "tf.glorot_uniform_initializer(), of tf.contrib.layers.fully_connected tf.layers.dense."
        )
    return _missing(name)
