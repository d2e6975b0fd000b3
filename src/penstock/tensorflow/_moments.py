"""Means and variances, and normalization by them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions.composite import composite
from penstock.ops import pointwise, reduce
from penstock.ops.table import common_shape
from penstock.tensorflow._convert import operand, record, same_dtype, tensor_of
from penstock.tensorflow._elementwise import composed
from penstock.tensorflow._reductions import narrowed, reduced, widened
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.tensor import Tensor

_frame = sys._getframe


@named("tf.nn.moments")
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: Any = None
) -> tuple[Any, Any]:
    """Returns the mean and the variance over some axes. `shift` does nothing, as in TensorFlow."""
    return _around(x, axes, keepdims, center_of, _frame(1))


def moments_of_kernel(x: Any, axes: Any) -> tuple[Any, Any]:
    """Returns what `moments` does, with the derivatives of TensorFlow's fused normalization.

    Those are exact at every order. `moments` takes the mean in the variance for a constant, which gives the
    first derivative alone.
    """
    return _around(x, axes, False, lambda mean: mean, _frame(1))


def _around(x: Any, axes: Any, keepdims: bool, centered: Any, frame: Any) -> tuple[Any, Any]:
    own = operand(x)
    x = widened(own, frame)
    mean = reduced(reduce.mean, x, axes, True, frame)
    center = centered(mean)
    distance = record(pointwise.square, (record(pointwise.subtract, (x, center), {}, frame),), {}, frame)
    variance = reduced(reduce.mean, distance, axes, keepdims, frame)
    mean = mean if keepdims else reduced(reduce.mean, x, axes, False, frame)
    return narrowed(mean, own, frame), narrowed(variance, own, frame)


@named("tf.nn.weighted_moments")
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: Any = None
) -> tuple[EagerTensor, EagerTensor]:
    """Returns the mean and the variance over some axes, each element counted by its weight."""
    x, weights = same_dtype((x, frequency_weights), "Mul")
    along = tuple(axes) if isinstance(axes, list | tuple) else (int(axes),)
    mean, variance = _moments(x, weights, along, bool(keepdims))
    return mean, variance  # type: ignore[return-value]


@composite(2, "weighted_moments", wide=True)
def _moments(x: Any, weights: Any, axes: Any, keepdims: bool) -> tuple[Tensor, Tensor]:
    weights = native.broadcast_to(weights, common_shape(x.shape, weights.shape))
    whole = native.sum(weights, axis=axes, keepdims=True)
    mean = native.sum(x * weights, axis=axes, keepdims=True) / whole
    distance = native.square(x - native.stop_gradient(mean))
    variance = native.sum(weights * distance, axis=axes, keepdims=True) / whole
    if keepdims:
        return mean, variance
    return native.squeeze(mean, axis=axes), native.squeeze(variance, axis=axes)


def center_of(x: Any) -> EagerTensor:
    """Returns a mean for use in the variance around it, whose slope does not depend on it."""
    return _center(x)  # type: ignore[return-value]


@composite(1, "moments")
def _center(x: Any) -> Tensor:
    return native.stop_gradient(x)


@named("tf.nn.batch_normalization")
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float, name: Any = None
) -> EagerTensor:
    """Returns (x - mean) / sqrt(variance + epsilon) times scale, plus offset; None for 1 and 0."""
    x = operand(x)
    one, zero = (tensor_of(np.asarray(number, x._spec.dtype)) for number in (1, 0))
    given = (mean, variance, zero if offset is None else offset, one if scale is None else scale)
    parts = same_dtype((x, *given), "Mul")
    return composed(_normalized, "batch_normalization", tuple(parts), epsilon=float(variance_epsilon))


@composite(5, "batch_normalization", wide=True)
def _normalized(x: Any, mean: Any, variance: Any, offset: Any, scale: Any, epsilon: float) -> Tensor:
    inverse = scale / native.sqrt(variance + epsilon)
    return x * inverse + (offset - mean * inverse)  # type: ignore[no-any-return]


@named("tf.nn.local_response_normalization", "tf.nn.lrn")
def local_response_normalization(
    input: Any, depth_radius: Any = 5, bias: Any = 1, alpha: Any = 1, beta: Any = 0.5, name: Any = None
) -> EagerTensor:
    """Returns x divided by (bias + alpha * the sum of squares of near channels) to the power beta."""
    options = {"radius": int(depth_radius), "bias": float(bias), "alpha": float(alpha), "beta": float(beta)}
    return composed(_lrn, "lrn", (operand(input),), **options)


@composite(1, "local_response_normalization", wide=True)
def _lrn(x: Any, radius: int, bias: float, alpha: float, beta: float) -> Tensor:
    channels = x.shape[-1]
    near = np.abs(np.subtract.outer(np.arange(channels), np.arange(channels))) <= radius
    sums = native.matmul(native.square(x), native.asarray(near.astype(x.dtype)))
    return x / (bias + alpha * sums) ** beta  # type: ignore[no-any-return]
