"""Cross-entropies, and other losses of logits."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.functions import losses, nn
from penstock.functions.composite import composite
from penstock.ops import pointwise, reduce, shape, table
from penstock.tensorflow._convert import integers, operand, record, same_dtype
from penstock.tensorflow._elementwise import composed
from penstock.tensorflow._errors import ArgumentError, mixed
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_frame = sys._getframe


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
    """Returns -log of the probability of label sequences, over all alignments; the blank is class 0.

    `logits` are [time, batch, classes], or [batch, time, classes] with logits_time_major=False, `labels`
    [batch, length], or a sparse tensor of that shape, for which `blank_index` has to be given and
    `label_length` does nothing. `unique`, which only makes TensorFlow faster, is not checked.

    `unique` does nothing: it is always computed.

    >>> from penstock import tensorflow as tf
    >>> loss = tf.nn.ctc_loss([[1]], tf.zeros((2, 1, 3)), label_length=[1], logit_length=[2])
    >>> print(tf.exp(-loss).numpy().round(4))
    [0.3333]
    """
    if getattr(labels, "_is_sparse", False):
        from penstock.tensorflow import _beam_search

        blank = _beam_search.blank_of(blank_index)
        return _beam_search.sparse_loss(  # type: ignore[no-any-return]
            labels, logits, logit_length, bool(logits_time_major), blank
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


@composite(2, "softmax_cross_entropy", wide=True)
def rows_cross_entropy(logits: Any, labels: Any, axis: int = -1) -> Tensor:
    """Returns -sum(labels * log(softmax(logits))) along an axis, with TensorFlow's gradient of the logits.

    That is softmax(logits) - labels, times the incoming gradient, for any sum of the labels; the derivative
    of the value is sum(labels) * softmax(logits) - labels. They differ where a row of labels is no
    distribution: several ones in a row, or none.
    """
    axes = reduce.normalize_axes("softmax_cross_entropy", axis, logits.shape)
    shifted = logits - reduce.ceiling(logits, axes)
    total = pointwise.log(reduce.sum(pointwise.exp(shifted), axes=axes, keepdims=True))
    beyond = reduce.sum(labels, axes=axes, keepdims=True) - 1.0
    whole = total + beyond * pointwise.stop_gradient(total)
    chosen = reduce.sum(labels * shifted, axes=axes, keepdims=True)
    return reduce.sum(whole - chosen, axes=axes, keepdims=False)


@named("tf.nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: int = -1, name: Any = None
) -> EagerTensor:
    """Returns -sum(labels * log(softmax(logits))) along an axis: labels are probabilities.

    The gradient of the logits is softmax(logits) - labels, as in TensorFlow, for any sum of the labels.
    """
    frame = _frame(1)
    labels, logits = operand(labels), operand(logits)
    if labels._spec.dtype != logits._spec.dtype:
        labels = record(table.cast, (labels,), {"dtype": logits._spec.dtype}, frame)
    if labels._spec.shape != logits._spec.shape:
        labels = record(shape.broadcast_to, (labels,), {"shape": logits._spec.shape}, frame)
    if axis not in (-1, len(logits._spec.shape) - 1):
        return rows_cross_entropy(logits, labels, int(axis))  # type: ignore[return-value]
    return composed(rows_cross_entropy, "softmax_cross_entropy", (logits, labels))


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


@composite(3, "weighted_cross_entropy_with_logits", wide=True)
def _weighted(labels: Any, logits: Any, weight: Any) -> Tensor:
    factor = 1.0 + (weight - 1.0) * labels
    return (1.0 - labels) * logits + factor * nn.softplus(-logits)  # type: ignore[no-any-return]


@named("tf.nn.log_poisson_loss")
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: Any = None
) -> EagerTensor:
    """Returns exp(x) - x * targets, with `compute_full_loss` also Stirling's form of log(targets!)."""
    x, truth = same_dtype((log_input, targets), "Mul")
    return composed(_log_poisson, "log_poisson_loss", (truth, x), full=bool(compute_full_loss))


@composite(2, "log_poisson_loss", wide=True)
def _log_poisson(targets: Any, log_input: Any, full: bool) -> Tensor:
    found = native.exp(log_input) - log_input * targets
    if not full:
        return found  # type: ignore[no-any-return]
    small = native.logical_and(targets >= 0.0, targets <= 1.0)
    inside = native.where(small, 1.0, targets)
    stirling = targets * native.log(inside) - targets + 0.5 * native.log(2.0 * float(np.pi) * inside)
    return found + native.where(small, 0.0, stirling)  # type: ignore[no-any-return]


def labels_of(x: Any) -> EagerTensor:
    """Returns labels as version 1's cross entropy takes them: as constants, without a word of the user's."""
    return _labels(operand(x))  # type: ignore[return-value]


@composite(1, "softmax_cross_entropy_with_logits")
def _labels(x: Any) -> Tensor:
    return native.stop_gradient(x)
