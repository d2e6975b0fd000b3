"""Functions that Paddle fuses on a GPU; here they are composed of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle import _math
from penstock.paddle._convert import data, operand
from penstock.paddle._errors import NotThereError
from penstock.paddle._names import absent
from penstock.paddle.nn import functional as F
from penstock.trace.source_site import here


def softmax_mask_fuse(x: Any, mask: Any, name: Any = None) -> Any:
    """Returns softmax(x + mask) along the last axis."""
    return F.softmax(operand(x) + operand(mask))


def softmax_mask_fuse_upper_triangle(x: Any) -> Any:
    """Returns the softmax of each row up to the diagonal; zeros after it."""
    x = operand(x)
    rows, columns = x._spec.shape[-2:]
    behind = np.triu(np.ones((rows, columns), bool), 1)
    return F.softmax(_math.where(data(behind), data(np.asarray(-10000.0, x._spec.dtype)), x))


def fused_matmul_bias(
    x: Any, y: Any, bias: Any = None, transpose_x: bool = False, transpose_y: bool = False, name: Any = None
) -> Any:
    """Returns x @ y + bias; with `transpose_x` and `transpose_y` their last two axes change places first."""
    found = _math.matmul(x, y, transpose_x, transpose_y)
    return found if bias is None else found + bias


def fused_linear(
    x: Any, weight: Any, bias: Any = None, transpose_weight: bool = False, name: Any = None
) -> Any:
    """Returns x @ weight + bias."""
    return fused_matmul_bias(x, weight, bias, False, transpose_weight)


def fused_linear_activation(
    x: Any, y: Any, bias: Any, trans_x: bool = False, trans_y: bool = False, activation: str | None = None
) -> Any:
    """Returns x @ y + bias, with "relu", "gelu" or no activation applied to it."""
    found = fused_matmul_bias(x, y, bias, trans_x, trans_y)
    return found if activation in (None, "none") else getattr(F, str(activation))(found)


def fused_dropout_add(
    x: Any, y: Any, p: float = 0.5, training: bool = True, mode: str = "upscale_in_train", name: Any = None
) -> Any:
    """Returns dropout(x) + y."""
    return F.dropout(x, p, training=training, mode=mode) + y


def swiglu(x: Any, y: Any = None, name: Any = None) -> Any:
    """Returns silu(x) * y; without y, of the two halves of the last axis of x (Shazeer, 2020)."""
    if y is None:
        x, y = operand(x).chunk(2, -1)
    return F.silu(x) * y


def _unquantised(scale: float) -> None:
    if scale > 0:
        raise NotThereError(
            "Results that are quantised to integers are not supported.",
            remedy="Leave quant_scale out.",
            site=here(),
        )


def fused_rms_norm(
    x: Any, norm_weight: Any, norm_bias: Any, epsilon: float, begin_norm_axis: int, bias: Any = None,
    residual: Any = None, quant_scale: float = -1, quant_round_type: float = 0, quant_max_bound: float = 0,
    quant_min_bound: float = 0,
) -> Any:  # fmt: skip
    """Returns x over its root mean square along the axes from one on (Zhang and Sennrich, 2019), and None.

    `bias` and `residual` are added to x first; with a residual the sum is returned in the place of None. What
    is said of quantised results, `quant_round_type`, `quant_max_bound` and `quant_min_bound`, does nothing.
    """
    _unquantised(quant_scale)
    x = operand(x) if bias is None else operand(x) + bias
    x = x if residual is None else x + residual
    axes = list(range(begin_norm_axis % x._spec.ndim, x._spec.ndim))
    wide = x.astype("float32") if x._spec.dtype.itemsize < 4 else x
    found = wide * _math.rsqrt(_math.mean(_math.square(wide), axes, keepdim=True) + epsilon)
    found = found.astype(x._spec.dtype.name) * norm_weight.reshape([x._spec.shape[one] for one in axes])
    if norm_bias is not None:
        found = found + norm_bias.reshape([x._spec.shape[one] for one in axes])
    return found, None if residual is None else x


def fused_layer_norm(
    x: Any, norm_weight: Any, norm_bias: Any, epsilon: float, residual_alpha: float = 1.0,
    begin_norm_axis: int = 1, bias: Any = None, residual: Any = None, quant_scale: float = -1,
    quant_round_type: float = 0, quant_max_bound: float = 0, quant_min_bound: float = 0,
) -> Any:  # fmt: skip
    """Returns the layer norm of x over the axes from one on; with a residual, also its operand.

    `bias` and `residual_alpha` times `residual` are added to x first. What is said of quantised results,
    `quant_round_type`, `quant_max_bound` and `quant_min_bound`, does nothing.
    """
    _unquantised(quant_scale)
    x = operand(x) if bias is None else operand(x) + bias
    x = x if residual is None else x + residual * residual_alpha
    lengths = list(x._spec.shape[begin_norm_axis:])
    weight, shift = (None if one is None else one.reshape(lengths) for one in (norm_weight, norm_bias))
    found = F.layer_norm(x, lengths, weight, shift, epsilon)
    return found if residual is None else (found, x)


__all__ = [
    "fused_dropout_add", "fused_layer_norm", "fused_linear", "fused_linear_activation", "fused_matmul_bias",
    "fused_rms_norm", "softmax_mask_fuse", "softmax_mask_fuse_upper_triangle", "swiglu",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    raise absent("paddle.incubate.nn.functional", name, __all__)
