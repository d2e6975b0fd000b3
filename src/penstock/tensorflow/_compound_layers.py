"""Functions of tf.nn that are composed of others: dilated and separable convolutions, moments in parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.ops.promotion import kind_of
from penstock.tensorflow._convert import operand, same_dtype, tensor_of
from penstock.tensorflow._convolution import (
    avg_pool,
    conv_transpose,
    convolution,
    depthwise_conv2d,
    max_pool,
)
from penstock.tensorflow._elementwise import cast, divide_no_nan
from penstock.tensorflow._errors import ArgumentError, CallableError
from penstock.tensorflow._moments import batch_normalization
from penstock.tensorflow._reductions import reduce_sum
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here

# -- convolutions ---------------------------------------------------------------------------------------


@named("tf.nn.atrous_conv2d")
def atrous_conv2d(value: Any, filters: Any, rate: Any, padding: Any, name: Any = None) -> EagerTensor:
    """Returns the convolution of images with filters whose elements are `rate` pixels apart."""
    return convolution(value, filters, 1, padding, None, _rate(rate))  # type: ignore[no-any-return]


@named("tf.nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: Any, filters: Any, output_shape: Any, rate: Any, padding: Any, name: Any = None
) -> EagerTensor:
    """Returns the transposed convolution with filters whose elements are `rate` pixels apart."""
    return conv_transpose(value, filters, output_shape, 1, padding, None, _rate(rate))  # type: ignore[no-any-return]


def _rate(rate: Any) -> int:
    if int(rate) < 1:
        raise ArgumentError(
            f"all values of `dilation_rate` must be positive. Received: dilation_rate=[{rate} {rate}]",
            site=here(),
        )
    return int(rate)


@named("tf.nn.conv3d_transpose")
def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NDHWC",
    dilations: Any = None,
    name: Any = None,
) -> EagerTensor:
    """Returns the transposed convolution over three axes."""
    return conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations)  # type: ignore[no-any-return]


@named("tf.nn.separable_conv2d")
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: Any = None,
) -> EagerTensor:
    """Returns each channel of images convolved with its own filters, and then mixed pixel by pixel.

    >>> from penstock import tensorflow as tf
    >>> rows, mixing = tf.ones([2, 2, 3, 1]), tf.ones([1, 1, 3, 5])
    >>> tf.nn.separable_conv2d(tf.ones([1, 4, 4, 3]), rows, mixing, [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 3, 3, 5])
    """
    mixing = operand(pointwise_filter)
    if len(mixing._spec.shape) != 4 or mixing._spec.shape[:2] != (1, 1):
        raise ArgumentError(
            f"separable_conv2d: pointwise_filter has shape {mixing._spec.shape}.",
            why="It mixes the channels of one pixel.",
            remedy="Give it the shape [1, 1, channels * multiplier, filters].",
            site=here(),
        )
    own = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return convolution(own, mixing, 1, "VALID", data_format)  # type: ignore[no-any-return]


@named("tf.nn.pool")
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: Any = None,
) -> EagerTensor:
    """Returns the largest element ("MAX") or the mean ("AVG") of each window."""
    if pooling_type not in ("MAX", "AVG"):
        rank = len(operand(input)._spec.shape) - 2
        raise ArgumentError(f"{rank}-D {pooling_type} pooling is not supported.", site=here())
    if dilations is not None and any(int(one) != 1 for one in np.ravel(dilations)):
        raise ArgumentError(
            "tf.nn.pool with dilations is not supported by penstock.tensorflow yet.", site=here()
        )
    function = max_pool if pooling_type == "MAX" else avg_pool
    return function(input, window_shape, 1 if strides is None else strides, padding, data_format)  # type: ignore[no-any-return]


# -- losses ---------------------------------------------------------------------------------------------


@named("tf.nn.compute_average_loss")
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> EagerTensor:
    """Returns the sum of losses, times weights, divided by the number of examples.

    That number is the length of the first axis, or the given one; there is one replica.

    >>> from penstock import tensorflow as tf
    >>> print(tf.nn.compute_average_loss([1.0, 3.0], global_batch_size=8).numpy())
    0.5
    """
    losses = operand(per_example_loss)
    own = losses._spec.dtype
    if sample_weight is not None:
        losses = losses * cast(operand(sample_weight), own)
    if global_batch_size is None:
        count: Any = losses._spec.shape[0] if losses._spec.shape else 1
    else:
        count = tensor_of(global_batch_size)
        if kind_of(count._spec.dtype) != "i":
            raise CallableError(
                'global_batch_size must be an integer..  Expected "x" to be integer type.  Found: tensor of '
                f"dtype <dtype: {count._spec.dtype.name!r}>",
                site=here(),
            )
        if count._spec.shape:
            raise ArgumentError(
                f"global_batch_size must be scalar..  Expected scalar shape, saw shape: {count.shape}.",
                site=here(),
            )
        count = cast(count, own)
    return divide_no_nan(reduce_sum(losses), count)


# -- moments in parts -----------------------------------------------------------------------------------


@named("tf.nn.sufficient_statistics")
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: Any = None
) -> tuple[Any, Any, Any, Any]:
    """Returns how many elements there are, the sum of x - shift and of its square, and the shift itself."""
    x = operand(x)
    along = sorted({int(one) for one in np.ravel(np.asarray(axes))})
    counted = int(np.prod([x._spec.shape[one] for one in along]))
    moved = x if shift is None else x - tensor_of(shift, x._spec.dtype)
    squares = native.square(moved)
    total, squared = (reduce_sum(one, along, bool(keepdims)) for one in (moved, squares))
    count = tensor_of(np.asarray(counted, x._spec.dtype))
    return count, total, squared, None if shift is None else tensor_of(shift, x._spec.dtype)


@named("tf.nn.normalize_moments")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: Any = None
) -> tuple[Any, Any]:
    """Returns the mean and the variance for given `sufficient_statistics`."""
    count, sums, squares = same_dtype((counts, mean_ss, variance_ss), "Mul")
    moved = sums / count
    variance = squares / count - native.square(moved)
    return (moved if shift is None else moved + tensor_of(shift, moved._spec.dtype)), variance


@named("tf.nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: Any = None,
) -> EagerTensor:
    """Returns (input - mean) / sqrt(variance + epsilon), times gamma if requested, plus beta."""
    return batch_normalization(
        input, mean, variance, beta, gamma if scale_after_normalization else None, variance_epsilon
    )
