"""PaddlePaddle's names over Penstock.

Use them as `from penstock import paddle`, or run a script by `penstock run --as paddle`. Files whose name
begins with an underscore define what the names mean; the others are Paddle's own modules.
"""

from __future__ import annotations

import builtins
import importlib as _importlib
import sys as _sys
from typing import Any

import numpy as _np

from penstock.paddle import _methods as _methods
from penstock.paddle import _others as _others
from penstock.paddle import (
    autograd,
    callbacks,
    device,
    distribution,
    io,
    jit,
    linalg,
    metric,
    nn,
    optimizer,
    regularizer,
)
from penstock.paddle import random as random
from penstock.paddle._creation import (
    ParamAttr,
    arange,
    assign,
    bernoulli,
    clone,
    create_parameter,
    empty,
    empty_like,
    eye,
    full,
    full_like,
    gaussian,
    increment,
    linspace,
    multinomial,
    normal,
    ones,
    ones_like,
    rand,
    randint,
    randn,
    randperm,
    seed,
    standard_normal,
    to_tensor,
    uniform,
    zeros,
    zeros_like,
)
from penstock.paddle._dtype import (
    bfloat16,
    bool,
    complex64,
    complex128,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from penstock.paddle._grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from penstock.paddle._gradients import grad
from penstock.paddle._manipulation import (
    argsort,
    broadcast_to,
    chunk,
    concat,
    expand,
    expand_as,
    flatten,
    flip,
    gather,
    gather_nd,
    index_select,
    masked_fill,
    masked_select,
    meshgrid,
    moveaxis,
    nonzero,
    reshape,
    roll,
    shape,
    sort,
    split,
    squeeze,
    stack,
    swapaxes,
    take_along_axis,
    tile,
    topk,
    transpose,
    tril,
    triu,
    unbind,
    unique,
    unique_consecutive,
    unsqueeze,
    unstack,
    view,
)
from penstock.paddle._math import (
    abs,
    acos,
    add,
    add_n,
    all,
    allclose,
    amax,
    amin,
    any,
    argmax,
    argmin,
    asin,
    atan,
    atan2,
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    bmm,
    cast,
    ceil,
    clip,
    cos,
    cosh,
    cumsum,
    divide,
    dot,
    equal,
    equal_all,
    erf,
    exp,
    expm1,
    floor,
    floor_divide,
    floor_mod,
    fmax,
    fmin,
    greater_equal,
    greater_than,
    is_tensor,
    isclose,
    isfinite,
    isinf,
    isnan,
    less_equal,
    less_than,
    log,
    log1p,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    logsumexp,
    matmul,
    max,
    maximum,
    mean,
    min,
    minimum,
    mm,
    mod,
    multiply,
    neg,
    norm,
    not_equal,
    numel,
    outer,
    pow,
    prod,
    rank,
    reciprocal,
    remainder,
    round,
    rsqrt,
    scale,
    sign,
    sin,
    sinh,
    sqrt,
    square,
    std,
    subtract,
    sum,
    t,
    tan,
    tanh,
    trunc,
    var,
    where,
)
from penstock.paddle._matrices import (
    addmm,
    cholesky,
    cross,
    diag,
    diag_embed,
    diagflat,
    diagonal,
    dist,
    einsum,
    inner,
    inverse,
    kron,
    mv,
    tensordot,
    trace,
)
from penstock.paddle._mode import mode as _mode
from penstock.paddle._model import Model
from penstock.paddle._names import absent as _absent
from penstock.paddle._printing import set_printoptions
from penstock.paddle._saving import load, save
from penstock.paddle._selecting import (
    bincount,
    broadcast_shape,
    broadcast_tensors,
    bucketize,
    count_nonzero,
    crop,
    cummax,
    cummin,
    cumprod,
    diff,
    histogram,
    index_add,
    index_fill,
    index_sample,
    is_empty,
    kthvalue,
    logcumsumexp,
    median,
    nanmean,
    nansum,
    put_along_axis,
    repeat_interleave,
    rot90,
    scatter,
    scatter_nd,
    scatter_nd_add,
    searchsorted,
    slice,
    strided_slice,
    take,
    tolist,
    tril_indices,
    triu_indices,
    view_as,
)
from penstock.paddle._shape import CPUPlace, CUDAPinnedPlace, CUDAPlace, Size
from penstock.paddle._special import (
    acosh,
    angle,
    asinh,
    atanh,
    complex,
    conj,
    copysign,
    deg2rad,
    digamma,
    erfinv,
    frac,
    gammaln,
    heaviside,
    hypot,
    i0,
    i0e,
    i1,
    i1e,
    imag,
    is_complex,
    lerp,
    lgamma,
    log2,
    log10,
    logaddexp,
    logit,
    nan_to_num,
    nextafter,
    polygamma,
    rad2deg,
    real,
    signbit,
    stanh,
)
from penstock.paddle._summary import summary
from penstock.paddle._tensor import Tensor
from penstock.paddle.device import (
    get_device,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_distribute,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
    set_device,
)

__version__, __git_commit__ = "3.3.1", ""
newaxis = None
inf, nan, pi, e = _np.inf, _np.nan, _np.pi, _np.e


def in_dynamic_mode() -> Any:
    """Returns whether calls are made at once, as they are unless `enable_static` was called."""
    return not _mode.builds()


def enable_static() -> None:
    """Writes calls down in static programs from here on, which a `paddle.static.Executor` runs."""
    from penstock.paddle.static._building import enable

    lazy = (_sys.modules.get(f"{__name__}.{one}") for one in ("fft", "signal", "vision.ops"))
    enable([_sys.modules[__name__], nn.functional, linalg, metric, *(one for one in lazy if one)])


def disable_static(place: Any = None) -> None:
    """Makes calls at once again, at whichever `place`: that is the mode unless `enable_static` was called."""
    if _mode.static:
        from penstock.paddle.static._building import disable

        disable()


def is_floating_point(x: Any) -> Any:
    """Returns whether a tensor's elements are real numbers with a fraction."""
    return x._spec.dtype.kind in "fV"


def is_integer(x: Any) -> Any:
    """Returns whether a tensor's elements are whole numbers."""
    return x._spec.dtype.kind in "iu"


def disable_signal_handler() -> None:
    """Does nothing: there are none."""


def batch(reader: Any, batch_size: int, drop_last: builtins.bool = False) -> Any:
    """Returns a reader, a function without arguments that gives items, of lists of items."""

    def batches() -> Any:
        held = []
        for one in reader():
            held.append(one)
            if len(held) == batch_size:
                yield held
                held = []
        if held and not drop_last:
            yield held

    return batches


class DataParallel(nn.Layer):
    """A layer as it is, under the name that training on several machines gives it; `options` do nothing."""

    def __init__(self, layers: Any, **options: Any) -> None:
        super().__init__()
        self._layers = layers

    def forward(self, *inputs: Any, **options: Any) -> Any:
        """Calls the layer."""
        return self._layers(*inputs, **options)


def from_numpy(ndarray: Any) -> Any:
    """Returns an array as a tensor; the tensor has a copy of it."""
    return to_tensor(ndarray)


def get_flags(flags: Any) -> dict[str, Any]:
    """Returns no flags, whichever `flags` are asked for: there are none."""
    return {}


def set_flags(flags: Any) -> None:
    """Does nothing: there are no `flags`."""


__all__ = [
    "CPUPlace",
    "CUDAPinnedPlace",
    "CUDAPlace",
    "DataParallel",
    "Model",
    "ParamAttr",
    "Size",
    "Tensor",
    "abs",
    "acos",
    "acosh",
    "add",
    "add_n",
    "addmm",
    "all",
    "allclose",
    "amax",
    "amin",
    "amp",
    "angle",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "asinh",
    "assign",
    "atan",
    "atan2",
    "atanh",
    "autograd",
    "batch",
    "bernoulli",
    "bfloat16",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bmm",
    "bool",
    "broadcast_shape",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "callbacks",
    "cast",
    "ceil",
    "cholesky",
    "chunk",
    "clip",
    "clone",
    "complex",
    "complex64",
    "complex128",
    "concat",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "create_parameter",
    "crop",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "deg2rad",
    "device",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diff",
    "digamma",
    "disable_signal_handler",
    "disable_static",
    "dist",
    "distribution",
    "divide",
    "dot",
    "dtype",
    "e",
    "einsum",
    "empty",
    "empty_like",
    "enable_grad",
    "enable_static",
    "equal",
    "equal_all",
    "erf",
    "erfinv",
    "exp",
    "expand",
    "expand_as",
    "expm1",
    "eye",
    "flatten",
    "flip",
    "float16",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "floor_mod",
    "fmax",
    "fmin",
    "frac",
    "full",
    "full_like",
    "gammaln",
    "gather",
    "gather_nd",
    "gaussian",
    "get_default_dtype",
    "get_device",
    "get_flags",
    "grad",
    "greater_equal",
    "greater_than",
    "heaviside",
    "histogram",
    "hypot",
    "i0",
    "i0e",
    "i1",
    "i1e",
    "imag",
    "in_dynamic_mode",
    "increment",
    "index_add",
    "index_fill",
    "index_sample",
    "index_select",
    "inf",
    "inner",
    "int8",
    "int16",
    "int32",
    "int64",
    "inverse",
    "io",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_distribute",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "is_complex",
    "is_empty",
    "is_floating_point",
    "is_grad_enabled",
    "is_integer",
    "is_tensor",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "jit",
    "kron",
    "kthvalue",
    "lerp",
    "less_equal",
    "less_than",
    "lgamma",
    "linalg",
    "linspace",
    "load",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logcumsumexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logsumexp",
    "masked_fill",
    "masked_select",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "metric",
    "min",
    "minimum",
    "mm",
    "mod",
    "moveaxis",
    "multinomial",
    "multiply",
    "mv",
    "nan",
    "nan_to_num",
    "nanmean",
    "nansum",
    "neg",
    "newaxis",
    "nextafter",
    "nn",
    "no_grad",
    "nonzero",
    "norm",
    "normal",
    "not_equal",
    "numel",
    "ones",
    "ones_like",
    "optimizer",
    "outer",
    "pi",
    "polygamma",
    "pow",
    "prod",
    "put_along_axis",
    "rad2deg",
    "rand",
    "randint",
    "randn",
    "random",
    "randperm",
    "rank",
    "real",
    "reciprocal",
    "regularizer",
    "remainder",
    "repeat_interleave",
    "reshape",
    "roll",
    "rot90",
    "round",
    "rsqrt",
    "save",
    "scale",
    "scatter",
    "scatter_nd",
    "scatter_nd_add",
    "searchsorted",
    "seed",
    "set_default_dtype",
    "set_device",
    "set_flags",
    "set_grad_enabled",
    "set_printoptions",
    "shape",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "slice",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "standard_normal",
    "stanh",
    "std",
    "strided_slice",
    "subtract",
    "sum",
    "summary",
    "swapaxes",
    "t",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "to_tensor",
    "tolist",
    "topk",
    "trace",
    "transpose",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "trunc",
    "uint8",
    "unbind",
    "uniform",
    "unique",
    "unique_consecutive",
    "unsqueeze",
    "unstack",
    "var",
    "view",
    "view_as",
    "where",
    "zeros",
    "zeros_like",
]


__all__ += ["from_numpy", *_others.NAMES]
_MODULES = frozenset(
    [
        "amp",
        "base",
        "distributed",
        "fft",
        "framework",
        "profiler",
        "signal",
        "static",
        "sysconfig",
        "tensor",
        "text",
        "utils",
        "version",
        "vision",
    ]
)
"""Modules that few programs ask for: they are imported when one does."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return _importlib.import_module(f"penstock.paddle.{name}")
    if name.endswith("_") and not name.startswith("_") and _methods.in_place(name):
        # The methods that change a tensor, as functions of it.
        return getattr(Tensor, name)
    found = _others.named(name)
    if found is not None:
        return found
    raise _absent("paddle", name, __all__)
