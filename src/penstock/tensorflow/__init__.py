"""TensorFlow 2's names over Penstock.

Use them as `from penstock import tensorflow as tf`, or run a script by `penstock run --as tensorflow`. Files
whose name begins with an underscore define what the names mean; the others are TensorFlow's own modules.
"""

from __future__ import annotations

import importlib
from typing import Any

from penstock.tensorflow import (
    autodiff,
    compat,
    config,
    data,
    debugging,
    dtypes,
    errors,
    image,
    keras,
    linalg,
    math,
    nest,
    nn,
    random,
    summary,
)
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
from penstock.tensorflow._ordering import (
    argsort,
    cumsum,
    histogram_fixed_width,
    searchsorted,
    sort,
    unique,
    unique_with_counts,
)
from penstock.tensorflow._printing import (
    print,
)
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
from penstock.tensorflow._scatter import (
    dynamic_partition,
    dynamic_stitch,
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from penstock.tensorflow._shape_functions import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    case,
    einsum,
    ensure_shape,
    foldl,
    foldr,
    get_static_value,
    identity_n,
    meshgrid,
    numpy_function,
    parallel_stack,
    py_function,
    repeat,
    reverse_sequence,
    roll,
    sequence_mask,
    shape_n,
    strided_slice,
    switch_case,
    timestamp,
    unravel_index,
)
from penstock.tensorflow._special import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    complex,
    cosh,
    saturate_cast,
    scalar_mul,
    sinh,
    truncatediv,
    truncatemod,
)
from penstock.tensorflow._tape import GradientTape, IndexedSlices, UnconnectedGradients
from penstock.tensorflow._tensor import EagerTensor as Tensor
from penstock.tensorflow._tensor_array import (
    TensorArray,
)
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.tensorflow._variable import ResourceVariable as Variable
from penstock.tensorflow.debugging import (
    Assert,
    assert_equal,
    assert_greater,
    assert_less,
    assert_rank,
)
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
realdiv = truediv
zeros_initializer, ones_initializer = initializers.Zeros, initializers.Ones
constant_initializer = initializers.Constant
random_normal_initializer = initializers.RandomNormal
random_uniform_initializer = initializers.RandomUniform


def is_tensor(x: Any) -> Any:
    """Returns whether x is a tensor or a variable."""
    return isinstance(x, _NativeTensor | _Cell | IndexedSlices | Variable)


_BUILDING = (
    "Graph", "Operation", "control_dependencies", "device", "gradients", "group", "name_scope", "no_op",
)  # fmt: skip
"""Names of graphs in TensorFlow 1 and 2; few programs need them, so they are imported on first use."""


_LATER = (
    "autograph", "bitwise", "distribute", "io", "lookup", "saved_model", "signal", "sparse", "strings",
    "train", "version",
)  # fmt: skip
"""Modules that not every program needs: imported on first use."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    if name == "string":
        return as_dtype("string")
    if name == "SparseTensor":
        return importlib.import_module(f"{__name__}.sparse").SparseTensor
    if name in ("get_logger", "init_scope", "inside_function"):
        return getattr(importlib.import_module(f"{__name__}._modes"), name)
    if name == "as_string":
        return importlib.import_module(f"{__name__}.strings").as_string
    if name == "bfloat16":
        return dtypes.bfloat16
    if name in _BUILDING:
        return getattr(importlib.import_module("penstock.tensorflow.compat.v1"), name)
    raise _absent("tensorflow", name, __all__)


__all__ = [
    "Assert",
    "DType",
    "GradientTape",
    "IndexedSlices",
    "Module",
    "Tensor",
    "TensorArray",
    "TensorShape",
    "TensorSpec",
    "UnconnectedGradients",
    "Variable",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_less",
    "assert_rank",
    "atan",
    "atan2",
    "atanh",
    "autodiff",
    "bool",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "compat",
    "complex",
    "complex64",
    "complex128",
    "concat",
    "cond",
    "config",
    "constant",
    "convert_to_tensor",
    "cos",
    "cosh",
    "cumsum",
    "custom_gradient",
    "data",
    "debugging",
    "divide",
    "double",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "einsum",
    "ensure_shape",
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
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_static_value",
    "grad_pass_through",
    "greater",
    "greater_equal",
    "half",
    "histogram_fixed_width",
    "identity",
    "identity_n",
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
    "meshgrid",
    "metrics",
    "minimum",
    "multiply",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_like",
    "optimizers",
    "pad",
    "parallel_stack",
    "pow",
    "print",
    "py_function",
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
    "repeat",
    "reshape",
    "reverse",
    "reverse_sequence",
    "roll",
    "round",
    "saturate_cast",
    "scalar_mul",
    "scan",
    "scatter_nd",
    "searchsorted",
    "sequence_mask",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "subtract",
    "summary",
    "switch_case",
    "tan",
    "tanh",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensordot",
    "tile",
    "timestamp",
    "transpose",
    "truediv",
    "truncatediv",
    "truncatemod",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unstack",
    "vectorized_map",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]
