"""Less common activations, losses and rearrangements, under Paddle's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.functions import array as native
from penstock.functions import attention as native_attention
from penstock.functions import nn as native_nn
from penstock.functions import random as source
from penstock.functions import resize
from penstock.functions.composite import composite
from penstock.paddle._convert import data, operand
from penstock.paddle._dtype import numpy_dtype
from penstock.paddle._errors import InvalidValueError, NotThereError
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

# -- activations ----------------------------------------------------------------------------------------


@composite(1, "celu", wide=True)
def _celu(x: Any, alpha: float) -> Tensor:
    inside = native.where(x > 0, 0.0, x).astype(x.dtype)
    return native.where(x > 0, x, native.expm1(inside / alpha) * alpha)


def celu(x: Any, alpha: float = 1.0, name: Any = None) -> Any:
    """Returns x above 0, and alpha * (exp(x / alpha) - 1) below it."""
    return _celu(operand(x), float(alpha))


@composite(1, "hardshrink")
def _hardshrink(x: Any, threshold: float) -> Tensor:
    return native.where(native.abs(x) >= threshold, x, native.zeros_like(x))


def hardshrink(x: Any, threshold: float = 0.5, name: Any = None) -> Any:
    """Returns x, and 0 between -threshold and threshold."""
    return _hardshrink(operand(x), float(threshold))


@composite(1, "softshrink", wide=True)
def _softshrink(x: Any, threshold: float) -> Tensor:
    moved = native.where(x > 0, x - threshold, x + threshold)
    return native.where(native.abs(x) > threshold, moved, native.zeros_like(x))


def softshrink(x: Any, threshold: float = 0.5, name: Any = None) -> Any:
    """Returns x brought nearer to 0 by a threshold, and 0 where that would pass it."""
    if threshold < 0:
        raise InvalidValueError(
            f"The threshold must be no less than zero. Received: {threshold}.", site=here()
        )
    return _softshrink(operand(x), float(threshold))


@composite(1, "hardswish", wide=True)
def _hardswish(x: Any) -> Tensor:
    # Paddle's slope is 0 at -3 and 1 at 3.
    inside = native.where(x >= 3.0, x, x * (x + 3.0) / 6.0)
    return native.where(x <= -3.0, native.zeros_like(x), inside)


def hardswish(x: Any, name: Any = None) -> Any:
    """Returns x * relu6(x + 3) / 6."""
    return _hardswish(operand(x))


@composite(1, "thresholded_relu")
def _thresholded(x: Any, threshold: float, value: float) -> Tensor:
    return native.where(x > threshold, x, native.full_like(x, value))


def thresholded_relu(x: Any, threshold: float = 1.0, value: float = 0.0, name: Any = None) -> Any:
    """Returns x above a threshold, and `value` elsewhere."""
    return _thresholded(operand(x), float(threshold), float(value))


@composite(1, "glu", wide=True)
def _glu(x: Any, axis: int) -> Tensor:
    half = x.shape[axis] // 2
    first = native.take(x, native.arange(half), axis=axis)
    second = native.take(x, native.arange(half, 2 * half), axis=axis)
    return first * native_nn.sigmoid(second)


def glu(x: Any, axis: int = -1, name: Any = None) -> Any:
    """Returns one half of x times the sigmoid of the other."""
    x = operand(x)
    if x._spec.shape[axis] % 2:
        raise InvalidValueError(
            f"glu: axis {axis} of {list(x._spec.shape)} cannot be split into two halves.", site=here()
        )
    return _glu(x, int(axis))


@composite(1, "maxout")
def _maxout(x: Any, groups: int, axis: int) -> Tensor:
    axis %= len(x.shape)
    shape = (*x.shape[:axis], x.shape[axis] // groups, groups, *x.shape[axis + 1 :])
    return native.max(native.reshape(x, shape), axis=axis + 1)


def maxout(x: Any, groups: int, axis: int = 1, name: Any = None) -> Any:
    """Returns the largest of each `groups` channels."""
    return _maxout(operand(x), int(groups), int(axis))


@composite(2, "prelu", wide=True)
def _prelu(x: Any, weight: Any, axis: int) -> Tensor:
    shape = [1] * len(x.shape)
    if weight.shape and weight.shape[0] > 1:
        shape[axis] = weight.shape[0]
    return native.where(x > 0, x, x * native.reshape(weight, tuple(shape)))


def prelu(x: Any, weight: Any, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns x above 0, and weight * x below it; one weight, or one for each channel."""
    x = operand(x)
    axis = len(x._spec.shape) - 1 if data_format in ("NLC", "NHWC", "NDHWC") else 1
    return _prelu(x, operand(weight), axis)


