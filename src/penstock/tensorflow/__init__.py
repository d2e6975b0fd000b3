"""TensorFlow 2's names over Penstock.

Use them as `from penstock import tensorflow as tf`, or run a script by `penstock run --as tensorflow`. Files
whose name begins with an underscore define what the names mean; the others are TensorFlow's own modules.
"""

from __future__ import annotations

import importlib
from typing import Any

from penstock.tensorflow import autodiff, compat, data, dtypes, errors, image, keras, linalg, math, nn, random
from penstock.tensorflow._arrays import (
    boolean_mask,
    broadcast_to,
    clip_by_value,
    concat,
    expand_dims,
    eye,
    fill,
    gather,
    gather_nd,
    identity,
    linspace,
    one_hot,
    ones,
    ones_like,
    pad,
    range,
    rank,
    reshape,
    reverse,
    shape,
    size,
    slice,
    split,
    squeeze,
    stack,
    stop_gradient,
    tile,
    transpose,
    unstack,
    where,
    zeros,
    zeros_like,
)
from penstock.tensorflow._clipping import clip_by_global_norm, clip_by_norm
from penstock.tensorflow._control import cond, map_fn, scan, vectorized_map, while_loop
from penstock.tensorflow._convert import constant, convert_to_tensor
from penstock.tensorflow._custom import custom_gradient, grad_pass_through, recompute_grad
from penstock.tensorflow._elementwise import (
    abs,
    add,
    add_n,
    atan2,
    cast,
    cos,
    divide,
    equal,
    exp,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multiply,
    negative,
    not_equal,
    pow,
    round,
    sigmoid,
    sign,
    sin,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    truediv,
)
from penstock.tensorflow._function import TensorSpec, executing_eagerly, function
from penstock.tensorflow._module import Module
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._reductions import (
    argmax,
    argmin,
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from penstock.tensorflow._shape import TensorShape
from penstock.tensorflow._tape import GradientTape, IndexedSlices, UnconnectedGradients
from penstock.tensorflow._tensor import EagerTensor as Tensor
from penstock.tensorflow._variable import ResourceVariable as Variable
from penstock.tensorflow.dtypes import (
    DType,
    as_dtype,
    bool,
    complex64,
    complex128,
    double,
    float16,
    float32,
    float64,
    half,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from penstock.tensorflow.keras import initializers, losses, metrics, optimizers
from penstock.tensorflow.linalg import matmul, norm, tensordot
from penstock.trace.tensor import Cell as _Cell
from penstock.trace.tensor import Tensor as _NativeTensor

__version__ = "2.21.0"
newaxis = None


def is_tensor(x: Any) -> Any:
    """Returns whether x is a tensor or a variable."""
    return isinstance(x, _NativeTensor | _Cell | IndexedSlices | Variable)


_BUILDING = (
    "Graph", "Operation", "control_dependencies", "device", "gradients", "group", "name_scope", "no_op",
)  # fmt: skip
"""Names of both ages that speak of graphs; few programs need them, so they are imported when asked for."""


def __getattr__(name: str) -> Any:
    if name == "bfloat16":
        return dtypes.bfloat16
    if name in _BUILDING:
        return getattr(importlib.import_module("penstock.tensorflow.compat.v1"), name)
    raise _absent("tensorflow", name, __all__)


__all__ = [
    "DType",
    "GradientTape",
    "IndexedSlices",
    "Module",
    "Tensor",
    "TensorShape",
    "TensorSpec",
    "UnconnectedGradients",
    "Variable",
    "abs",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "as_dtype",
    "atan2",
    "autodiff",
    "bool",
    "boolean_mask",
    "broadcast_to",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "compat",
    "complex64",
    "complex128",
    "concat",
    "cond",
    "constant",
    "convert_to_tensor",
    "cos",
    "custom_gradient",
    "data",
    "divide",
    "double",
    "dtypes",
    "equal",
    "errors",
    "executing_eagerly",
    "exp",
    "expand_dims",
    "eye",
    "fill",
    "float16",
    "float32",
    "float64",
    "floor",
    "function",
    "gather",
    "gather_nd",
    "grad_pass_through",
    "greater",
    "greater_equal",
    "half",
    "identity",
    "image",
    "initializers",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_tensor",
    "keras",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "logical_and",
    "logical_not",
    "logical_or",
    "losses",
    "map_fn",
    "math",
    "matmul",
    "maximum",
    "metrics",
    "minimum",
    "multiply",
    "negative",
    "newaxis",
    "nn",
    "norm",
    "not_equal",
    "one_hot",
    "ones",
    "ones_like",
    "optimizers",
    "pad",
    "pow",
    "random",
    "range",
    "rank",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "reshape",
    "reverse",
    "round",
    "scan",
    "shape",
    "sigmoid",
    "sign",
    "sin",
    "size",
    "slice",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "subtract",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "transpose",
    "truediv",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unstack",
    "vectorized_map",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]
