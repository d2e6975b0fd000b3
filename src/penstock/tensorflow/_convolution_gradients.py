"""Gradients of convolutions by name: those of the input and of the filters, given that of the output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.declared import named
from penstock.tensorflow import _convolution
from penstock.tensorflow._arrays import zeros
from penstock.tensorflow._convert import lengths_of, operand
from penstock.tensorflow._tape import GradientTape


def slope(function: Callable[[Any], Any], shape: Any, out_backprop: Any) -> Any:
    """Returns the gradient of a linear function by its argument, whose values do not matter."""
    given = operand(out_backprop)
    start = zeros(lengths_of(shape), given.dtype)
    with GradientTape() as tape:
        tape.watch(start)
        found = function(start)
    return tape.gradient(found, start, output_gradients=given)


@named(
    "tf.nn.depthwise_conv2d_backprop_input", "tf.compat.v1.nn.depthwise_conv2d_backprop_input",
    "tf.compat.v1.nn.depthwise_conv2d_native_backprop_input",
)  # fmt: skip
def depthwise_conv2d_backprop_input(
    input_sizes: Any, filter: Any, out_backprop: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1), name: Any = None,
) -> Any:  # fmt: skip
    """Returns the gradient of a depthwise convolution by its input, which has `input_sizes`."""

    def forward(x: Any) -> Any:
        return _convolution.depthwise_conv2d(x, filter, strides, padding, data_format, dilations)

    return slope(forward, input_sizes, out_backprop)


@named(
    "tf.nn.depthwise_conv2d_backprop_filter", "tf.compat.v1.nn.depthwise_conv2d_backprop_filter",
    "tf.compat.v1.nn.depthwise_conv2d_native_backprop_filter",
)  # fmt: skip
def depthwise_conv2d_backprop_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1), name: Any = None,
) -> Any:  # fmt: skip
    """Returns the gradient of a depthwise convolution by its filters, which have `filter_sizes`."""

    def forward(kernel: Any) -> Any:
        return _convolution.depthwise_conv2d(input, kernel, strides, padding, data_format, dilations)

    return slope(forward, filter_sizes, out_backprop)


@named("tf.compat.v1.nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any,
    use_cudnn_on_gpu: bool = True, data_format: str = "NHWC", dilations: Any = (1, 1, 1, 1), name: Any = None,
) -> Any:  # fmt: skip
    """Returns the gradient of a convolution by its filters, which have `filter_sizes`.

    `use_cudnn_on_gpu` does nothing.
    """

    def forward(kernel: Any) -> Any:
        return _convolution.conv2d(input, kernel, strides, padding, data_format, dilations)

    return slope(forward, filter_sizes, out_backprop)


@named("tf.compat.v1.nn.conv3d_backprop_filter", "tf.compat.v1.nn.conv3d_backprop_filter_v2")
def conv3d_backprop_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, strides: Any, padding: Any, data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1), name: Any = None,
) -> Any:  # fmt: skip
    """Returns the gradient of a convolution of volumes by its filters, which have `filter_sizes`."""

    def forward(kernel: Any) -> Any:
        return _convolution.conv3d(input, kernel, strides, padding, data_format, dilations)

    return slope(forward, filter_sizes, out_backprop)