def gumbel_softmax(
    x: Any, temperature: float = 1.0, hard: bool = False, axis: int = -1, name: Any = None
) -> Any:
    """Returns draws of classes that gradients pass: softmax((x + Gumbel noise) / temperature).

    With `hard` they are one-hot, and the gradient is that of the soft draw.
    """
    x = operand(x)
    noise = source.gumbel(x._spec.shape, dtype=x._spec.dtype)
    soft = native_nn.softmax((x + noise) / float(temperature), axis)
    if not hard:
        return soft
    length = soft._spec.shape[axis]
    chosen = native.one_hot(native.argmax(soft, axis=axis), length)
    chosen = native.moveaxis(native.astype(chosen, x._spec.dtype), -1, axis)
    return chosen - native.stop_gradient(soft) + soft


# -- losses ---------------------------------------------------------------------------------------------


def _reduced(found: Any, reduction: str) -> Any:
    if reduction not in ("mean", "sum", "none"):
        raise InvalidValueError(
            f"The value of 'reduction' should be 'sum', 'mean' or 'none', but received {reduction}, which is "
            "not allowed.",
            site=here(),
        )
    return found if reduction == "none" else getattr(native, reduction)(found)


@composite(3, "triplet_margin", wide=True)
def _triplet(a: Any, near: Any, far: Any, margin: float, p: float, epsilon: float, swap: bool) -> Tensor:
    def apart(one: Any, other: Any) -> Any:
        return native.sum((native.abs(one - other) + epsilon) ** p, axis=-1) ** (1.0 / p)

    distance = apart(a, far)
    if swap:
        distance = native.minimum(distance, apart(near, far))
    return native_nn.relu(apart(a, near) - distance + margin)


def triplet_margin_loss(
    input: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2.0, epsilon: float = 1e-6,
    swap: bool = False, reduction: str = "mean", name: Any = None,
) -> Any:  # fmt: skip
    """Returns relu(|input - positive| - |input - negative| + margin)."""
    parts = (operand(input), operand(positive), operand(negative))
    return _reduced(_triplet(*parts, float(margin), float(p), float(epsilon), bool(swap)), reduction)


@composite(3, "margin_ranking", wide=True)
def _ranking(x: Any, other: Any, label: Any, margin: float) -> Tensor:
    return native_nn.relu((other - x) * label + margin)


