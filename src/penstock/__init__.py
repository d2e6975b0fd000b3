"""Penstock: automatic differentiation and training steps that say which variables they change, and why."""

import numpy as _numpy

from penstock import errors, optimizers
from penstock.capture import repeat, step
from penstock.flow.contract import contract
from penstock.flow.explain import explain
from penstock.flow.ledger import ledger
from penstock.functions import array as _array
from penstock.functions import losses, nn, random
from penstock.functions.array import *  # noqa: F403
from penstock.grad.absence import Absence
from penstock.grad.functional import grad, value_and_grad
from penstock.grad.rows import Rows
from penstock.grad.tape import GradientTape
from penstock.optimizers.clipping import clip_by_global_norm, clip_by_norm, clip_by_value, global_norm
from penstock.state.checkpoint import load, save
from penstock.state.freeze import freeze, unfreeze
from penstock.state.variable import Variable
from penstock.tiers.plan import wait
from penstock.tiers.statistics import compilations, trace_statistics
from penstock.trace.tensor import Tensor

__version__ = "0.1.0"

bool = _numpy.dtype("bool")
int8, int16, int32, int64 = map(_numpy.dtype, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(_numpy.dtype, ("uint8", "uint16", "uint32", "uint64"))
float16, float32, float64 = map(_numpy.dtype, ("float16", "float32", "float64"))
complex64, complex128 = map(_numpy.dtype, ("complex64", "complex128"))

__all__ = [
    *_array.__all__,
    # state and gradients
    "Absence", "GradientTape", "Rows", "Tensor", "Variable", "explain", "grad", "value_and_grad",
    "clip_by_global_norm", "clip_by_norm", "clip_by_value", "global_norm",
    # steps
    "contract", "freeze", "ledger", "load", "repeat", "save", "step", "unfreeze",
    # parts
    "errors", "losses", "nn", "optimizers", "random",
    # what the engine did
    "compilations", "trace_statistics", "wait",
    # dtypes
    "bool", "complex128", "complex64", "float16", "float32", "float64", "int16", "int32", "int64", "int8",
    "uint16", "uint32", "uint64", "uint8",
]  # fmt: skip
