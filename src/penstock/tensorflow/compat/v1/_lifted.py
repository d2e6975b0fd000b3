"""TensorFlow's names in a graph: functions build while there is one to be built, and graphs have their own.

The functions that TensorFlow 1 makes of others are written over these names.
"""

# Every name of this module is public, and most come from elsewhere.
# ruff: noqa: F401

from __future__ import annotations

import functools as _functools
import sys as _sys
from types import FunctionType as _FunctionType
from types import ModuleType as _ModuleType
from typing import Any

import penstock.tensorflow as _tensorflow
from penstock.declared import every_name as _every_name
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
from penstock.tensorflow._names import namespace as _namespace

OpError = errors.OpError
FILES = (
    "_graphs.cond _graphs.functions _graphs.gradients _graphs.graph _graphs.initializers _graphs.loops "
    "_graphs.scope _graphs.sparse_placeholders _session compat.v1._either compat.v1._older_forms"
)
__getattr__ = _namespace("tf.compat.v1", globals(), FILES)[0]


_once = _functools.cache(_lift)
"""Lifts a function, always to the same."""


def _lifted_module(module: _ModuleType) -> Any:
    """Returns a module with the functions of another, which build while a graph is being built."""
    made: Any = _ModuleType(f"{__package__}.{module.__name__.rpartition('.')[2]}", module.__doc__)
    for name in module.__all__:
        value = getattr(module, name)
        setattr(made, name, _once(value) if isinstance(value, _FunctionType) else value)
    made.__all__ = list(module.__all__)
    made.__getattr__ = module.__getattr__
    _sys.modules[made.__name__] = made
    return made


nn, math, random, linalg, image = (_lifted_module(one) for one in (_nn, _math, _random, _linalg, _image))
math.special = _lifted_module(_math.special)
_OWN = (
    "app", "data", "distributions", "initializers", "layers", "logging", "losses", "metrics",
    "summary", "train",
)  # fmt: skip
_OF_PYTHON = (
    "get_current_name_scope", "get_static_value", "import_graph_def", "is_symbolic_tensor", "no_gradient",
    "register_tensor_conversion_function",
)  # fmt: skip
"""Names of functions that build nothing."""
_EAGER_ONLY = (
    "TensorArray", "autodiff", "custom_gradient", "debugging", "grad_pass_through",
    "nest", "print", "recompute_grad", "timestamp", *_OF_PYTHON,
)  # fmt: skip
"""Names that do the same in a graph, or work only without one."""
custom_gradient, grad_pass_through = _tensorflow.custom_gradient, _tensorflow.grad_pass_through
Assert = _loops.checking(_tensorflow.Assert)
for _name in _tensorflow.__all__:
    if _name not in globals() and _name not in _OWN and _name not in _EAGER_ONLY:
        _value = getattr(_tensorflow, _name)
        globals()[_name] = _once(_value) if isinstance(_value, _FunctionType) else _value
newaxis = None

_homes = [f"penstock.tensorflow.{one}" for one in FILES.split()]
for _name, (_home, _value) in _every_name().items():
    _place, _, _own = _name.rpartition(".")
    if _home not in _homes and not {"compat", "_graphs"} & {*_home.split(".")}:
        # A function of TensorFlow 2, by a name that TensorFlow 1 has for it.
        if _place == "tf.compat.v1":
            _plain = _own in _OF_PYTHON or not isinstance(_value, _FunctionType)
            globals()[_own] = _value if _plain else _once(_value)
        elif _place in ("tf.compat.v1.image", "tf.compat.v1.nn"):
            vars(image if _place.endswith("image") else nn)[_own] = _once(_value)
vars(nn).update(_names_of("tf.compat.v1.nn", _homes))
vars(random).update(_names_of("tf.compat.v1.random", _homes))
