"""PaddlePaddle's names over Penstock.

Use them as `from penstock import paddle`, or run a script by `penstock run --as paddle`. Files whose name
begins with an underscore define what the names mean; the others are Paddle's own modules.
"""

from __future__ import annotations

from typing import Any

import numpy as _np

from penstock.paddle import _methods as _installed
from penstock.paddle import device, io, linalg, metric, nn, optimizer, regularizer
from penstock.paddle import random as random
from penstock.paddle._autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from penstock.paddle._creation import (
    ParamAttr, arange, assign, bernoulli, clone, create_parameter, empty, empty_like, eye, full, full_like,
    gaussian, increment, linspace, multinomial, normal, ones, ones_like, rand, randint, randn, randperm, seed,
    standard_normal, to_tensor, uniform, zeros, zeros_like,
)  # fmt: skip
from penstock.paddle._dtype import (
    bfloat16, bool, complex64, complex128, dtype, float16, float32, float64, get_default_dtype, int8, int16,
    int32, int64, set_default_dtype, uint8,
)  # fmt: skip
from penstock.paddle._gradients import grad
from penstock.paddle._manipulation import (
    argsort, broadcast_to, chunk, concat, expand, expand_as, flatten, flip, gather, gather_nd, index_select,
    masked_fill, masked_select, meshgrid, moveaxis, nonzero, reshape, roll, shape, sort, split, squeeze, stack,
    take_along_axis, tile, topk, transpose, tril, triu, unbind, unique, unsqueeze, unstack,
)  # fmt: skip
from penstock.paddle._math import (
    abs, acos, add, add_n, all, allclose, amax, amin, any, argmax, argmin, asin, atan, atan2, bmm, cast, ceil,
    clip, cos, cosh, cumsum, divide, dot, equal, equal_all, erf, exp, expm1, floor, floor_divide, floor_mod,
    fmax, fmin, greater_equal, greater_than, is_tensor, isclose, isfinite, isinf, isnan, less_equal,
    less_than, log, log1p, logical_and, logical_not, logical_or, logical_xor, logsumexp, matmul, max, maximum,
    mean, min, minimum, mm, mod, multiply, neg, norm, not_equal, numel, outer, pow, prod, rank, reciprocal,
    remainder, round, rsqrt, scale, sign, sin, sinh, sqrt, square, std, subtract, sum, t, tan, tanh, trunc,
    var, where,
)  # fmt: skip
from penstock.paddle._math import sigmoid as _sigmoid
from penstock.paddle._names import absent as _absent
from penstock.paddle._printing import set_printoptions
from penstock.paddle._saving import load, save
from penstock.paddle._shape import CPUPlace, Size
from penstock.paddle._tensor import Tensor
from penstock.paddle.device import get_device, is_compiled_with_cuda, set_device

__version__ = "3.3.1"
newaxis = None
inf, nan, pi, e = _np.inf, _np.nan, _np.pi, _np.e


def in_dynamic_mode() -> Any:
    """Returns True: there is one mode."""
    return True


def disable_static(place: Any = None) -> None:
    """Does nothing: there is one mode, and it is the dynamic one."""


def is_floating_point(x: Any) -> Any:
    """Returns whether a tensor's elements are real numbers with a fraction."""
    return x._spec.dtype.kind in "fV"


def is_integer(x: Any) -> Any:
    """Returns whether a tensor's elements are whole numbers."""
    return x._spec.dtype.kind in "iu"


def get_flags(flags: Any) -> dict[str, Any]:
    """Returns no flags: there are none."""
    return {}


def set_flags(flags: Any) -> None:
    """Does nothing: there are no flags."""


__all__ = [
    name
    for name, _thing in list(globals().items())
    if not name.startswith("_") and name not in ("annotations", "Any")
]


def __getattr__(name: str) -> Any:
    raise _absent("paddle", name, __all__)
