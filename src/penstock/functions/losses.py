"""Losses: functions of predictions and targets, one value for each example."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import ShapeError
from penstock.functions.composite import composite
from penstock.functions.nn import log_softmax
from penstock.ops import index, pointwise, reduce
from penstock.trace.site import here
from penstock.trace.tensor import Tensor


@composite(2)
def softmax_cross_entropy(logits: Any, labels: Any) -> Tensor:
    """Returns -log(softmax(logits)) at the labels: logits [..., classes] and labels [...] give [...].

    `labels` are integers from 0; logits are not normalised, and may be -inf for a class that is ruled out. A
    label outside the classes raises RangeError when the value is computed. Labels that are not integers are
    taken as probabilities, of the logits' shape.

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
        chosen = index.label_one_hot(labels, length=logits.shape[-1], dtype=np.dtype(np.bool_))
        terms = pointwise.where(chosen, log_softmax(logits), 0.0)
    else:
        terms = log_softmax(logits) * labels
    return -reduce.sum(terms, axes=(len(terms.shape) - 1,), keepdims=False)


@composite(2)
def sigmoid_cross_entropy(logits: Any, labels: Any) -> Tensor:
    """Returns the binary cross-entropy of logits and labels in 0 .. 1, elementwise, without overflow.

    >>> import penstock as ps
    >>> ps.losses.sigmoid_cross_entropy(ps.asarray([0.0]), ps.asarray([1.0]))
    Tensor([0.6931472], dtype=float32)
    """
    # Written with |x| and relu(x) instead, this would lose half of the slope at 0, where they have a kink.
    positive = logits >= 0.0
    size = pointwise.where(positive, logits, 0.0)
    return pointwise.softplus(pointwise.where(positive, -logits, logits)) + size - logits * labels  # type: ignore[no-any-return]


@composite(2)
def squared_error(predictions: Any, targets: Any) -> Tensor:
    """Returns (predictions - targets) squared, elementwise.

    >>> import penstock as ps
    >>> ps.losses.squared_error(ps.asarray([3.0]), ps.asarray([1.0]))
    Tensor([4.], dtype=float32)
    """
    return pointwise.square(predictions - targets)
