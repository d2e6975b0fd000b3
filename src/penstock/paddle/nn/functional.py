"""Functions of neural networks under Paddle's names."""

from __future__ import annotations

import importlib
import math
import sys
import weakref
from typing import Any

import numpy as np

from penstock.errors import PenstockError
from penstock.functions import array as arrays
from penstock.functions import linalg, segments
from penstock.functions import losses as native_losses
from penstock.functions import nn as native
from penstock.functions.composite import composite
from penstock.ops import index, pointwise, reduce
from penstock.ops import shape as shapes
from penstock.paddle import _creation, _math
from penstock.paddle._autocast import like_input, looked_up
from penstock.paddle._autograd import switch
from penstock.paddle._convert import HANDLES, converted, operand, record, translated
from penstock.paddle._dtype import numpy_dtype
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._manipulation import one_hot as one_hot
from penstock.paddle._math import sigmoid as sigmoid
from penstock.paddle._math import tanh as tanh
from penstock.paddle._names import absent
from penstock.paddle._operators import matmul
from penstock.paddle._tensor import Leaf
from penstock.paddle.nn._norm_functions import batch_norm as batch_norm
from penstock.paddle.nn._norm_functions import group_norm as group_norm
from penstock.paddle.nn._rarely import (
    celu,
    cosine_embedding_loss,
    dropout2d,
    glu,
    gumbel_softmax,
    hardshrink,
    hardswish,
    hinge_embedding_loss,
    instance_norm,
    label_smooth,
    margin_ranking_loss,
    maxout,
    pad,
    pixel_shuffle,
    poisson_nll_loss,
    prelu,
    scaled_dot_product_attention,
    sequence_mask,
    sigmoid_focal_loss,
    softshrink,
    thresholded_relu,
    triplet_margin_loss,
)
from penstock.paddle.nn._windows import adaptive_avg_pool1d as adaptive_avg_pool1d
from penstock.paddle.nn._windows import adaptive_avg_pool2d as adaptive_avg_pool2d
from penstock.paddle.nn._windows import avg_pool1d as avg_pool1d
from penstock.paddle.nn._windows import avg_pool2d as avg_pool2d
from penstock.paddle.nn._windows import avg_pool3d as avg_pool3d
from penstock.paddle.nn._windows import conv1d as conv1d
from penstock.paddle.nn._windows import conv1d_transpose as conv1d_transpose
from penstock.paddle.nn._windows import conv2d as conv2d
from penstock.paddle.nn._windows import conv2d_transpose as conv2d_transpose
from penstock.paddle.nn._windows import conv3d as conv3d
from penstock.paddle.nn._windows import max_pool1d as max_pool1d
from penstock.paddle.nn._windows import max_pool2d as max_pool2d
from penstock.paddle.nn._windows import max_pool3d as max_pool3d
from penstock.trace.fast_path import find
from penstock.trace.source_site import here

_frame = sys._getframe


# -- activations -----------------------------------------------------------------------------------------


