"""Functions of neural networks that TensorFlow 1 had under other names, or with other arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _convolution, _moments, _windows
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import lift
from penstock.tensorflow._windows import MaxPoolWithArgmax, pooled_places
from penstock.tensorflow.compat.v1._built import built
from penstock.trace.source_site import here

_pooled = lift(pooled_places, type="MaxPoolWithArgmax")


@built("tf.compat.v1.nn.fused_batch_norm", type="FusedBatchNormV3")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: Any = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Returns images normalized over all but their channels, and the mean and variance of each channel.

    In training the variance that is returned is that of a population, of which the images are a sample. With
    an `exponential_avg_factor` below 1, both are averages with those given.
    """
    x = operand(x)
    last = data_format.endswith("C")
    rank = len(x._spec.shape)
    channel = rank - 1 if last else 1
    axes = [axis for axis in range(rank) if axis != channel]
    shape = [-1 if axis == channel else 1 for axis in range(rank)]
    if is_training:
        middle, spread = _moments.moments_of_kernel(x, axes)
        count = float(np.prod([x._spec.shape[axis] for axis in axes]))
        whole = spread * (count / max(count - 1.0, 1.0))
        if exponential_avg_factor != 1.0:
            kept = 1.0 - exponential_avg_factor
            given_mean, given_variance = operand(mean), operand(variance)
            new_mean = given_mean * kept + middle * exponential_avg_factor
            new_variance = given_variance * kept + whole * exponential_avg_factor
        else:
            new_mean, new_variance = middle, whole
    else:
        if mean is None or variance is None:
            raise ArgumentError("mean and variance are needed where is_training is False.", site=here())
        middle, spread = operand(mean), operand(variance)
        new_mean, new_variance = middle, spread
    flat = [_arrays.reshape(one, shape) for one in (middle, spread, offset, scale)]
    least = max(epsilon, 1.001e-5)
    made = _moments.batch_normalization(x, flat[0], flat[1], flat[2], flat[3], least)
    return made, new_mean, new_variance


@built("tf.compat.v1.nn.depthwise_conv2d_native", type="DepthwiseConv2dNative")
def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns images in which each channel is filtered by filters of its own."""
    by = None if dilations is None else list(dilations)[1:3]
    return _convolution.depthwise_conv2d(input, filter, strides, padding, data_format, by)


@built("tf.compat.v1.nn.conv2d_backprop_input", type="Conv2DBackpropInput")
def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: Any = None,
    filters: Any = None,
) -> Any:
    """Returns the gradient of a convolution by its input. `use_cudnn_on_gpu` does nothing."""
    kernels = filter if filters is None else filters
    return _convolution.conv2d_transpose(
        out_backprop, kernels, input_sizes, strides, padding, data_format, dilations
    )


@named("tf.compat.v1.nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    Targmax: Any = None,
    name: Any = None,
    output_dtype: Any = None,
    include_batch_in_index: bool = False,
) -> Any:
    """Returns the largest element of each window, and where it lies in its image, counted flat."""
    dtype = output_dtype or Targmax or "int64"
    return MaxPoolWithArgmax(
        *_pooled(input, ksize, strides, padding, data_format, dtype, include_batch_in_index, name=name)
    )


@built("tf.compat.v1.nn.dilation2d", type="Dilation2D")
def dilation2d(
    input: Any, filter: Any = None, strides: Any = None, rates: Any = None, padding: Any = None,
    name: Any = None, filters: Any = None, dilations: Any = None,
) -> Any:  # fmt: skip
    """Returns the largest sum of a window and a filter, at each place; `rates` and `dilations` are one."""
    kernel = filter if filters is None else filters
    return _windows.dilation2d(
        input, kernel, strides, padding, "NHWC", rates if dilations is None else dilations
    )


@built("tf.compat.v1.nn.erosion2d", type="Erosion2D")
def erosion2d(value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: Any = None) -> Any:
    """Returns the smallest difference of a window and a mirrored filter, at each place."""
    return _windows.erosion2d(value, kernel, strides, padding, "NHWC", rates)