def margin_ranking_loss(
    input: Any, other: Any, label: Any, margin: float = 0.0, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns relu(-label * (input - other) + margin)."""
    return _reduced(_ranking(operand(input), operand(other), operand(label), float(margin)), reduction)


@composite(2, "hinge_embedding", wide=True)
def _hinge(x: Any, label: Any, margin: float) -> Tensor:
    return native.where(label == 1.0, x, native.where(label == -1.0, native_nn.relu(margin - x), 0.0))


def hinge_embedding_loss(
    input: Any, label: Any, margin: float = 1.0, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns x where the label is 1, relu(margin - x) where it is -1, and 0 elsewhere."""
    return _reduced(_hinge(operand(input), operand(label), float(margin)), reduction)


@composite(3, "cosine_embedding", wide=True)
def _cosine(x: Any, y: Any, label: Any, margin: float) -> Tensor:
    inner = native.sum(x * y, axis=-1)
    squares = (native.sum(x * x, axis=-1) + 1e-11) * (native.sum(y * y, axis=-1) + 1e-11)
    cosine = inner / native.sqrt(squares)
    apart = native.where(label == -1, native_nn.relu(cosine - margin), 0.0)
    return native.where(label == 1, 1.0 - cosine, apart)


def cosine_embedding_loss(
    input1: Any, input2: Any, label: Any, margin: float = 0, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns 1 - cosine where the label is 1, relu(cosine - margin) where it is -1, and 0 elsewhere."""
    return _reduced(_cosine(operand(input1), operand(input2), operand(label), float(margin)), reduction)


@composite(2, "poisson_nll", wide=True)
def _poisson(x: Any, label: Any, log_input: bool, full: bool, epsilon: float) -> Tensor:
    found = native.exp(x) - label * x if log_input else x - label * native.log(x + epsilon)
    if not full:
        return found  # type: ignore[no-any-return]
    inside = native.where(label > 1, label, 1.0)
    stirling = label * native.log(inside) - label + 0.5 * native.log(2.0 * math.pi * inside)
    return found + native.where(label > 1, stirling, 0.0)  # type: ignore[no-any-return]


def poisson_nll_loss(
    input: Any, label: Any, log_input: bool = True, full: bool = False, epsilon: float = 1e-8,
    reduction: str = "mean", name: Any = None,
) -> Any:  # fmt: skip
    """Returns the negative log-likelihood of counts under Poisson distributions."""
    found = _poisson(operand(input), operand(label), bool(log_input), bool(full), float(epsilon))
    return _reduced(found, reduction)


@composite(2, "sigmoid_focal", wide=True)
def _focal(x: Any, label: Any, weighed: bool, alpha: float, gamma: float) -> Tensor:
    cross = native_nn.softplus(x) - x * label
    p = native_nn.sigmoid(x)
    right = p * label + (1.0 - p) * (1.0 - label)
    weight = label * alpha + (1.0 - label) * (1.0 - alpha) if weighed else 1.0
    return weight * (1.0 - right) ** gamma * cross  # type: ignore[no-any-return]


def sigmoid_focal_loss(
    logit: Any, label: Any, normalizer: Any = None, alpha: float = 0.25, gamma: float = 2.0,
    reduction: str = "sum", name: Any = None,
) -> Any:  # fmt: skip
    """Returns sigmoid cross-entropy in which what is classified well counts little (Lin et al., 2017)."""
    found = _focal(operand(logit), operand(label), float(alpha) >= 0.0, float(alpha), float(gamma))
    return _reduced(found if normalizer is None else found / operand(normalizer), reduction)


@composite(1, "label_smooth", wide=True)
def _smoothed(label: Any, epsilon: float) -> Tensor:
    return label * (1.0 - epsilon) + epsilon / label.shape[-1]  # type: ignore[no-any-return]


def label_smooth(label: Any, prior_dist: Any = None, epsilon: float = 0.1, name: Any = None) -> Any:
    """Returns (1 - epsilon) * label + epsilon / classes, or + epsilon * prior_dist."""
    x = operand(label)
    if prior_dist is not None:
        return x * (1.0 - float(epsilon)) + operand(prior_dist) * float(epsilon)
    return _smoothed(x, float(epsilon))


# -- arrangements ---------------------------------------------------------------------------------------


def pad(
    x: Any, pad: Any, mode: str = "constant", value: float = 0.0, data_format: str = "NCHW",
    pad_from_left_axis: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with entries added around it.

    With a pair of widths for every axis, from the first to the last; with fewer, for the spatial axes, from
    the last to the first. `mode` is "constant", "reflect", "replicate" or "circular".
    """
    x = operand(x)
    rank = len(x._spec.shape)
    widths = [
        int(one) for one in (pad if isinstance(pad, list | tuple) else np.asarray(operand(pad).numpy()))
    ]
    pairs = [(0, 0)] * rank
    if mode == "constant" and len(widths) == 2 * rank:
        ordered = list(zip(widths[::2], widths[1::2], strict=True))
        pairs = ordered if pad_from_left_axis else ordered[::-1]
    else:
        last = data_format in ("NLC", "NHWC", "NDHWC")
        spatial = list(range(1, rank - 1)) if last else list(range(2, rank))
        if len(widths) % 2 or len(widths) // 2 > len(spatial):
            raise InvalidValueError(
                f"pad: {len(widths)} widths were given for a tensor of {rank} axes.", site=here()
            )
        for axis, before, after in zip(spatial[::-1], widths[::2], widths[1::2], strict=False):
            pairs[axis] = (before, after)
    kinds = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "circular"}
    if mode not in kinds:
        raise InvalidValueError(
            f"mode should be one of constant, reflect, replicate, circular, but got {mode}.", site=here()
        )
    return resize.pad(x, pairs, kinds[mode], float(value))


@composite(1, "pixel_shuffle")
def _shuffled(x: Any, factor: int) -> Tensor:
    batch, channels, height, width = x.shape
    x = native.reshape(x, (batch, channels // factor**2, factor, factor, height, width))
    x = native.permute_dims(x, (0, 1, 4, 2, 5, 3))
    return native.reshape(x, (batch, channels // factor**2, height * factor, width * factor))


def pixel_shuffle(x: Any, upscale_factor: int, data_format: str = "NCHW", name: Any = None) -> Any:
    """Returns images whose channels have become blocks of pixels."""
    x = operand(x)
    last = _channels_last("pixel_shuffle", x, data_format)
    if not last:
        return _shuffled(x, int(upscale_factor))
    turned = native.permute_dims(x, (0, 3, 1, 2))
    return native.permute_dims(_shuffled(turned, int(upscale_factor)), (0, 2, 3, 1))


def _channels_last(name: str, x: Any, data_format: str) -> bool:
    if data_format not in ("NCHW", "NHWC") or len(x._spec.shape) != 4:
        raise InvalidValueError(
            f"{name} takes images [N, C, H, W] or [N, H, W, C], but received a tensor of shape "
            f"{list(x._spec.shape)} with data_format {data_format!r}.",
            site=here(),
        )
    return data_format == "NHWC"


def sequence_mask(x: Any, maxlen: Any = None, dtype: Any = "int64", name: Any = None) -> Any:
    """Returns, for each length, so many ones, and zeros up to `maxlen`, the longest if it is None."""
    lengths = operand(x)
    if maxlen is None:
        known = np.asarray(lengths.numpy())
        maxlen = int(known.max()) if known.size else 0
    return _mask(lengths, int(maxlen), numpy_dtype(dtype))


@composite(1, "sequence_mask")
def _mask(lengths: Any, longest: int, dtype: Any) -> Tensor:
    places = native.arange(longest, dtype=lengths.dtype)
    return (places < native.expand_dims(lengths, axis=-1)).astype(dtype)


@composite(3, "instance_norm", wide=True)
def _instance(x: Any, weight: Any, bias: Any, epsilon: float) -> Tensor:
    axes = tuple(range(2, len(x.shape)))
    mean = native.mean(x, axis=axes, keepdims=True)
    distance = x - mean
    variance = native.mean(distance * distance, axis=axes, keepdims=True)
    shape = (1, -1, *[1] * len(axes))
    scaled = distance / native.sqrt(variance + epsilon) * native.reshape(weight, shape)
    return scaled + native.reshape(bias, shape)  # type: ignore[no-any-return]


def instance_norm(
    x: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
    use_input_stats: bool = True, momentum: float = 0.9, eps: float = 1e-5, data_format: str = "NCHW",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with mean 0 and variance 1 over the space of each image and channel.

    As in Paddle, they are the statistics of the input: `running_mean`, `running_var`, `use_input_stats` and
    `momentum` do nothing.
    """
    x = operand(x)
    rank = len(x._spec.shape)
    last = data_format in ("NLC", "NHWC", "NDHWC")
    if last:
        x = native.moveaxis(x, rank - 1, 1)
    channels, own = x._spec.shape[1], x._spec.dtype
    weight = data(np.ones(channels, own)) if weight is None else operand(weight)
    bias = data(np.zeros(channels, own)) if bias is None else operand(bias)
    found = _instance(x, weight, bias, float(eps))
    return native.moveaxis(found, 1, rank - 1) if last else found


def dropout2d(
    x: Any, p: float = 0.5, training: bool = True, data_format: str = "NCHW", name: Any = None
) -> Any:
    """Returns images of which whole channels are set to 0 with the probability p."""
    from penstock.paddle.nn.functional import dropout

    return dropout(x, p, axis=[0, 1] if data_format == "NCHW" else [0, 3], training=training)


def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    training: bool = True, backend: Any = None, scale: Any = None, enable_gqa: bool = True, name: Any = None,
) -> Any:  # fmt: skip
    """Returns softmax(query @ key^T / sqrt(d)) @ value, of [batch, length, heads, d].

    There is one way to compute it: `backend` does nothing.
    """
    if dropout_p and training:
        raise NotThereError("scaled_dot_product_attention with dropout_p is not supported yet.", site=here())
    turned = [native.permute_dims(operand(one), (0, 2, 1, 3)) for one in (query, key, value)]
    heads, fewer = turned[0]._spec.shape[1], turned[1]._spec.shape[1]
    if enable_gqa and heads != fewer and fewer and heads % fewer == 0:
        turned[1:] = [native.repeat(one, heads // fewer, axis=1) for one in turned[1:]]
    mask = None if attn_mask is None else operand(attn_mask)
    found = native_attention.attention(
        *turned, mask=mask, causal=bool(is_causal), scale=None if scale is None else float(scale)
    )
    return native.permute_dims(found, (0, 2, 1, 3))