def relu(x: Any, name: Any = None) -> Any:
    """Returns x where it is positive, 0 elsewhere.

    >>> from penstock import paddle
    >>> paddle.nn.functional.relu(paddle.to_tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    found = find(pointwise.relu.code, x)
    return record(pointwise.relu, (operand(x),), {}, _frame(1)) if found is None else found


def relu6(x: Any, name: Any = None) -> Any:
    """Returns x brought into 0 .. 6."""
    return native.relu6(operand(x))


def leaky_relu(x: Any, negative_slope: float = 0.01, name: Any = None) -> Any:
    """Returns x where it is positive, `negative_slope` times x elsewhere."""
    return _leaky(operand(x), float(negative_slope))


@composite(1, "leaky_relu", wide=True)
def _leaky(x: Any, slope: float) -> Any:
    # Paddle's slope at 0 is 1.
    return pointwise.where(x >= 0.0, x, x * slope)


def elu(x: Any, alpha: float = 1.0, name: Any = None) -> Any:
    """Returns alpha * (exp(x) - 1) where x is negative, x elsewhere."""
    return native.elu(operand(x), float(alpha))


def selu(
    x: Any, scale: float = 1.0507009873554805, alpha: float = 1.6732632423543772, name: Any = None
) -> Any:
    """Returns scale * elu(x, alpha)."""
    if scale <= 1.0 or alpha < 0:
        what = (
            f"scale must be greater than 1.0. Received: {scale}."
            if scale <= 1.0
            else (f"alpha must be no less than zero. Received: {alpha}.")
        )
        raise InvalidValueError(f"The {what}", site=here())
    return _selu(operand(x), float(scale), float(alpha))


@composite(1, "selu", wide=True)
def _selu(x: Any, scale: float, alpha: float) -> Any:
    # Paddle's slope at 0 is that from below.
    inside = pointwise.where(x > 0.0, 0.0, x)
    return pointwise.where(x > 0.0, x, pointwise.expm1(inside) * alpha) * scale


def gelu(x: Any, approximate: Any = False, name: Any = None) -> Any:
    """Returns x times the normal distribution function, or, with True or "tanh", its tanh form."""
    if approximate not in (True, False, "tanh", "none"):
        raise InvalidValueError(f"gelu: approximate is {approximate!r}; use 'tanh' or 'none'.", site=here())
    return native.gelu(operand(x), approximate in (True, "tanh"))


def silu(x: Any, inplace: bool = False, name: Any = None) -> Any:
    """Returns x * sigmoid(x); with `inplace` x itself takes the value."""
    found = native.silu(operand(x))
    return _math.written(found, x if inplace else None, "silu", _frame(1))


def swish(x: Any, name: Any = None) -> Any:
    """Returns x * sigmoid(x)."""
    return native.silu(operand(x))


def softplus(x: Any, beta: float = 1.0, threshold: float = 20.0, name: Any = None) -> Any:
    """Returns log(1 + exp(beta * x)) / beta, and x where beta * x is above the threshold."""
    frame = _frame(1)
    scaled = operand(x) * beta if beta != 1 else operand(x)
    soft = record(pointwise.softplus, (scaled,), {}, frame)
    soft = soft / beta if beta != 1 else soft
    return record(pointwise.where, (scaled > float(threshold), x, soft), {}, frame)


def softsign(x: Any, name: Any = None) -> Any:
    """Returns x / (1 + |x|)."""
    return native.softsign(operand(x))


def log_sigmoid(x: Any, name: Any = None) -> Any:
    """Returns log(sigmoid(x)), without overflow."""
    frame = _frame(1)
    return -record(pointwise.softplus, (-operand(x),), {}, frame)


def hardsigmoid(x: Any, slope: float = 0.1666667, offset: float = 0.5, name: Any = None) -> Any:
    """Returns slope * x + offset, brought into 0 .. 1."""
    return _math.clip(operand(x) * slope + offset, 0.0, 1.0)


def hardtanh(x: Any, min: float = -1.0, max: float = 1.0, name: Any = None) -> Any:
    """Returns x brought into min .. max; at both its slope is 0."""
    return _hardtanh(operand(x), float(min), float(max))


@composite(1, "hardtanh")
def _hardtanh(x: Any, low: float, high: float) -> Any:
    return pointwise.where(x <= low, low, pointwise.where(x >= high, high, x))


def tanhshrink(x: Any, name: Any = None) -> Any:
    """Returns x - tanh(x)."""
    return x - tanh(x)


def mish(x: Any, name: Any = None) -> Any:
    """Returns x * tanh(softplus(x))."""
    return x * tanh(softplus(x))


def softmax(x: Any, axis: int = -1, dtype: Any = None, name: Any = None) -> Any:
    """Returns exp(x) / sum(exp(x)) along an axis, without overflow."""
    x = operand(x) if dtype is None else converted(operand(x), numpy_dtype(dtype), _frame(1))
    return native.softmax(x, axis)


def log_softmax(x: Any, axis: int = -1, dtype: Any = None, name: Any = None) -> Any:
    """Returns log(softmax(x)), without overflow."""
    x = operand(x) if dtype is None else converted(operand(x), numpy_dtype(dtype), _frame(1))
    return native.log_softmax(x, axis)


# -- layers' functions -----------------------------------------------------------------------------------


def linear(x: Any, weight: Any, bias: Any = None, name: Any = None) -> Any:
    """Returns x @ weight + bias."""
    found = matmul(x, weight, _frame(1))
    return found if bias is None else found + bias


def embedding(
    x: Any, weight: Any, padding_idx: int | None = None, max_norm: Any = None, norm_type: Any = 2.0,
    sparse: bool = False, scale_grad_by_freq: bool = False, name: Any = None,
) -> Any:  # fmt: skip
    """Returns the rows of a table at these positions; rows of `padding_idx` are zero and do not learn.

    With `max_norm`, rows that are read and whose norm is larger are scaled down to it in the table itself.
    With `scale_grad_by_freq`, the gradient of a row is divided by how often it was read. `sparse` matters to
    optimizers in their lazy mode: the gradient is rows either way.
    """
    frame = _frame(1)
    x = operand(x)
    if sparse and isinstance(weight, Leaf):
        weight.sparse = True
    if x._spec.dtype.kind not in "iu":
        raise InvalidValueError(
            f"embedding was given {x._spec.dtype.name} positions; they must be int32 or int64.", site=here()
        )
    if max_norm is not None:
        before = switch(False, frame)
        try:
            weight._replace(_bounded(weight, x, float(max_norm), float(norm_type)), "embedding", frame)
        finally:
            switch(before, frame)
    try:
        found = record(index.take, (weight, x), {"axis": 0}, frame)
    except PenstockError as error:
        raise translated(error) from None
    if scale_grad_by_freq:
        found = _by_frequency(found, x, weight._spec.shape[0])
    found = looked_up(weight, found, frame)
    if padding_idx is None:
        return found
    place = padding_idx % weight._spec.shape[0]
    kept = record(pointwise.not_equal, (x, place), {}, frame)
    kept = record(shapes.reshape, (kept,), {"shape": (*x._spec.shape, 1)}, frame)
    return record(pointwise.where, (kept, found, 0.0), {}, frame)


@composite(2, "embedding", wide=True)
def _bounded(weight: Any, x: Any, limit: float, order: float) -> Any:
    """Returns a table in which rows that are read have at most a norm."""
    flat = shapes.reshape(x, shape=(math.prod(x.shape),))
    read = segments.segment_sum(arrays.ones_like(flat), flat, weight.shape[0])
    size = linalg.vector_norm(weight, axis=1, keepdims=True, ord=order)
    large = pointwise.logical_and(shapes.reshape(read, shape=(weight.shape[0], 1)) > 0, size > limit)
    return pointwise.where(large, weight * (limit / (size + 1e-7)), weight)


@composite(2, "embedding")
def _by_frequency(rows: Any, x: Any, count: int) -> Any:
    """Returns rows as they are, whose gradients are divided by how often each was read."""
    flat = shapes.reshape(x, shape=(math.prod(x.shape),))
    read = segments.segment_sum(arrays.ones_like(flat), flat, count)
    times = shapes.reshape(arrays.take(read, flat, axis=0), shape=(*x.shape, 1)).astype(rows.dtype)
    fixed = pointwise.stop_gradient(rows)
    return fixed + (rows - fixed) / times


def dropout(
    x: Any, p: float = 0.5, axis: Any = None, training: bool = True, mode: str = "upscale_in_train",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with elements set to 0 with the probability p, the others made larger to make up for it."""
    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise InvalidValueError(
            "mode argument should be 'downscale_in_infer' or 'upscale_in_train'", site=here()
        )
    if not 0 <= p <= 1:
        raise InvalidValueError("p argument should between 0 and 1", site=here())
    up = mode == "upscale_in_train"
    if not training or p == 0:
        return record(pointwise.identity, (operand(x),), {}, _frame(1)) if up or p == 0 else x * (1.0 - p)
    if p == 1:
        return x * 0.0
    own = operand(x)._spec.shape
    axes = range(len(own)) if axis is None else [axis] if isinstance(axis, int) else axis
    lengths = [n if i in axes else 1 for i, n in enumerate(own)]
    kept = _creation.rand(lengths) >= float(p)
    masked = record(pointwise.where, (kept, x, 0.0), {}, _frame(1))
    return masked / (1.0 - p) if up else masked


