"""Penstock: automatic differentiation and training steps that say which variables they change, and why."""

import typing as _typing

import numpy as _numpy

from penstock import errors
from penstock.flow import hooks as _hooks  # noqa: F401  (tells the rooms below what to ask)
from penstock.functions import array as _array
from penstock.functions import keys as _keys  # noqa: F401  (are part of checkpoints)
from penstock.functions import methods as _methods  # noqa: F401  (gives them to tensors)
from penstock.functions import operators as _operators  # noqa: F401  (gives them to tensors)
from penstock.functions.array import __array_api_version__ as __array_api_version__
from penstock.grad.tape import GradientTape
from penstock.lazy import later as _later
from penstock.state.variable import Variable
from penstock.tiers.completion import wait
from penstock.trace.tensor import Tensor
from penstock.trace.tracebacks import install as _install_tracebacks

if _typing.TYPE_CHECKING:
    from penstock import distribution, layers, metrics, optimizers, training
    from penstock.capture.export import export
    from penstock.capture.steps import step
    from penstock.flow.absence import Absence
    from penstock.flow.contract import contract
    from penstock.flow.explain import explain
    from penstock.flow.ledger import ledger
    from penstock.flow.progress import Progress
    from penstock.functions import fft, linalg, losses, nn, random, segments, special
    from penstock.functions.bfloat16 import bfloat16
    from penstock.functions.control import cond, map, scan, while_loop
    from penstock.functions.creation import *  # noqa: F403
    from penstock.functions.datatypes import *  # noqa: F403
    from penstock.functions.einsum import *  # noqa: F403
    from penstock.functions.elementwise import *  # noqa: F403
    from penstock.functions.inspection import __array_namespace_info__ as __array_namespace_info__
    from penstock.functions.interpolation import *  # noqa: F403
    from penstock.functions.manipulation import *  # noqa: F403
    from penstock.functions.ordering import *  # noqa: F403
    from penstock.functions.prefetching import prefetch
    from penstock.functions.products import *  # noqa: F403
    from penstock.functions.quantiles import *  # noqa: F403
    from penstock.functions.statistics import *  # noqa: F403
    from penstock.functions.vmap import vmap
    from penstock.grad.custom import checkpoint, custom_gradient, straight_through
    from penstock.grad.functional import (
        batch_jacobian,
        grad,
        hessian,
        hvp,
        jacobian,
        jvp,
        value_and_grad,
        vjp,
    )
    from penstock.grad.rows import Rows
    from penstock.layers import policies
    from penstock.optimizers.clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
    from penstock.state.checkpoint import load, save
    from penstock.state.freeze import freeze, unfreeze
    from penstock.tiers.statistics import compilations, trace_statistics
    from penstock.trace.kinds import register_structure
    from penstock.watching import watch
else:
    # The imports above have bound this name to the module, which would hide the function.
    globals().pop("grad", None)
    __getattr__, __dir__ = _later(
        __name__,
        {
            **_array.FAMILIES,
            "penstock": "distribution layers metrics optimizers training",
            "penstock.capture.export": "export",
            "penstock.capture.steps": "step",
            "penstock.flow.contract": "contract",
            "penstock.flow.explain": "explain",
            "penstock.flow.ledger": "ledger",
            "penstock.flow.progress": "Progress",
            "penstock.functions": "fft linalg losses nn random segments special",
            "penstock.functions.control": "cond map scan while_loop",
            "penstock.functions.bfloat16": "bfloat16",
            "penstock.functions.prefetching": "prefetch",
            "penstock.functions.vmap": "vmap",
            "penstock.flow.absence": "Absence",
            "penstock.grad.custom": "checkpoint custom_gradient straight_through",
            "penstock.grad.functional": "batch_jacobian grad hessian hvp jacobian jvp value_and_grad vjp",
            "penstock.grad.rows": "Rows",
            "penstock.layers": "policies",
            "penstock.optimizers.clipping": "clip_by_global_norm clip_by_norm clip_by_value global_norm",
            "penstock.state.checkpoint": "load save",
            "penstock.state.freeze": "freeze unfreeze",
            "penstock.tiers.statistics": "compilations trace_statistics",
            "penstock.trace.kinds": "register_structure",
            "penstock.watching": "watch",
        },
    )

__version__ = "0.1.0"
_install_tracebacks()


def load_ipython_extension(shell: _typing.Any) -> None:
    """Called by `%load_ext penstock` in a notebook: see penstock/magic.py."""
    from penstock.magic import load_ipython_extension as load

    load(shell)


e, inf, nan, pi, newaxis = _array.e, _array.inf, _array.nan, _array.pi, _array.newaxis

bool = _numpy.dtype("bool")
int8, int16, int32, int64 = [_numpy.dtype(_one) for _one in ("int8", "int16", "int32", "int64")]
uint8, uint16, uint32, uint64 = [_numpy.dtype(_one) for _one in ("uint8", "uint16", "uint32", "uint64")]
float16, float32, float64 = [_numpy.dtype(_one) for _one in ("float16", "float32", "float64")]
complex64, complex128 = [_numpy.dtype(_one) for _one in ("complex64", "complex128")]

__all__ = [
    *_array.__all__,
    # families of functions
    "fft", "linalg",
    # state and gradients
    "Absence", "GradientTape", "Rows", "Tensor", "Variable", "batch_jacobian", "checkpoint",
    "custom_gradient", "explain", "grad", "hessian", "hvp", "jacobian", "jvp", "straight_through",
    "value_and_grad", "vjp",
    "clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm",
    # functions of functions
    "cond", "map", "scan", "vmap", "while_loop",
    # steps
    "Progress", "contract", "export", "freeze", "ledger", "load", "prefetch", "register_structure", "save",
    "step", "unfreeze", "watch",
    # parts
    "distribution", "errors", "layers", "losses", "metrics", "nn", "optimizers", "policies", "random",
    "segments", "special", "training",
    # what the engine did
    "compilations", "trace_statistics", "wait",
    # dtypes
    "bfloat16", "bool", "complex128", "complex64", "float16", "float32", "float64", "int16", "int32",
    "int64", "int8", "uint16", "uint32", "uint64", "uint8",
]  # fmt: skip
