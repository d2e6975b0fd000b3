"""tf.quantization: numbers rounded to few steps, and the gradients through that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.tensorflow import _arrays, _elementwise, _reductions
from penstock.tensorflow._convert import operand, tensor_of
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._tape import GradientTape
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@composite(3, "fake_quant")
def _rounded(x: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> Tensor:
    """Returns x rounded; outside of the range the gradient goes to the end of it, inside to x."""
    first, last = (1 if narrow_range else 0), 2**num_bits - 1
    scale = native.stop_gradient((high - low) / native.asarray(last - first, dtype=x.dtype))
    zero = first - native.stop_gradient(low) / scale
    moved = native.where(
        zero < first, float(first), native.where(zero > last, float(last), native.floor(zero + 0.5))
    )
    bottom, top = (first - moved) * scale, (last - moved) * scale
    # The numbers are of the range that was moved, the gradients of its ends those of the one given.
    below, above = x < bottom, x > top
    found = native.where(below, bottom, native.where(above, top, x))
    steps = native.floor((found - bottom) * (1.0 / scale) + 0.5)
    steps = native.stop_gradient(steps * scale + bottom)
    way = native.where(below, low, native.where(above, high, x))
    return way + native.stop_gradient(steps - way)


def _bits(num_bits: Any) -> int:
    if not 2 <= int(num_bits) <= 16:
        raise InvalidArgumentError(
            f"num_bits must be between 2 and 16, inclusive, got {num_bits}", site=here()
        )
    return int(num_bits)


@named("tf.quantization.fake_quant_with_min_max_args", "tf.compat.v1.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(
    inputs: Any, min: Any = -6.0, max: Any = 6.0, num_bits: int = 8, narrow_range: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns numbers rounded to one of 2 to the power `num_bits` steps from `min` to `max`.

    The range is moved so that 0 is one of the steps. The gradient passes inside the range, as through no
    rounding.
    """
    low, high = (float(np.asarray(operand(one))) for one in (min, max))
    if low >= high:
        raise InvalidArgumentError(f"min has to be smaller than max, was: {low:g} >= {high:g}", site=here())
    x = tensor_of(inputs)
    bottom, top = (operand(np.asarray(one, x._spec.dtype)) for one in (low, high))
    return _rounded(x, bottom, top, _bits(num_bits), bool(narrow_range))


@named("tf.quantization.fake_quant_with_min_max_vars", "tf.compat.v1.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: Any = None
) -> Any:
    """Returns what `fake_quant_with_min_max_args` does; `min` and `max` have gradients.

    They get the gradients of the numbers below and above the range.
    """
    return _rounded(tensor_of(inputs), tensor_of(min), tensor_of(max), _bits(num_bits), bool(narrow_range))


@named(
    "tf.quantization.fake_quant_with_min_max_vars_per_channel",
    "tf.compat.v1.fake_quant_with_min_max_vars_per_channel",
)
def fake_quant_with_min_max_vars_per_channel(
    inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False, name: Any = None
) -> Any:
    """Returns what `fake_quant_with_min_max_vars` does, with a range for each place on the last axis."""
    return _rounded(tensor_of(inputs), tensor_of(min), tensor_of(max), _bits(num_bits), bool(narrow_range))


def _slopes(function: Callable[..., Any], gradients: Any, *given: Any) -> Any:
    values = [tensor_of(one) for one in given]
    with GradientTape() as tape:
        for one in values:
            tape.watch(one)
        found = function(*values)
    return tape.gradient(found, values, output_gradients=tensor_of(gradients))