def normalize(x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: Any = None) -> Any:
    """Returns x divided by its p-norm along an axis."""
    size = _math.norm(x, p, axis % max(x._spec.ndim, 1) if x._spec.ndim > 1 else 0, True)
    return x / _math.maximum(size, epsilon)


@composite(3, wide=True)
def _layer_norm(x: Any, weight: Any, bias: Any, count: int, epsilon: float) -> Any:
    axes = tuple(range(len(x.shape) - count, len(x.shape)))
    centred = x - reduce.mean(x, axes=axes, keepdims=True)
    variance = reduce.mean(pointwise.square(centred), axes=axes, keepdims=True)
    weight, bias = (shapes.reshape(one, shape=x.shape[axes[0] :]) for one in (weight, bias))
    return centred * pointwise.rsqrt(variance + epsilon) * weight + bias


def layer_norm(
    x: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, epsilon: float = 1e-5,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns x with mean 0 and variance 1 over its last axes, times weight, plus bias."""
    lengths = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    own = operand(x)._spec
    if tuple(own.shape[len(own.shape) - len(lengths) :]) != lengths:
        raise InvalidValueError(
            f"layer_norm: normalized_shape is {list(lengths)}, the input has shape {list(own.shape)}.",
            site=here(),
        )
    weight = _creation.ones(lengths, own.dtype.name) if weight is None else weight
    bias = _creation.zeros(lengths, own.dtype.name) if bias is None else bias
    found = _layer_norm(x, weight, bias, len(lengths), float(epsilon))
    return like_input("layer_normalization", operand(x), found, _frame(1))


# -- losses ----------------------------------------------------------------------------------------------


def reduced(found: Any, reduction: str) -> Any:
    """Returns a loss as its mean, its sum, or as it is."""
    if reduction == "mean":
        return _math.mean(found)
    if reduction == "sum":
        return _math.sum(found)
    if reduction == "none":
        return found
    raise InvalidValueError(
        "The value of 'reduction' should be 'sum', 'mean' or 'none', but received "
        f"{reduction}, which is not allowed.",
        site=here(),
    )


def cross_entropy(
    input: Any, label: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
    soft_label: bool = False, axis: int = -1, use_softmax: bool = True, label_smoothing: float = 0.0,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns -log(softmax(input)) at the labels: integers, or probabilities with `soft_label`.

    Labels may have an axis of length 1 where the classes are, and the result then has it too without a
    reduction.
    """
    if reduction not in ("mean", "sum", "none"):
        reduced(input, reduction)
    frame = _frame(1)
    input, label = operand(input), operand(label)
    rank = len(input._spec.shape)
    axis = axis % rank
    classes = input._spec.shape[axis]
    if len(label._spec.shape) not in (rank, rank - 1):
        raise InvalidValueError(
            "Expected input_dims - 1 = label_dims or input_dims == label_dims             "
            f"(got input_dims{rank}, label_dims{len(label._spec.shape)})",
            site=here(),
        )
    if soft_label or (label._spec.shape == input._spec.shape and label._spec.dtype.kind in "fV"):
        if label_smoothing:
            label = label * (1.0 - label_smoothing) + label_smoothing / classes
        terms = _soft_terms(input, label, axis, bool(use_softmax))
        if weight is not None:
            chosen = _math.sum(label * weight, -1)
            terms = terms * chosen.reshape(terms.shape)
            if reduction == "mean":
                return _math.sum(terms) / _math.sum(chosen)
        if reduction == "none":
            return terms
        return _math.sum(terms) / float(np.prod(terms.shape)) if reduction == "mean" else _math.sum(terms)
    kept_axis = len(label._spec.shape) == rank
    lengths = tuple(n for i, n in enumerate(input._spec.shape) if i != axis)
    flat_label = record(shapes.reshape, (label,), {"shape": lengths}, frame) if kept_axis else label
    if axis != rank - 1:
        order = (*(i for i in range(rank) if i != axis), axis)
        input = record(shapes.transpose, (input,), {"axes": order}, frame)
    if label_smoothing:
        spread = one_hot(flat_label, classes) * (1.0 - label_smoothing) + label_smoothing / classes
        return cross_entropy(input, spread, weight, ignore_index, reduction, True, -1, use_softmax)
    marked = _may_hold(flat_label, int(ignore_index))
    if weight is None and use_softmax and not marked:
        terms = native_losses.softmax_cross_entropy(input, flat_label)
        if reduction == "none" and kept_axis:
            return record(shapes.reshape, (terms,), {"shape": label._spec.shape}, frame)
        return reduced(terms, reduction)
    ignored = record(pointwise.equal, (flat_label, int(ignore_index)), {}, frame)
    safe = record(pointwise.where, (ignored, 0, flat_label), {}, frame)
    logs = input if use_softmax else _math.log(input)
    if use_softmax:
        terms = native_losses.softmax_cross_entropy(logs, safe)
    else:
        terms = -_math.sum(logs * one_hot(safe, classes), -1)
    if weight is None:
        scale = converted(record(pointwise.logical_not, (ignored,), {}, frame), terms._spec.dtype, frame)
    else:
        chosen = record(index.take, (operand(weight), safe), {"axis": 0}, frame)
        scale = record(pointwise.where, (ignored, 0.0, chosen), {}, frame)
    terms = terms * scale
    if reduction == "none":
        if kept_axis:
            return record(shapes.reshape, (terms,), {"shape": label._spec.shape}, frame)
        return terms
    if reduction == "sum":
        return _math.sum(terms)
    if weight is None and ignore_index < 0:
        # Paddle divides by all rows then, those that do not count included.
        return _math.mean(terms)
    return _math.sum(terms) / _math.sum(scale)


def _may_hold(label: Any, mark: int) -> bool:
    """Returns whether labels may hold the mark of those that do not count: data is looked at, once."""
    value = label._value
    if value is None or isinstance(value, Exception):
        # Computed: whether they do is known when it is run.
        return True
    key = (id(value), mark)
    seen = _seen_labels.get(key)
    if seen is None or seen[0]() is not value:
        if len(_seen_labels) > 256:
            _seen_labels.clear()
        try:
            seen = weakref.ref(value), bool((np.asarray(value) == mark).any())
        except TypeError:
            return True
        _seen_labels[key] = seen
    return seen[1]


_seen_labels: dict[Any, Any] = {}


@composite(2, wide=True)
def _soft_terms(logits: Any, label: Any, axis: int, use_softmax: bool) -> Any:
    logs = native.log_softmax(logits, axis) if use_softmax else pointwise.log(logits)
    return -reduce.sum(logs * label, axes=(axis,), keepdims=True)


def softmax_with_cross_entropy(
    logits: Any, label: Any, soft_label: bool = False, ignore_index: int = -100,
    numeric_stable_mode: bool = True, return_softmax: bool = False, axis: int = -1,
) -> Any:  # fmt: skip
    """Returns the cross-entropy of each row, with the axis of classes kept at length 1.

    It is always stable: `numeric_stable_mode` does nothing.
    """
    found = cross_entropy(logits, label, None, ignore_index, "none", soft_label, axis)
    if found._spec.ndim < logits._spec.ndim:
        found = found.unsqueeze(axis)
    return (found, softmax(logits, axis)) if return_softmax else found


def mse_loss(input: Any, label: Any, reduction: str = "mean", name: Any = None) -> Any:
    """Returns the squared difference."""
    return reduced(_math.square(operand(input) - label), reduction)


def square_error_cost(input: Any, label: Any) -> Any:
    """Returns the squared difference, elementwise."""
    return _math.square(operand(input) - label)


def l1_loss(input: Any, label: Any, reduction: str = "mean", name: Any = None) -> Any:
    """Returns the absolute difference."""
    return reduced(_math.abs(operand(input) - label), reduction)


def smooth_l1_loss(
    input: Any, label: Any, reduction: str = "mean", delta: float = 1.0, is_huber: bool = True,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns half the squared difference where it is below `delta`, and a straight line beyond."""
    frame = _frame(1)
    size = _math.abs(operand(input) - label)
    inner = _math.square(size) * 0.5
    outer = (size - 0.5 * delta) * delta
    found = record(pointwise.where, (size < float(delta), inner, outer), {}, frame)
    return reduced(found if is_huber else found / delta, reduction)


@composite(2, wide=True)
def _binary_terms(chance: Any, label: Any) -> Any:
    # The logarithms are cut at -100, as in Paddle, so that a chance of 0 or 1 gives a number.
    one = pointwise.maximum(pointwise.log(chance), -100.0)
    other = pointwise.maximum(pointwise.log(1.0 - chance), -100.0)
    return -(label * one + (1.0 - label) * other)


def binary_cross_entropy(
    input: Any, label: Any, weight: Any = None, reduction: str = "mean", name: Any = None
) -> Any:
    """Returns the binary cross-entropy of chances between 0 and 1."""
    found = _binary_terms(operand(input), operand(label))
    return reduced(found if weight is None else found * weight, reduction)


def binary_cross_entropy_with_logits(
    logit: Any, label: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None,
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns the binary cross-entropy of sigmoid(logit), without overflow."""
    logit, label = operand(logit), operand(label)
    if logit._spec.shape != label._spec.shape:
        raise InvalidValueError(
            f"The shape of logit {list(logit._spec.shape)} and of label {list(label._spec.shape)} differ.",
            site=here(),
        )
    found = native_losses.sigmoid_cross_entropy(logit, label)
    if pos_weight is not None:
        found = found * (label * (pos_weight - 1.0) + 1.0)
    return reduced(found if weight is None else found * weight, reduction)


def nll_loss(
    input: Any, label: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean",
    name: Any = None,
) -> Any:  # fmt: skip
    """Returns minus the log-probability at each label."""
    frame = _frame(1)
    classes = input._spec.shape[1]
    label = operand(label)
    kept = converted(
        record(pointwise.not_equal, (label, int(ignore_index)), {}, frame), input._spec.dtype, frame
    )
    safe = record(pointwise.where, (kept > 0.5, label, 0), {}, frame)
    chosen = one_hot(safe, classes)
    if input._spec.ndim > 2:
        order = (0, input._spec.ndim - 1, *range(1, input._spec.ndim - 1))
        chosen = record(shapes.transpose, (chosen,), {"axes": order}, frame)
    terms = -_math.sum(input * chosen, 1) * kept
    scale = kept
    if weight is not None:
        scale = record(index.take, (operand(weight), safe), {"axis": 0}, frame) * kept
        terms = terms * scale
    if reduction == "mean":
        return _math.sum(terms) / _math.sum(scale)
    return reduced(terms, reduction)


def ctc_loss(
    log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, blank: int = 0,
    reduction: str = "mean", norm_by_times: bool = False,
) -> Any:  # fmt: skip
    """Returns -log of the probability of label sequences, over all alignments.

    `log_probs` are logits [time, batch, classes], which need not be normalised. The mean is that of the
    losses divided by the lengths of the labels.
    """
    if norm_by_times:
        raise PenstockError(
            "ctc_loss: norm_by_times=True is not supported yet: it divides the gradients, not the loss.",
            remedy="Omit it, and divide the loss by input_lengths.",
            site=here(),
        )
    if reduction not in ("mean", "sum", "none"):
        reduced(log_probs, reduction)
    lengths = operand(label_lengths)
    found: Any = _ctc(operand(log_probs), operand(labels), operand(input_lengths), lengths, int(blank))
    if reduction == "mean":
        found = found / converted(lengths, found._spec.dtype, _frame(1))
    return reduced(found, reduction)


@composite(4, "ctc", wide=True)
def _ctc(log_probs: Any, labels: Any, input_lengths: Any, label_lengths: Any, blank: int) -> Any:
    return native_losses.ctc(log_probs, labels, input_lengths, label_lengths, blank=blank, time_major=True)


def kl_div(
    input: Any, label: Any, reduction: str = "mean", log_target: bool = False, name: Any = None
) -> Any:
    """Returns label * (log(label) - input), where input holds logarithms."""
    frame = _frame(1)
    label = operand(label)
    if log_target:
        found = _math.exp(label) * (label - input)
    else:
        positive = label > 0.0
        safe = record(pointwise.where, (positive, label, 1.0), {}, frame)
        found = record(pointwise.where, (positive, label * (_math.log(safe) - input), 0.0), {}, frame)
    if reduction == "batchmean":
        return _math.sum(found) / float(input._spec.shape[0])
    return reduced(found, reduction)


def cosine_similarity(x1: Any, x2: Any, axis: int = 1, eps: float = 1e-8) -> Any:
    """Returns the cosine of the angle between vectors along an axis."""
    size = _math.norm(x1, 2, axis) * _math.norm(x2, 2, axis)
    return _math.sum(x1 * x2, axis) / _math.maximum(size, eps)


def log_loss(input: Any, label: Any, epsilon: float = 1e-4, name: Any = None) -> Any:
    """Returns the binary cross-entropy with `epsilon` added inside the logarithms."""
    return -label * _math.log(input + epsilon) - (1.0 - label) * _math.log(1.0 - input + epsilon)


__all__ = [
    "HANDLES",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout2d",
    "elu",
    "embedding",
    "gelu",
    "glu",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hinge_embedding_loss",
    "instance_norm",
    "kl_div",
    "l1_loss",
    "label_smooth",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_loss",
    "log_sigmoid",
    "log_softmax",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "maxout",
    "mish",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pixel_shuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "scaled_dot_product_attention",
    "selu",
    "sequence_mask",
    "sigmoid",
    "sigmoid_focal_loss",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softmax_with_cross_entropy",
    "softplus",
    "softshrink",
    "softsign",
    "square_error_cost",
    "swish",
    "tanh",
    "tanhshrink",
    "thresholded_relu",
    "triplet_margin_loss",
]


def _in_place(function: Any) -> Any:
    def changed(x: Any, *arguments: Any, **options: Any) -> Any:
        return _math.written(function(x, *arguments, **options), x, f"{function.__name__}_", _frame(1))

    changed.__name__ = changed.__qualname__ = f"{function.__name__}_"
    changed.__doc__ = f"Gives x the value of `{function.__name__}`, in place; returns x."
    return changed


elu_, hardtanh_, leaky_relu_, relu_ = (_in_place(one) for one in (elu, hardtanh, leaky_relu, relu))
softmax_, tanh_, thresholded_relu_ = (_in_place(one) for one in (softmax, tanh, thresholded_relu))
__all__ += ["elu_", "hardtanh_", "leaky_relu_", "relu_", "softmax_", "tanh_", "thresholded_relu_"]
_LATER = {
    "_resizing": (
        "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d",
        "interpolate", "max_unpool1d", "max_unpool2d", "upsample",
    ),
    "_folding": (
        "channel_shuffle", "fold", "local_response_norm", "lp_pool1d", "lp_pool2d", "pixel_unshuffle",
        "temporal_shift", "unfold", "zeropad2d",
    ),
    "_losses": (
        "alpha_dropout", "bilinear", "dice_loss", "dropout3d", "feature_alpha_dropout", "gaussian_nll_loss",
        "multi_label_soft_margin_loss", "multi_margin_loss", "npair_loss", "pairwise_distance", "rrelu",
        "soft_margin_loss", "swiglu", "triplet_margin_with_distance_loss",
    ),
    "_sampling": ("affine_grid", "grid_sample"),
    "_volumes": ("conv3d_transpose", "max_unpool3d"),
    "_classes": (
        "adaptive_log_softmax_with_loss", "class_center_sample", "hsigmoid_loss",
        "multi_label_margin_loss",
    ),
    "_fractional": ("fractional_max_pool2d", "fractional_max_pool3d"),
    "_transducer": ("rnnt_loss",),
    "_trees": ("edit_distance", "gather_tree"),
}  # fmt: skip
"""Functions of files that are made of the functions of this one: a file is imported when one is asked for."""
__all__ += [name for names in _LATER.values() for name in names]


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            return getattr(importlib.import_module(f"penstock.paddle.nn.{module}"), name)
    if name == "logsigmoid":
        return log_sigmoid
    raise absent("paddle.nn.functional", name, __all__)
