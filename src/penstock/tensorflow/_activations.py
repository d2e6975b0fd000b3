"""Activations, cross-entropies and embeddings."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import losses, nn, random
from penstock.ops import index, pointwise, reduce, shape, table
from penstock.ops.validation import plain
from penstock.tensorflow._convert import integers, lengths_of, operand, record, same_dtype
from penstock.tensorflow._elementwise import composed
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError, mixed
from penstock.tensorflow._nn_more import (
    center_of,
)
from penstock.tensorflow._reductions import narrowed, reduced, widened
from penstock.tensorflow._seeds import key_of
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import brackets
from penstock.trace.fast_path import find
from penstock.trace.source_site import here

_frame = sys._getframe


# -- activations ----------------------------------------------------------------------------------------


@named("tf.nn.relu")
def relu(features: Any, name: Any = None) -> EagerTensor:
    """Returns x where it is positive, 0 elsewhere."""
    found: Any = find(pointwise.relu.code, features)
    if found is not None:
        return found  # type: ignore[no-any-return]
    return record(pointwise.relu, (operand(features),), {}, _frame(1))


@named("tf.nn.relu6")
def relu6(features: Any, name: Any = None) -> EagerTensor:
    """Returns x between 0 and 6, 0 below and 6 above; on the borders the slope is 0."""
    frame = _frame(1)
    x = operand(features)
    below = record(pointwise.less, (x, 6), {}, frame)
    return record(pointwise.where, (below, record(pointwise.relu, (x,), {}, frame), 6), {}, frame)


@named("tf.nn.leaky_relu")
def leaky_relu(features: Any, alpha: float = 0.2, name: Any = None) -> EagerTensor:
    """Returns x where it is positive, `alpha` times x elsewhere."""
    return composed(nn.leaky_relu, "leaky_relu", (operand(features),), negative_slope=alpha)


@named("tf.nn.elu")
def elu(features: Any, name: Any = None) -> EagerTensor:
    """Returns x where it is positive, exp(x) - 1 elsewhere."""
    return composed(nn.elu, "elu", (operand(features),))


@named("tf.nn.selu")
def selu(features: Any, name: Any = None) -> EagerTensor:
    """Returns 1.0507 x where x is positive, 1.7581 (exp(x) - 1) elsewhere (Klambauer et al., 2017)."""
    scaled = composed(nn.elu, "selu", (operand(features),), alpha=1.6732632423543772)
    return record(pointwise.multiply, (scaled, 1.0507009873554805), {}, _frame(1))


@named("tf.nn.silu", "tf.nn.swish")
def silu(features: Any, beta: float = 1.0) -> EagerTensor:
    """Returns x * sigmoid(beta * x)."""
    frame = _frame(1)
    x, beta = operand(features), plain(beta)
    if beta == 1.0:
        return composed(nn.silu, "silu", (x,))
    inner = record(pointwise.multiply, (x, beta), {}, frame)
    return record(pointwise.multiply, (x, record(pointwise.sigmoid, (inner,), {}, frame)), {}, frame)


swish = silu


@named("tf.math.softsign", "tf.nn.softsign")
def softsign(features: Any, name: Any = None) -> EagerTensor:
    """Returns x / (1 + abs(x))."""
    frame = _frame(1)
    x = operand(features)
    size = record(pointwise.absolute, (x,), {}, frame)
    return record(pointwise.divide, (x, record(pointwise.add, (size, 1), {}, frame)), {}, frame)


@named("tf.math.softmax", "tf.nn.softmax")
def softmax(logits: Any, axis: Any = None, name: Any = None) -> EagerTensor:
    """Returns exp(x) / sum(exp(x)) along an axis, the last one if none is named, without overflow."""
    return _normalised(nn.softmax, "softmax", logits, axis)


@named("tf.math.log_softmax", "tf.nn.log_softmax")
def log_softmax(logits: Any, axis: Any = None, name: Any = None) -> EagerTensor:
    """Returns x - log(sum(exp(x))) along an axis, the last one if none is named, without overflow."""
    return _normalised(nn.log_softmax, "log_softmax", logits, axis)


def _normalised(function: Any, name: str, logits: Any, axis: Any) -> EagerTensor:
    x = operand(logits)
    if not x._spec.shape:
        raise InvalidArgumentError("logits must have >= 1 dimension, got []", site=here())
    return composed(function, name, (x,), axis=-1 if axis is None else int(axis))


# -- cross-entropies ------------------------------------------------------------------------------------


@named("tf.nn.ctc_loss")
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: Any = None,
) -> EagerTensor:
    """Returns -log of the probability of dense label sequences, over all alignments; the blank is class 0.

    `logits` are [time, batch, classes], or [batch, time, classes] with logits_time_major=False, `labels`
    [batch, length]. `unique`, which only makes TensorFlow faster, is not checked.

    >>> from penstock import tensorflow as tf
    >>> loss = tf.nn.ctc_loss([[1]], tf.zeros((2, 1, 3)), label_length=[1], logit_length=[2])
    >>> print(tf.exp(-loss).numpy().round(4))
    [0.3333]
    """
    if not hasattr(labels, "__array__") and hasattr(labels, "indices"):
        raise ArgumentError(
            "ctc_loss was given sparse labels.",
            remedy="Give dense ones, [batch, length], with label_length.",
            site=here(),
        )
    return losses.ctc(  # type: ignore[return-value]
        operand(logits),
        integers(labels, "T", "int32, int64"),
        None if logit_length is None else integers(logit_length, "T", "int32, int64"),
        None if label_length is None else integers(label_length, "T", "int32, int64"),
        blank=0 if blank_index is None else int(blank_index),
        time_major=bool(logits_time_major),
    )


@named("tf.nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(labels: Any, logits: Any, name: Any = None) -> EagerTensor:
    """Returns -log(softmax(logits)) at the labels: integers from 0, one for each row of logits.

    >>> from penstock import tensorflow as tf
    >>> print(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]))
    tf.Tensor([0.6931472], shape=(1,), dtype=float32)
    """
    labels, logits = integers(labels, "Tlabels", "int32, int64"), operand(logits)
    if labels._spec.shape != logits._spec.shape[:-1]:
        raise ArgumentError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and logits.shape={logits.shape}",
            remedy="One-hot labels go to tf.nn.softmax_cross_entropy_with_logits.",
            site=here(),
        )
    return composed(losses.softmax_cross_entropy, "sparse_softmax_cross_entropy", (logits, labels))


@named("tf.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: Any = None
) -> EagerTensor:
    """Returns -sum(labels * log(softmax(logits))) along the last axis: labels are probabilities."""
    frame = _frame(1)
    labels, logits = operand(labels), operand(logits)
    if axis not in (-1, len(logits._spec.shape) - 1):
        raise ArgumentError(
            "softmax_cross_entropy_with_logits along another axis than the last is not in "
            "penstock.tensorflow yet.",
            remedy="Transpose logits and labels first.",
            site=here(),
        )
    if labels._spec.dtype != logits._spec.dtype:
        labels = record(table.cast, (labels,), {"dtype": logits._spec.dtype}, frame)
    if labels._spec.shape != logits._spec.shape:
        labels = record(shape.broadcast_to, (labels,), {"shape": logits._spec.shape}, frame)
    return composed(losses.softmax_cross_entropy, "softmax_cross_entropy", (logits, labels))


@named("tf.nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: Any = None
) -> EagerTensor:
    """Returns the binary cross-entropy of logits and labels in 0 .. 1, elementwise, without overflow."""
    labels, logits = operand(labels), operand(logits)
    if labels._spec.shape != logits._spec.shape:
        raise ArgumentError(
            f"`logits` and `labels` must have the same shape, received ({logits.shape} vs {labels.shape}).",
            site=here(),
        )
    if labels._spec.dtype != logits._spec.dtype:
        raise mixed("multiply", 1, logits._spec.dtype, labels._spec.dtype, here())
    return composed(losses.sigmoid_cross_entropy, "sigmoid_cross_entropy", (logits, labels))


# -- embeddings and others ------------------------------------------------------------------------------


@named("tf.nn.embedding_lookup")
def embedding_lookup(params: Any, ids: Any, max_norm: Any = None, name: Any = None) -> EagerTensor:
    """Returns the rows of a table at `ids`. Its gradient by a variable is a `tf.IndexedSlices`."""
    if isinstance(params, list | tuple) and len(params) == 1:
        params = params[0]
    if max_norm is not None:
        raise ArgumentError(
            "embedding_lookup with max_norm is not supported by penstock.tensorflow yet.", site=here()
        )
    return record(
        index.take,
        (operand(params), integers(ids, "Tindices", "int16, int32, int64")),
        {"axis": 0},
        _frame(1),
    )


_FORMATS = ("NWC", "NCW", "NDHWC", "NCDHW", "N...C", "NC...")


@named("tf.nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: Any = None, name: Any = None) -> EagerTensor:
    """Returns value + bias, where bias is a vector as long as the axis of channels.

    That is the last axis, or axis 1 where `data_format` begins with "NC".
    """
    frame = _frame(1)
    words = (None, "NHWC", "NCHW") if data_format is None or len(data_format) == 4 else _FORMATS
    if data_format not in words:
        raise ArgumentError("`data_format` must be of the form `N...C` or `NC...`", site=here())
    value, bias = same_dtype((value, bias), "BiasAdd")
    first = bool(data_format) and data_format.startswith("NC") and len(value._spec.shape) > 2
    if len(bias._spec.shape) != 1 or bias._spec.shape[0] != value._spec.shape[1 if first else -1]:
        raise InvalidArgumentError(
            f"Must provide as many biases as the {'channel' if first else 'last'} dimension of the input "
            f"tensor: {brackets(bias._spec.shape)} vs. {brackets(value._spec.shape)}",
            site=here(),
        )
    if first:
        lengths = (*bias._spec.shape, *[1] * (len(value._spec.shape) - 2))
        bias = record(shape.reshape, (bias,), {"shape": lengths}, frame)
    return record(pointwise.add, (value, bias), {}, frame)


@named("tf.nn.l2_loss")
def l2_loss(t: Any, name: Any = None) -> EagerTensor:
    """Returns half the sum of squares."""
    frame = _frame(1)
    squares = record(pointwise.square, (operand(t),), {}, frame)
    return record(pointwise.multiply, (reduced(reduce.sum, squares, None, False, frame), 0.5), {}, frame)


@named("tf.nn.moments")
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: Any = None
) -> tuple[Any, Any]:
    """Returns the mean and the variance over some axes."""
    frame = _frame(1)
    own = operand(x)
    x = widened(own, frame)
    mean = reduced(reduce.mean, x, axes, True, frame)
    center = center_of(mean)
    distance = record(pointwise.square, (record(pointwise.subtract, (x, center), {}, frame),), {}, frame)
    variance = reduced(reduce.mean, distance, axes, keepdims, frame)
    mean = mean if keepdims else reduced(reduce.mean, x, axes, False, frame)
    return narrowed(mean, own, frame), narrowed(variance, own, frame)


@named("tf.nn.dropout")
def dropout(x: Any, rate: float, noise_shape: Any = None, seed: Any = None, name: Any = None) -> EagerTensor:
    """Returns x with a random part `rate` of its elements 0 and the others divided by 1 - rate."""
    frame = _frame(1)
    x, rate = operand(x), plain(rate)
    if not 0 <= rate < 1:
        raise ArgumentError(
            f"`rate` must be a scalar or scalar tensor in the range [0, 1). Received: {rate}", site=here()
        )
    lengths = x._spec.shape if noise_shape is None else lengths_of(noise_shape)
    drawn = random.uniform(lengths, key=key_of(seed, "dropout"))
    kept = record(pointwise.greater_equal, (drawn, float(rate)), {}, frame)
    scaled = record(pointwise.multiply, (x, 1.0 / (1.0 - rate)), {}, frame)
    return record(pointwise.where, (kept, scaled, 0.0), {}, frame)


@named("tf.math.zero_fraction", "tf.nn.zero_fraction")
def zero_fraction(value: Any, name: Any = None) -> EagerTensor:
    """Returns which part of the elements is zero."""
    frame = _frame(1)
    zero = record(pointwise.equal, (operand(value), 0), {}, frame)
    truths = record(table.cast, (zero,), {"dtype": np.dtype(np.float32)}, frame)
    return reduced(reduce.mean, truths, None, False, frame)
