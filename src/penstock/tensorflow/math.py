"""tf.math: the names."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._elementwise import (
    abs,
    add,
    add_n,
    atan2,
    ceil,
    cos,
    divide,
    divide_no_nan,
    equal,
    exp,
    expm1,
    floor,
    floordiv,
    floormod,
    greater,
    greater_equal,
    is_finite,
    is_inf,
    is_nan,
    less,
    less_equal,
    log,
    log1p,
    log_sigmoid,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    mod,
    multiply,
    negative,
    not_equal,
    pow,
    reciprocal,
    round,
    rsqrt,
    sigmoid,
    sign,
    sin,
    softplus,
    sqrt,
    square,
    squared_difference,
    subtract,
    tan,
    tanh,
    truediv,
)
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._reductions import (
    argmax,
    argmin,
    l2_normalize,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_std,
    reduce_sum,
    reduce_variance,
)
from penstock.tensorflow.nn import log_softmax, softmax, softsign, zero_fraction


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.math", name, __all__)


__all__ = [name for name in dir() if not name.startswith("_") and name not in ("annotations", "Any")]
