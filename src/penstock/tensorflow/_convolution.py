"""Convolution and pooling under TensorFlow's names, with its ways of writing strides and padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named, row
from penstock.errors import ShapeError
from penstock.functions import convolution as native
from penstock.tensorflow._convert import lengths_of, operand
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError, mixed
from penstock.trace.source_site import here

_FORMATS = {
    "NWC": "channels_last", "NHWC": "channels_last", "NDHWC": "channels_last",
    "NCW": "channels_first", "NCHW": "channels_first", "NCDHW": "channels_first",
}  # fmt: skip


def _format(data_format: Any) -> str:
    if data_format is None:
        return "channels_last"
    if data_format not in _FORMATS:
        raise ArgumentError(
            f"data_format is {data_format!r}.", remedy=f"Use one of {', '.join(_FORMATS)}.", site=here()
        )
    return _FORMATS[data_format]


def _steps(value: Any, rank: int, layout: str, name: str) -> tuple[int, ...]:
    """Returns one number for each spatial axis, out of one, one for each, or one for every axis."""
    several = [int(n) for n in np.ravel(value)]
    if len(several) == 1:
        return tuple(several) * rank
    if len(several) == rank + 2:
        outer = (several[0], several[-1]) if layout == "channels_last" else tuple(several[:2])
        if outer != (1, 1):
            raise InvalidArgumentError(
                f"Current implementation does not yet support {name} in the batch and depth dimensions.",
                origin=f"{name} is {several}",
                site=here(),
            )
        return tuple(several[1:-1] if layout == "channels_last" else several[2:])
    if len(several) != rank:
        raise ArgumentError(
            f"{name} should be of length 1, {rank} or {rank + 2} but was {len(several)}", site=here()
        )
    return tuple(several)


def _padding(value: Any, rank: int, layout: str) -> Any:
    if isinstance(value, str):
        if value.upper() not in ("SAME", "VALID"):
            raise InvalidArgumentError(
                f'Value for attr \'padding\' of "{value}" is not in the list of allowed values: "SAME", '
                '"VALID"',
                site=here(),
            )
        return value.lower()
    pairs = [tuple(int(n) for n in pair) for pair in value]
    if len(pairs) == rank + 2:
        pairs = pairs[1:-1] if layout == "channels_last" else pairs[2:]
    return tuple(pairs)


def _called(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a native function; its errors are raised as TensorFlow's."""
    try:
        return function(*arguments)
    except ShapeError as error:
        raise InvalidArgumentError(
            error.fact, origin=error.origin, why=error.why, remedy=error.remedy, site=error.site
        ) from None


def _operands(x: Any, kernel: Any, name: str) -> tuple[Any, Any]:
    x, kernel = operand(x), operand(kernel)
    if x._spec.dtype != kernel._spec.dtype:
        raise mixed(name, 1, x._spec.dtype, kernel._spec.dtype, here())
    return x, kernel


@named("tf.nn.convolution")
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: Any = None,
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns the convolution of [batch, *lengths, channels] with filters [*lengths, channels, filters]."""
    x, kernel = _operands(input, filters, "Conv")
    rank, layout = len(x._spec.shape) - 2, _format(data_format)
    steps = _steps(1 if strides is None else strides, rank, layout, "strides")
    dilation = _steps(1 if dilations is None else dilations, rank, layout, "dilations")
    return _called(native.conv, x, kernel, steps, _padding(padding, rank, layout), layout, dilation)


@named("tf.nn.conv1d")
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: Any = "NWC",
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns the convolution of [batch, steps, channels] with filters [length, channels, filters]."""
    return convolution(input, filters, stride, padding, data_format, dilations)


@named("tf.nn.conv2d")
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns the convolution of images with filters [height, width, channels, filters].

    >>> from penstock import tensorflow as tf
    >>> tf.nn.conv2d(tf.zeros((1, 5, 5, 2)), tf.zeros((3, 3, 2, 4)), strides=1, padding="SAME").shape
    TensorShape([1, 5, 5, 4])
    """
    return convolution(input, filters, strides, padding, data_format, dilations)


@named("tf.nn.conv3d")
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NDHWC",
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns the convolution of volumes with filters [*lengths, channels, filters]."""
    return convolution(input, filters, strides, padding, data_format, dilations)


@named("tf.nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = None,
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns each channel of images convolved with its own filters."""
    x, kernel = _operands(input, filter, "DepthwiseConv2dNative")
    layout = _format(data_format)
    steps = _steps(strides, 2, layout, "strides")
    dilation = _steps(1 if dilations is None else dilations, 2, layout, "dilations")
    return _called(native.depthwise_conv, x, kernel, steps, _padding(padding, 2, layout), layout, dilation)


@named("tf.nn.conv_transpose")
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = None,
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns the transposed convolution of a stated shape, with filters [*lengths, filters, channels]."""
    x, kernel = _operands(input, filters, "Conv2DBackpropInput")
    rank, layout = len(x._spec.shape) - 2, _format(data_format)
    steps = _steps(strides, rank, layout, "strides")
    dilation = _steps(1 if dilations is None else dilations, rank, layout, "dilations")
    shape = lengths_of(output_shape)
    lengths = shape[1:-1] if layout == "channels_last" else shape[2:]
    return _called(
        native.conv_transpose,
        x,
        kernel,
        steps,
        _padding(padding, rank, layout),
        None,
        layout,
        dilation,
        lengths,
    )


@named("tf.nn.conv1d_transpose")
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NWC",
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns the transposed convolution over one axis."""
    return conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations)


@named("tf.nn.conv2d_transpose")
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NHWC",
    dilations: Any = None,
    name: Any = None,
) -> Any:
    """Returns the transposed convolution over two axes."""
    return conv_transpose(input, filters, output_shape, strides, padding, data_format, dilations)


def _pool(function: Any, x: Any, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    x = operand(x)
    rank, layout = len(x._spec.shape) - 2, _format(data_format)
    window = _steps(ksize, rank, layout, "ksize")
    steps = _steps(strides, rank, layout, "strides")
    return _called(function, x, window, steps, _padding(padding, rank, layout), layout)


def _pooling(names: str, function: Any, purpose: str) -> Any:
    def pool(
        input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: Any = None
    ) -> Any:
        return _pool(function, input, ksize, strides, padding, data_format)

    return row(pool, names, f"Returns {purpose} of each window of [batch, *lengths, channels].")


max_pool = _pooling("tf.nn.max_pool tf.compat.v1.nn.max_pool_v2", native.max_pool, "the largest element")
max_pool1d = _pooling("tf.nn.max_pool1d", native.max_pool, "the largest element")
max_pool2d = _pooling("tf.nn.max_pool2d", native.max_pool, "the largest element")
max_pool3d = _pooling("tf.nn.max_pool3d", native.max_pool, "the largest element")
avg_pool = _pooling("tf.nn.avg_pool tf.compat.v1.nn.avg_pool_v2", native.average_pool, "the mean")
avg_pool1d = _pooling("tf.nn.avg_pool1d", native.average_pool, "the mean")
avg_pool2d = _pooling("tf.nn.avg_pool2d", native.average_pool, "the mean")
avg_pool3d = _pooling("tf.nn.avg_pool3d", native.average_pool, "the mean")
