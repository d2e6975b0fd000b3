"""Less common functions of layers and losses, under TensorFlow's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import nn
from penstock.functions.composite import composite
from penstock.ops.table import common_shape
from penstock.tensorflow._convert import operand, same_dtype, tensor_of
from penstock.tensorflow._elementwise import composed
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor


@named("tf.nn.gelu")
def gelu(features: Any, approximate: bool = False, name: Any = None) -> EagerTensor:
    """Returns x times the normal distribution function at x; in its tanh form with `approximate`.

    >>> from penstock import tensorflow as tf
    >>> print(tf.nn.gelu([-1.0, 0.0, 1.0]).numpy().round(4))
    [-0.1587  0.      0.8413]
    """
    return composed(nn.gelu, "gelu", (operand(features),), approximate=bool(approximate))


@composite(1, "crelu")
def _crelu(x: Any, axis: int) -> Tensor:
    return native.concat([nn.relu(x), nn.relu(-x)], axis=axis)


@named("tf.nn.crelu")
def crelu(features: Any, axis: int = -1, name: Any = None) -> EagerTensor:
    """Returns relu(x) and relu(-x) joined along an axis."""
    return composed(_crelu, "crelu", (operand(features),), axis=int(axis))


@composite(5, "batch_normalization", wide=True)
def _normalized(x: Any, mean: Any, variance: Any, offset: Any, scale: Any, epsilon: float) -> Tensor:
    inverse = scale / native.sqrt(variance + epsilon)
    return x * inverse + (offset - mean * inverse)  # type: ignore[no-any-return]


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


@composite(3, "weighted_cross_entropy_with_logits", wide=True)
def _weighted(labels: Any, logits: Any, weight: Any) -> Tensor:
    factor = 1.0 + (weight - 1.0) * labels
    return (1.0 - labels) * logits + factor * nn.softplus(-logits)  # type: ignore[no-any-return]


@named("tf.nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: Any = None
) -> EagerTensor:
    """Returns sigmoid cross-entropy in which positive labels weigh `pos_weight`."""
    parts = same_dtype((logits, labels, pos_weight), "Mul")
    x, truth, weight = parts
    if x._spec.shape != truth._spec.shape:
        raise ArgumentError(
            f"`logits` and `labels` must have the same shape, received ({x._spec.shape} vs "
            f"{truth._spec.shape}).",
            site=here(),
        )
    return composed(_weighted, "weighted_cross_entropy", (truth, x, weight))


@composite(2, "log_poisson_loss", wide=True)
def _log_poisson(targets: Any, log_input: Any, full: bool) -> Tensor:
    found = native.exp(log_input) - log_input * targets
    if not full:
        return found  # type: ignore[no-any-return]
    small = native.logical_and(targets >= 0.0, targets <= 1.0)
    inside = native.where(small, 1.0, targets)
    stirling = targets * native.log(inside) - targets + 0.5 * native.log(2.0 * float(np.pi) * inside)
    return found + native.where(small, 0.0, stirling)  # type: ignore[no-any-return]


@named("tf.nn.log_poisson_loss")
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: Any = None
) -> EagerTensor:
    """Returns exp(x) - x * targets, with `compute_full_loss` also Stirling's form of log(targets!)."""
    x, truth = same_dtype((log_input, targets), "Mul")
    return composed(_log_poisson, "log_poisson_loss", (truth, x), full=bool(compute_full_loss))


@named("tf.nn.weighted_moments")
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: Any = None
) -> tuple[EagerTensor, EagerTensor]:
    """Returns the mean and the variance over some axes, each element counted by its weight."""
    x, weights = same_dtype((x, frequency_weights), "Mul")
    along = tuple(axes) if isinstance(axes, list | tuple) else (int(axes),)
    mean, variance = _moments(x, weights, along, bool(keepdims))
    return mean, variance  # type: ignore[return-value]


def labels_of(x: Any) -> EagerTensor:
    """Returns labels as version 1's cross entropy takes them: as constants, without a word of the user's."""
    return _labels(operand(x))  # type: ignore[return-value]


@composite(1, "softmax_cross_entropy_with_logits")
def _labels(x: Any) -> Tensor:
    return native.stop_gradient(x)


def center_of(x: Any) -> EagerTensor:
    """Returns a mean as it stands in the variance around it, whose slope does not depend on it."""
    return _center(x)  # type: ignore[return-value]


@composite(1, "moments")
def _center(x: Any) -> Tensor:
    return native.stop_gradient(x)


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


@named("tf.nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss: Any) -> EagerTensor:
    """Returns a penalty as it is: there is one replica."""
    return tensor_of(regularization_loss)


def _blocks(x: Any, size: Any, data_format: str, name: str) -> tuple[Any, int]:
    x, size = operand(x), int(size)
    if data_format != "NHWC":
        raise ArgumentError(f"tf.nn.{name} supports only NHWC.", site=here())
    if len(x._spec.shape) != 4:
        raise InvalidArgumentError(f"Input rank should be: 4 instead of: {len(x._spec.shape)}", site=here())
    return x, size


@named("tf.nn.space_to_depth")
def space_to_depth(input: Any, block_size: Any, data_format: str = "NHWC", name: Any = None) -> EagerTensor:
    """Returns images whose blocks of pixels have become channels."""
    x, size = _blocks(input, block_size, data_format, "space_to_depth")
    _, height, width, _ = x._spec.shape
    if height % size or width % size:
        raise InvalidArgumentError(
            f"Image height {height} and width {width} should be divisible by block_size: {size}", site=here()
        )
    return _to_depth(x, size)  # type: ignore[return-value]


@composite(1, "space_to_depth")
def _to_depth(x: Any, size: int) -> Tensor:
    batch, height, width, channels = x.shape
    x = native.reshape(x, (batch, height // size, size, width // size, size, channels))
    x = native.permute_dims(x, (0, 1, 3, 2, 4, 5))
    return native.reshape(x, (batch, height // size, width // size, size * size * channels))


@named("tf.nn.depth_to_space")
def depth_to_space(input: Any, block_size: Any, data_format: str = "NHWC", name: Any = None) -> EagerTensor:
    """Returns images whose channels have become blocks of pixels."""
    x, size = _blocks(input, block_size, data_format, "depth_to_space")
    if x._spec.shape[-1] % (size * size):
        raise InvalidArgumentError(
            f"Input depth dimension {x._spec.shape[-1]} should be divisible by: {size * size}", site=here()
        )
    return _to_space(x, size)  # type: ignore[return-value]


@composite(1, "depth_to_space")
def _to_space(x: Any, size: int) -> Tensor:
    batch, height, width, channels = x.shape
    x = native.reshape(x, (batch, height, width, size, size, channels // size // size))
    x = native.permute_dims(x, (0, 1, 3, 2, 4, 5))
    return native.reshape(x, (batch, height * size, width * size, channels // size // size))


@named("tf.nn.local_response_normalization")
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
