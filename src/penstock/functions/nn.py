"""Functions of neural networks: activations and normalised exponentials; convolution and pooling."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from penstock.functions.composite import composite
from penstock.lazy import later
from penstock.ops import pointwise, reduce
from penstock.ops.shape import reshape
from penstock.trace.tensor import Tensor

if TYPE_CHECKING:
    from penstock.functions.activations import celu as celu
    from penstock.functions.activations import glu as glu
    from penstock.functions.activations import hard_shrink as hard_shrink
    from penstock.functions.activations import hard_sigmoid as hard_sigmoid
    from penstock.functions.activations import hard_swish as hard_swish
    from penstock.functions.activations import hard_tanh as hard_tanh
    from penstock.functions.activations import log_sigmoid as log_sigmoid
    from penstock.functions.activations import mish as mish
    from penstock.functions.activations import prelu as prelu
    from penstock.functions.activations import soft_shrink as soft_shrink
    from penstock.functions.activations import squareplus as squareplus
    from penstock.functions.activations import tanh_shrink as tanh_shrink
    from penstock.functions.activations import threshold as threshold
    from penstock.functions.attention import attention as attention
    from penstock.functions.attention import dropout as dropout
    from penstock.functions.attention import embedding as embedding
    from penstock.functions.convolution import average_pool as average_pool
    from penstock.functions.convolution import conv as conv
    from penstock.functions.convolution import conv_transpose as conv_transpose
    from penstock.functions.convolution import depthwise_conv as depthwise_conv
    from penstock.functions.convolution import max_pool as max_pool
    from penstock.functions.normalization import batch_normalization as batch_normalization
    from penstock.functions.normalization import layer_normalization as layer_normalization
    from penstock.functions.normalization import rms_normalization as rms_normalization
    from penstock.functions.resize import group_normalization as group_normalization
    from penstock.functions.resize import l2_normalize as l2_normalize
    from penstock.functions.resize import pad as pad
    from penstock.functions.resize import resize as resize
else:
    __getattr__, __dir__ = later(
        __name__,
        {
            "penstock.functions.activations": """
                celu glu hard_shrink hard_sigmoid hard_swish hard_tanh log_sigmoid mish prelu soft_shrink
                squareplus tanh_shrink threshold
            """,
            "penstock.functions.attention": "attention dropout embedding",
            "penstock.functions.convolution": "average_pool conv conv_transpose depthwise_conv max_pool",
            "penstock.functions.normalization": """
                batch_normalization layer_normalization rms_normalization
            """,
            "penstock.functions.resize": "group_normalization l2_normalize pad resize",
        },
    )

_frame = sys._getframe


def relu(x: Any) -> Tensor:
    """Returns x where it is positive, 0 elsewhere; its slope at 0 is 0.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.relu(ps.asarray([-1.0, 2.0]))
    Tensor([0., 2.], dtype=float32)
    """
    return pointwise.relu.record((x,), {}, _frame(1))


def sigmoid(x: Any) -> Tensor:
    """Returns 1 / (1 + exp(-x)), without overflow.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.sigmoid(ps.asarray(0.0))
    Tensor(0.5, dtype=float32)
    """
    return pointwise.sigmoid.record((x,), {}, _frame(1))


def softplus(x: Any) -> Tensor:
    """Returns log(1 + exp(x)), without overflow.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.nn.softplus(ps.asarray(0.0))), 4)
    0.6931
    """
    return pointwise.softplus.record((x,), {}, _frame(1))


@composite(1, wide=True)
def leaky_relu(x: Any, negative_slope: float = 0.01) -> Tensor:
    """Returns x where it is positive, `negative_slope` times x elsewhere.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        negative_slope: the slope below 0, a number.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.leaky_relu(ps.asarray([-1.0, 2.0]), 0.5)
    Tensor([-0.5,  2. ], dtype=float32)
    """
    return pointwise.where(x > 0.0, x, x * negative_slope)


@composite(1)
def relu6(x: Any) -> Tensor:
    """Returns x brought into 0 .. 6; its slope is 0 at 0 and at 6.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.relu6(ps.asarray([-1.0, 2.0, 9.0]))
    Tensor([0., 2., 6.], dtype=float32)
    """
    return pointwise.where(x < 6.0, pointwise.relu(x), 6.0)


@composite(1, wide=True)
def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """Returns alpha * (exp(x) - 1) where x is negative, x elsewhere; its slope at 0 is 1.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        alpha: the factor, a number.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.elu(ps.asarray([0.0, 2.0]))
    Tensor([0., 2.], dtype=float32)
    """
    negative = x < 0.0
    return pointwise.where(negative, pointwise.expm1(pointwise.where(negative, x, 0.0)) * alpha, x)


@composite(1, wide=True)
def silu(x: Any, beta: float = 1.0) -> Tensor:
    """Returns x * sigmoid(beta * x), also called swish.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        beta: the factor, a number.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.silu(ps.asarray(0.0))
    Tensor(0., dtype=float32)
    """
    return x * pointwise.sigmoid(x * beta)  # type: ignore[no-any-return]


@composite(1, wide=True)
def selu(x: Any) -> Tensor:
    """Returns the self-normalising unit (Klambauer et al., 2017): 1.0507 times elu(x, 1.6733).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.selu(ps.asarray([0.0, 1.0]))
    Tensor([0.      , 1.050701], dtype=float32)
    """
    return elu(x, 1.6732632423543772) * 1.0507009873554805


@composite(1, wide=True)
def softsign(x: Any) -> Tensor:
    """Returns x / (1 + |x|).

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.softsign(ps.asarray([-1.0, 3.0]))
    Tensor([-0.5 ,  0.75], dtype=float32)
    """
    return x / (pointwise.absolute(x) + 1.0)  # type: ignore[no-any-return]


@composite(1, wide=True)
def gelu(x: Any, approximate: bool = True) -> Tensor:
    """Returns the Gaussian-error unit (Hendrycks and Gimpel, 2016), in its tanh form or, on request, exactly.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        approximate: whether to take the form with tanh.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        DTypeError: if `x` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.gelu(ps.asarray(0.0))
    Tensor(0., dtype=float32)
    """
    if not approximate:
        return x * 0.5 * (pointwise.erf(x * 0.7071067811865476) + 1.0)  # type: ignore[no-any-return]
    inner = (x + x * x * x * 0.044715) * 0.7978845608028654
    return x * 0.5 * (pointwise.tanh(inner) + 1.0)  # type: ignore[no-any-return]


@composite(1, wide=True)
def log_softmax(x: Any, axis: int = -1) -> Tensor:
    """Returns x - log(sum(exp(x))) along an axis, without overflow.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: the axis, an int; a negative one counts from the end.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.log_softmax(ps.asarray([0.0, 0.0]))
    Tensor([-0.6931472, -0.6931472], dtype=float32)
    """
    axes = reduce.normalize_axes("log_softmax", axis, x.shape)
    shifted = x - reduce.ceiling(x, axes)
    total = reduce.sum(pointwise.exp(shifted), axes=axes, keepdims=True)
    return shifted - pointwise.log(total)  # type: ignore[no-any-return]


@composite(1, wide=True)
def softmax(x: Any, axis: int = -1) -> Tensor:
    """Returns exp(x) / sum(exp(x)) along an axis, without overflow.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: the axis, an int; a negative one counts from the end.

    Returns:
        A tensor of the shape and dtype of `x`.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.nn.softmax(ps.asarray([1.0, 1.0]))
    Tensor([0.5, 0.5], dtype=float32)
    """
    axes = reduce.normalize_axes("softmax", axis, x.shape)
    powers = pointwise.exp(x - reduce.ceiling(x, axes))
    return powers / reduce.sum(powers, axes=axes, keepdims=True)


@composite(1, wide=True)
def logsumexp(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """Returns log(sum(exp(x))) over all axes, or over those named, without overflow; -inf of nothing.

    Args:
        x: a tensor of numbers, of any shape, or a value that `asarray` accepts.
        axis: an axis, a sequence of axes, or None for all.
        keepdims: whether the axes that were summed over stay, with length 1.

    Returns:
        A tensor without those axes.

    Raises:
        ShapeError: if `x` or `axis` has the wrong shape, or names an axis that is not there.
        DTypeError: if `x` or `axis` has the wrong dtype or type.

    >>> import penstock as ps
    >>> round(float(ps.nn.logsumexp(ps.asarray([0.0, 0.0]))), 4)
    0.6931
    """
    axes = reduce.normalize_axes("logsumexp", axis, x.shape)
    largest = reduce.ceiling(x, axes)
    # An infinity is left to exp and log, which know it: inf - inf would be NaN.
    largest = pointwise.where(pointwise.isfinite(largest), largest, 0.0)
    total = reduce.sum(pointwise.exp(x - largest), axes=axes, keepdims=True)
    result = pointwise.log(total) + largest
    if keepdims:
        return result
    return reshape(result, shape=reduce.reduced(x.shape, axes, False))


__all__ = [
    "attention", "average_pool", "batch_normalization", "celu", "conv", "conv_transpose", "depthwise_conv",
    "dropout", "elu", "embedding", "gelu", "glu", "group_normalization", "hard_shrink", "hard_sigmoid",
    "hard_swish", "hard_tanh", "l2_normalize", "layer_normalization", "leaky_relu", "log_sigmoid",
    "log_softmax", "logsumexp", "max_pool", "mish", "pad", "prelu", "relu", "relu6", "resize",
    "rms_normalization", "selu", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign",
    "squareplus", "tanh_shrink", "threshold",
]  # fmt: skip
