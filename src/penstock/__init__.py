"""Penstock: automatic differentiation and training steps that say which variables they change, and why."""

import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

import numpy as _numpy

from penstock import errors, optimizers
from penstock.capture import step
from penstock.flow import hooks as _hooks  # noqa: F401  (tells the rooms below what to ask)
from penstock.functions import array as _array
from penstock.functions import losses, nn, random
from penstock.functions.arguments import bfloat16 as _bfloat16
from penstock.functions.array import *  # noqa: F403
from penstock.functions.array import __array_api_version__ as __array_api_version__
from penstock.functions.array import __array_namespace_info__ as __array_namespace_info__
from penstock.grad.absence import Absence
from penstock.grad.functional import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp
from penstock.grad.rows import Rows
from penstock.grad.tape import GradientTape
from penstock.state.variable import Variable
from penstock.tiers.plan import wait
from penstock.tiers.statistics import compilations, trace_statistics
from penstock.trace.tensor import Tensor

if _TYPE_CHECKING:
    from penstock import layers
    from penstock.flow.contract import contract
    from penstock.flow.explain import explain
    from penstock.flow.ledger import ledger
    from penstock.functions import fft, linalg, segments, special
    from penstock.functions.control import cond, map, scan, while_loop
    from penstock.functions.vmap import vmap
    from penstock.grad.custom import checkpoint, custom_gradient, straight_through
    from penstock.layers import policies
    from penstock.optimizers.clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
    from penstock.state.checkpoint import load, save
    from penstock.state.freeze import freeze, unfreeze

__version__ = "0.1.0"

bool = _numpy.dtype("bool")
int8, int16, int32, int64 = [_numpy.dtype(_one) for _one in ("int8", "int16", "int32", "int64")]
uint8, uint16, uint32, uint64 = [_numpy.dtype(_one) for _one in ("uint8", "uint16", "uint32", "uint64")]
float16, float32, float64 = [_numpy.dtype(_one) for _one in ("float16", "float32", "float64")]
complex64, complex128 = [_numpy.dtype(_one) for _one in ("complex64", "complex128")]


_MODULES = {
    "fft": "penstock.functions.fft",
    "layers": "penstock.layers",
    "linalg": "penstock.functions.linalg",
    "policies": "penstock.layers.policies",
    "segments": "penstock.functions.segments",
    "special": "penstock.functions.special",
}
_LATER = {
    "contract": "penstock.flow.contract",
    "explain": "penstock.flow.explain",
    "ledger": "penstock.flow.ledger",
    **dict.fromkeys(("cond", "map", "scan", "while_loop"), "penstock.functions.control"),
    "vmap": "penstock.functions.vmap",
    **dict.fromkeys(("checkpoint", "custom_gradient", "straight_through"), "penstock.grad.custom"),
    **dict.fromkeys(
        ("clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm"),
        "penstock.optimizers.clipping",
    ),
    **dict.fromkeys(("load", "save"), "penstock.state.checkpoint"),
    **dict.fromkeys(("freeze", "unfreeze"), "penstock.state.freeze"),
}
"""Where to find what many programs do not need: imported when asked for, so that the package loads soon."""


def __getattr__(name: str) -> _Any:
    if name == "bfloat16":
        return _bfloat16()
    if name in _MODULES:
        value: _Any = _importlib.import_module(_MODULES[name])
    elif name in _LATER:
        value = getattr(_importlib.import_module(_LATER[name]), name)
    else:
        raise AttributeError(f"module 'penstock' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [  # noqa: F405
    *_array.__all__,
    # families of functions
    "fft", "linalg",
    # state and gradients
    "Absence", "GradientTape", "Rows", "Tensor", "Variable", "checkpoint", "custom_gradient", "explain",
    "grad", "hessian", "hvp", "jacobian", "jvp", "straight_through", "value_and_grad", "vjp",
    "clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm",
    # functions of functions
    "cond", "map", "scan", "vmap", "while_loop",
    # steps
    "contract", "freeze", "ledger", "load", "save", "step", "unfreeze",
    # parts
    "errors", "layers", "losses", "nn", "optimizers", "policies", "random", "segments", "special",
    # what the engine did
    "compilations", "trace_statistics", "wait",
    # dtypes
    "bfloat16", "bool", "complex128", "complex64", "float16", "float32", "float64", "int16", "int32",
    "int64", "int8", "uint16", "uint32", "uint64", "uint8",
]  # fmt: skip
