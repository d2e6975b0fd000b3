"""Losses: functions of predictions and targets, one value for each example."""

from __future__ import annotations

from typing import Any

from penstock.errors import ShapeError
from penstock.functions.composite import composite
from penstock.functions.nn import log_softmax
from penstock.ops import index, pointwise, reduce
from penstock.trace.site import here
from penstock.trace.tensor import Tensor


@composite(2)
def softmax_cross_entropy(logits: Any, labels: Any) -> Tensor:
    """Returns -log(softmax(logits)) at the labels: logits [..., classes] and labels [...] give [...].

    `labels` are integers from 0; logits are not normalised. A label outside the classes raises RangeError
    when the value is computed. Labels of the logits' shape are taken as probabilities.

    >>> import penstock as ps
    >>> ps.losses.softmax_cross_entropy(ps.asarray([[0.0, 0.0]]), ps.asarray([1]))
    Tensor([0.6931472], dtype=float32)
    """
    if labels.dtype.kind in "iu":
        if labels.shape != logits.shape[:-1]:
            raise ShapeError(
                f"softmax_cross_entropy: labels {labels.shape} do not fit logits {logits.shape}.",
                why="There is one label for each row of logits.",
                remedy=f"Give labels of shape {logits.shape[:-1]}.",
                site=here(),
            )
        labels = index.label_one_hot(labels, length=logits.shape[-1], dtype=logits.dtype)
    last = len(logits.shape) - 1
    return -reduce.sum(log_softmax(logits) * labels, axes=(last,), keepdims=False)


@composite(2)
def sigmoid_cross_entropy(logits: Any, labels: Any) -> Tensor:
    """Returns the binary cross-entropy of logits and labels in 0 .. 1, elementwise, without overflow.

    >>> import penstock as ps
    >>> ps.losses.sigmoid_cross_entropy(ps.asarray([0.0]), ps.asarray([1.0]))
    Tensor([0.6931472], dtype=float32)
    """
    return pointwise.softplus(-pointwise.absolute(logits)) + pointwise.relu(logits) - logits * labels


@composite(2)
def squared_error(predictions: Any, targets: Any) -> Tensor:
    """Returns (predictions - targets) squared, elementwise.

    >>> import penstock as ps
    >>> ps.losses.squared_error(ps.asarray([3.0]), ps.asarray([1.0]))
    Tensor([4.], dtype=float32)
    """
    return pointwise.square(predictions - targets)
