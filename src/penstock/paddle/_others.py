"""Functions whose module is imported when one is asked for, and second names of functions."""

from __future__ import annotations

import importlib
from typing import Any

LATER = {
    "_joining": (
        "argwhere", "as_strided", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes",
        "cartesian_prod", "column_stack", "combinations", "dsplit", "dstack", "hsplit", "hstack", "multiplex",
        "narrow", "permute", "ravel", "reduce_as", "row_stack", "tensor_split", "unflatten", "unfold",
        "vander", "vsplit", "vstack",
    ),
    "_statistics": (
        "cdist", "cumulative_trapezoid", "histogram_bin_edges", "mode", "nanmedian", "nanquantile", "pdist",
        "quantile", "trapezoid",
    ),
    "_numbers": (
        "as_complex", "as_real", "baddbmm", "binomial", "frexp", "gammainc", "gammaincc", "gcd", "isin",
        "isneginf", "isposinf", "isreal", "lcm", "ldexp", "log_normal", "logspace", "msort", "multigammaln",
        "poisson", "polar", "positive", "rand_like", "randint_like", "randn_like", "renorm", "shard_index",
        "sinc", "standard_gamma", "vecdot",
    ),
    "_placing": (
        "diagonal_scatter", "index_put", "masked_scatter", "scatter_add", "scatter_reduce", "select_scatter",
        "slice_scatter",
    ),
    "_matrices": ("matrix_transpose",),
    "_filling": (
        "apply", "apply_", "as_tensor", "asarray", "bernoulli_", "cauchy_", "exponential_",
        "fill_diagonal_", "fill_diagonal_tensor", "gaussian_", "geometric_", "get_strides",
        "is_contiguous", "is_same_shape", "log_normal_", "new_empty", "new_full", "new_ones",
        "new_zeros", "random_", "range", "repeat", "requires_grad_", "resize_", "set_",
        "split_with_sizes", "stride", "type_as", "where_",
    ),
    "_factoring": (
        "eig", "eigvals", "householder_product", "lu", "lu_unpack", "ormqr", "pca_lowrank", "svd_lowrank",
    ),
    "_listing": ("array_length", "array_read", "array_write", "create_array", "create_tensor"),
    "_histograms": ("histogramdd",),
    "_limits": ("finfo", "iinfo"),
    "_compatible": (
        "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor",
        "HalfTensor", "IntTensor", "LazyGuard", "LongTensor", "ShortTensor", "adaptive_avg_pool1d",
        "autocast", "cdouble", "cfloat", "conv1d", "conv2d", "conv3d", "double", "float",
        "from_dlpack", "group_norm", "half", "layer_norm", "softmax", "to_dlpack",
    ),
    "_randomness": (
        "Generator", "get_cuda_rng_state", "get_rng_state", "manual_seed", "set_cuda_rng_state",
        "set_rng_state",
    ),
}  # fmt: skip
SAME = {
    "bitwise_invert": "bitwise_not", "cat": "concat", "clamp": "clip", "concatenate": "concat",
    "div": "divide", "eq": "equal", "ge": "greater_equal", "ger": "outer", "greater": "greater_than",
    "gt": "greater_than", "le": "less_equal", "less": "less_than", "lt": "less_than", "mul": "multiply",
    "ne": "not_equal", "negative": "neg", "reverse": "flip", "sgn": "sign", "sub": "subtract",
    "swapdims": "swapaxes", "take_along_dim": "take_along_axis", "true_divide": "divide",
    "view_as_complex": "as_complex", "view_as_real": "as_real",
}  # fmt: skip
"""Second names of functions."""
NAMES = [*(name for names in LATER.values() for name in names), *SAME]
_OF_LINALG = (
    "cholesky_inverse", "cholesky_solve", "cond", "corrcoef", "cov", "eigvalsh", "lstsq", "multi_dot", "pinv",
    "qr", "slogdet", "solve",
)  # fmt: skip
_OF_ALL = (
    "add_n", "atan2", "broadcast_shape", "broadcast_tensors", "concat", "diag", "diagflat", "gammaln", "i0e",
    "i1", "i1e", "increment", "is_integer", "is_tensor", "multinomial", "nextafter", "polygamma",
    "scatter_nd", "stack", "stanh", "where",
)  # fmt: skip
_NO_METHODS = ("_limits", "_compatible", "_randomness")
METHODS = frozenset([*NAMES, *_OF_LINALG, *_OF_ALL]) - {
    *(name for module in _NO_METHODS for name in LATER[module]),
    "as_tensor", "asarray", "array_length", "array_read", "array_write", "create_array", "gaussian_", "range",
    "cartesian_prod", "cat", "column_stack", "concatenate",
    "dstack", "hstack", "logspace", "log_normal", "poisson", "row_stack", "standard_gamma",
    "binomial", "vstack",
}  # fmt: skip
"""The functions that tensors have as methods."""


def named(name: str) -> Any:
    """Returns the function of this name, or None."""
    name = SAME.get(name, name)
    for module, names in LATER.items():
        if name in names:
            return getattr(importlib.import_module(f"penstock.paddle.{module}"), name)
    from penstock import paddle

    if name in _OF_LINALG:
        return getattr(paddle.linalg, name)
    return vars(paddle).get(name) if name in SAME.values() or name in _OF_ALL else None


__all__ = ["LATER", "METHODS", "NAMES", "SAME", "named"]