@named(
    "tf.quantization.fake_quant_with_min_max_args_gradient",
    "tf.compat.v1.fake_quant_with_min_max_args_gradient",
)
def fake_quant_with_min_max_args_gradient(
    gradients: Any, inputs: Any, min: Any = -6.0, max: Any = 6.0, num_bits: int = 8,
    narrow_range: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the gradient of `fake_quant_with_min_max_args`."""

    def forward(x: Any) -> Any:
        return fake_quant_with_min_max_args(x, min, max, num_bits, narrow_range)

    return _slopes(forward, gradients, inputs)[0]


@named(
    "tf.quantization.fake_quant_with_min_max_vars_gradient",
    "tf.compat.v1.fake_quant_with_min_max_vars_gradient",
    "tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient",
    "tf.compat.v1.fake_quant_with_min_max_vars_per_channel_gradient",
)
def fake_quant_with_min_max_vars_gradient(
    gradients: Any, inputs: Any, min: Any, max: Any, num_bits: int = 8, narrow_range: bool = False,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the gradients of numbers that were rounded, and of the ends of their ranges."""

    def forward(x: Any, low: Any, high: Any) -> Any:
        return fake_quant_with_min_max_vars(x, low, high, num_bits, narrow_range)

    return tuple(_slopes(forward, gradients, inputs, min, max))


@named("tf.quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: Any, input_min: Any, input_max: Any, signed_input: bool = True, num_bits: int = 8,
    range_given: bool = False, round_mode: str = "HALF_TO_EVEN", name: Any = None, narrow_range: bool = False,
    axis: Any = None,
) -> Any:  # fmt: skip
    """Returns numbers rounded to whole multiples of a scale; the gradient passes from input_min to input_max.

    The scale is the largest that brings the range, that of the numbers unless `range_given`, to whole numbers
    of `num_bits` bits. With an `axis`, the numbers at each place on it have their own.
    """
    if round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise InvalidArgumentError(
            f"Round mode string must be 'HALF_TO_EVEN' or 'HALF_UP', is '{round_mode}'", site=here()
        )
    x = tensor_of(input)
    kind = x._spec.dtype.type
    rank = len(x._spec.shape)
    others = None if axis is None or axis == -1 else [n for n in range(rank) if n != int(axis) % rank]
    if range_given:
        low, high = (np.asarray(tensor_of(one).numpy(), kind) for one in (input_min, input_max))
        for word, end in (("input_min", low), ("input_max", high)):
            if end.ndim:
                raise InvalidArgumentError(f"{word} must be a scalar.", site=here())
        if low > high:
            raise InvalidArgumentError(f"Invalid range: input_min {low} > input_max {high}", site=here())
    else:
        keep = others is not None
        low, high = (
            np.asarray(kind_of(x, others, keepdims=keep).numpy())
            for kind_of in (_reductions.reduce_min, _reductions.reduce_max)
        )
    bits = int(num_bits)
    least = -(2 ** (bits - 1)) + bool(narrow_range) if signed_input else 0
    most = 2 ** (bits - 1) - 1 if signed_input else 2**bits - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        to_low = np.where(least * low > 0, kind(least) / low, np.finfo(kind).max)
        to_high = np.where(most * high > 0, kind(most) / high, np.finfo(kind).max)
    scale = np.where(to_low < to_high, to_low, to_high).astype(kind)
    inverse = np.where(to_low < to_high, low / kind(least if least else 1), high / kind(most)).astype(kind)
    bottom = np.where(to_low < to_high, low, least * inverse).astype(kind)
    top = np.where(to_low < to_high, most * inverse, high).astype(kind)
    inside = _arrays.clip_by_value(x, operand(bottom), operand(top))
    whole = _elementwise.multiply(inside, operand(scale))
    if round_mode == "HALF_UP":
        whole = _elementwise.floor(_elementwise.add(whole, kind(0.5)))
    else:
        whole = _elementwise.round(whole)
    rounded = _elementwise.multiply(whole, operand(inverse))
    # TensorFlow's gradient reads the range that is given, even where the numbers decide it.
    way = _passed(x, *(_elementwise.cast(tensor_of(one), x.dtype) for one in (input_min, input_max)))
    return _elementwise.add(way, _arrays.stop_gradient(_elementwise.subtract(rounded, way)))


def _passed(x: Any, low: Any, high: Any) -> Any:
    """Returns x, whose gradient passes from low to high only."""
    inside = _elementwise.logical_and(_elementwise.greater_equal(x, low), _elementwise.less_equal(x, high))
    return _arrays.where(inside, x, _arrays.stop_gradient(x))


@named("tf.quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: Any, input_min: Any, input_max: Any, signed_input: bool = True, num_bits: int = 8,
    range_given: bool = False, round_mode: str = "HALF_TO_EVEN", name: Any = None, narrow_range: bool = False,
    axis: Any = None,
) -> Any:  # fmt: skip
    """Returns what `quantize_and_dequantize_v2` does; the gradient passes everywhere."""
    x = tensor_of(input)
    found = quantize_and_dequantize_v2(
        _arrays.stop_gradient(x), input_min, input_max, signed_input, num_bits, range_given, round_mode, None,
        narrow_range, axis,
    )  # fmt: skip
    return _elementwise.add(x, _arrays.stop_gradient(_elementwise.subtract(found, x)))
