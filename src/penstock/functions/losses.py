"""Losses: functions of predictions and targets, one value for each example."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from penstock.errors import ShapeError
from penstock.functions.composite import composite
from penstock.functions.nn import log_softmax
from penstock.lazy import later
from penstock.ops import index, pointwise, reduce
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

if TYPE_CHECKING:
    from penstock.functions.sequences import ctc as ctc
else:
    __getattr__, __dir__ = later(__name__, {"penstock.functions.sequences": "ctc"})


def _xlogy(x: Tensor, y: Tensor, shifted: bool = False) -> Tensor:
    """Returns x log(y), or x log(1 + y), which is 0 where x is; few losses need these functions."""
    from penstock.ops import special

    return special.xlog1py(x, y) if shifted else special.xlogy(x, y)


def _fits(shape: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Returns whether a value broadcasts to another shape without changing it."""
    return len(shape) <= len(other) and all(
        mine == 1 or mine == theirs for mine, theirs in zip(shape[::-1], other[::-1], strict=False)
    )


@composite(2, wide=True)
def softmax_cross_entropy(logits: Any, labels: Any, label_smoothing: float = 0.0) -> Tensor:
    """Returns -log(softmax(logits)) at the labels: logits [..., classes] and labels [...] give [...].

    `labels` are integers from 0; logits are not normalised, and may be -inf for a class that is ruled out. A
    label outside the classes raises RangeError when the value is computed. Labels that are not integers are
    taken as probabilities, of the logits' shape. `label_smoothing` is the share of every label that is spread
    evenly over all classes (Szegedy et al., 2016).

    Args:
        logits: real numbers; of classes, [..., classes].
        labels: integers [...] from 0, or probabilities [..., classes].
        label_smoothing: the share of the label that goes to all classes, from 0 to 1.

    Returns:
        A tensor of the shape without the last axis.

    Raises:
        ShapeError: if `logits` or `labels` has the wrong shape, or names an axis that is not there.
        DTypeError: if `logits`, `labels` or `label_smoothing` has the wrong dtype or type.
        RangeError: if an index is out of range.

    >>> import penstock as ps
    >>> ps.losses.softmax_cross_entropy(ps.asarray([[0.0, 0.0]]), ps.asarray([1]))
    Tensor([0.6931472], dtype=float32)
    """
    if labels.dtype.kind in "iu":
        if labels.shape != logits.shape[:-1]:
            raise ShapeError(
                f"softmax_cross_entropy: labels {labels.shape} do not fit logits {logits.shape}.",
                why="Each row of logits needs one label.",
                remedy=f"Give labels of shape {logits.shape[:-1]}.",
                site=here(),
            )
        chosen = index.label_one_hot(labels, length=logits.shape[-1], dtype=np.dtype(np.bool_))
        terms = pointwise.where(chosen, log_softmax(logits), 0.0)
    else:
        if not _fits(labels.shape, logits.shape):
            rows = labels.shape == logits.shape[:-1]
            raise ShapeError(
                f"softmax_cross_entropy: labels {labels.dtype}{list(labels.shape)} do not fit logits "
                f"{logits.dtype}{list(logits.shape)}.",
                why="Labels that are not integers are probabilities, one for each logit.",
                remedy="Convert the numbers of classes to integers: ps.astype(labels, 'int64')."
                if rows
                else f"Give probabilities of shape {logits.shape}, or integers of shape {logits.shape[:-1]}.",
                site=here(),
            )
        terms = log_softmax(logits) * labels
    if isinstance(label_smoothing, float | int) and label_smoothing == 0:
        return -_sum(terms)
    return -(_sum(terms) * (1.0 - label_smoothing) + _mean(log_softmax(logits)) * label_smoothing)


@composite(2, wide=True)
def sigmoid_cross_entropy(logits: Any, labels: Any) -> Tensor:
    """Returns the binary cross-entropy of logits and labels in 0 .. 1, elementwise, without overflow.

    Args:
        logits: real numbers; of classes, [..., classes].
        labels: the correct values, numbers that broadcast with the first argument.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `logits` or `labels` has the wrong shape, or names an axis that is not there.
        DTypeError: if `logits` or `labels` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.sigmoid_cross_entropy(ps.asarray([0.0]), ps.asarray([1.0]))
    Tensor([0.6931472], dtype=float32)
    """
    # Written with |x| and relu(x), this would lose half of the slope at 0, where they have a kink.
    positive = logits >= 0.0
    size = pointwise.where(positive, logits, 0.0)
    return pointwise.softplus(pointwise.where(positive, -logits, logits)) + size - logits * labels  # type: ignore[no-any-return]


@composite(2, wide=True)
def squared_error(predictions: Any, targets: Any) -> Tensor:
    """Returns (predictions - targets) squared, elementwise.

    Args:
        predictions: real numbers of any shape.
        targets: real numbers in the shape of the predictions.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `predictions` or `targets` has the wrong shape, or names an axis that is not there.
        DTypeError: if `predictions` or `targets` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.squared_error(ps.asarray([3.0]), ps.asarray([1.0]))
    Tensor([4.], dtype=float32)
    """
    return pointwise.square(predictions - targets)


@composite(2, wide=True)
def absolute_error(predictions: Any, targets: Any) -> Tensor:
    """Returns |predictions - targets|, elementwise; its slope where they are equal is 0.

    Args:
        predictions: real numbers of any shape.
        targets: real numbers in the shape of the predictions.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `predictions` or `targets` has the wrong shape, or names an axis that is not there.
        DTypeError: if `predictions` or `targets` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.absolute_error(ps.asarray([3.0]), ps.asarray([1.0]))
    Tensor([2.], dtype=float32)
    """
    return pointwise.absolute(predictions - targets)


@composite(2, wide=True)
def mean_squared_error(predictions: Any, targets: Any) -> Tensor:
    """Returns the mean of the squared differences along the last axis.

    Args:
        predictions: real numbers of any shape.
        targets: real numbers in the shape of the predictions.

    Returns:
        A tensor of the shape without the last axis.

    Raises:
        ShapeError: if `predictions` or `targets` has the wrong shape, or names an axis that is not there.
        DTypeError: if `predictions` or `targets` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.mean_squared_error(ps.asarray([[3.0, 1.0]]), ps.asarray([[1.0, 1.0]]))
    Tensor([2.], dtype=float32)
    """
    return _mean(squared_error(predictions, targets))


@composite(2, wide=True)
def mean_absolute_error(predictions: Any, targets: Any) -> Tensor:
    """Returns the mean of the absolute differences along the last axis.

    Args:
        predictions: real numbers of any shape.
        targets: real numbers in the shape of the predictions.

    Returns:
        A tensor of the shape without the last axis.

    Raises:
        ShapeError: if `predictions` or `targets` has the wrong shape, or names an axis that is not there.
        DTypeError: if `predictions` or `targets` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.mean_absolute_error(ps.asarray([[3.0, 1.0]]), ps.asarray([[1.0, 1.0]]))
    Tensor([1.], dtype=float32)
    """
    return _mean(absolute_error(predictions, targets))


@composite(2, wide=True)
def huber(predictions: Any, targets: Any, delta: float = 1.0) -> Tensor:
    """Returns d * d / 2 for differences up to `delta`, and from there on the tangent (Huber, 1964).

    Args:
        predictions: real numbers of any shape.
        targets: real numbers in the shape of the predictions.
        delta: the end of the parabola, a number above 0.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `predictions` or `targets` has the wrong shape, or names an axis that is not there.
        DTypeError: if `predictions`, `targets` or `delta` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.huber(ps.asarray([3.0, 1.5]), ps.asarray([1.0, 1.0]))
    Tensor([1.5  , 0.125], dtype=float32)
    """
    difference = predictions - targets
    size = pointwise.absolute(difference)
    near = difference * difference * 0.5
    return pointwise.where(size > delta, (size - delta * 0.5) * delta, near)


@composite(2, wide=True)
def log_cosh(predictions: Any, targets: Any) -> Tensor:
    """Returns log(cosh(predictions - targets)), elementwise, without overflow.

    Args:
        predictions: real numbers of any shape.
        targets: real numbers in the shape of the predictions.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `predictions` or `targets` has the wrong shape, or names an axis that is not there.
        DTypeError: if `predictions` or `targets` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.log_cosh(ps.asarray([1.0]), ps.asarray([1.0]))
    Tensor([0.], dtype=float32)
    """
    difference = predictions - targets
    return pointwise.softplus(difference * -2.0) + difference - math.log(2.0)  # type: ignore[no-any-return]


@composite(2, wide=True)
def hinge(scores: Any, labels: Any) -> Tensor:
    """Returns max(0, 1 - labels * scores), elementwise, for labels -1 and 1; its slope at the hinge is 0.

    Args:
        scores: real numbers [..., classes], or of any shape.
        labels: the correct values, numbers that broadcast with the first argument.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `scores` or `labels` has the wrong shape, or names an axis that is not there.
        DTypeError: if `scores` or `labels` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.hinge(ps.asarray([0.5, -2.0]), ps.asarray([1.0, 1.0]))
    Tensor([0.5, 3. ], dtype=float32)
    """
    return pointwise.relu(1.0 - labels * scores)


@composite(2, wide=True)
def squared_hinge(scores: Any, labels: Any) -> Tensor:
    """Returns the square of hinge(scores, labels).

    Args:
        scores: real numbers [..., classes], or of any shape.
        labels: the correct values, numbers that broadcast with the first argument.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `scores` or `labels` has the wrong shape, or names an axis that is not there.
        DTypeError: if `scores` or `labels` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.squared_hinge(ps.asarray([0.5, -2.0]), ps.asarray([1.0, 1.0]))
    Tensor([0.25, 9.  ], dtype=float32)
    """
    return pointwise.square(pointwise.relu(1.0 - labels * scores))


@composite(2, wide=True)
def categorical_hinge(scores: Any, labels: Any) -> Tensor:
    """Returns max(0, 1 + the best wrong score - the right score) along the last axis, for one-hot labels.

    As in Keras, the wrong scores include a 0 for the place of the label, so the best of them is at least 0.

    Args:
        scores: real numbers [..., classes], or of any shape.
        labels: the correct values, numbers that broadcast with the first argument.

    Returns:
        A tensor of the shape without the last axis.

    Raises:
        ShapeError: if `scores` or `labels` has the wrong shape, or names an axis that is not there.
        DTypeError: if `scores` or `labels` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.categorical_hinge(ps.asarray([[2.0, 1.5]]), ps.asarray([[1.0, 0.0]]))
    Tensor([0.5], dtype=float32)
    """
    last = (len((labels * scores).shape) - 1,)
    right = reduce.sum(labels * scores, axes=last, keepdims=False)
    wrong = reduce.max((1.0 - labels) * scores, axes=last, keepdims=False)
    return pointwise.relu(wrong - right + 1.0)


@composite(2, wide=True)
def binary_cross_entropy(probabilities: Any, labels: Any) -> Tensor:
    """Returns -labels * log(p) - (1 - labels) * log(1 - p), elementwise; infinite for a certain mistake.

    Probabilities are not moved away from 0 and 1. From logits, use sigmoid_cross_entropy: it loses nothing.

    Args:
        probabilities: numbers from 0 to 1; of classes, [..., classes].
        labels: the correct values, numbers that broadcast with the first argument.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `probabilities` or `labels` has the wrong shape, or names an axis that is not there.
        DTypeError: if `probabilities` or `labels` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.binary_cross_entropy(ps.asarray([0.5, 0.0]), ps.asarray([1.0, 0.0]))
    Tensor([0.6931472, 0.       ], dtype=float32)
    """
    return 0.0 - (_xlogy(labels, probabilities) + _xlogy(1.0 - labels, -probabilities, shifted=True))


@composite(2, wide=True)
def categorical_cross_entropy(probabilities: Any, labels: Any) -> Tensor:
    """Returns -sum(labels * log(probabilities)) along the last axis, for labels that are probabilities too.

    Args:
        probabilities: numbers from 0 to 1; of classes, [..., classes].
        labels: the correct values, numbers that broadcast with the first argument.

    Returns:
        A tensor of the shape without the last axis.

    Raises:
        ShapeError: if `probabilities` or `labels` has the wrong shape, or names an axis that is not there.
        DTypeError: if `probabilities` or `labels` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.categorical_cross_entropy(ps.asarray([[0.5, 0.5]]), ps.asarray([[1.0, 0.0]]))
    Tensor([0.6931472], dtype=float32)
    """
    return -_sum(_xlogy(labels, probabilities))


@composite(2, wide=True)
def kl_divergence(log_predictions: Any, targets: Any) -> Tensor:
    """Returns sum(targets * (log(targets) - log_predictions)) along the last axis; 0 where a target is 0.

    Args:
        log_predictions: logarithms of probabilities, [..., classes].
        targets: real numbers in the shape of the predictions.

    Returns:
        A tensor of the shape without the last axis.

    Raises:
        ShapeError: if `log_predictions` or `targets` has the wrong shape, or names an axis that is not there.
        DTypeError: if `log_predictions` or `targets` has the wrong dtype or type.

    >>> import penstock as ps
    >>> p = ps.asarray([[0.5, 0.5]])
    >>> ps.losses.kl_divergence(ps.log(p), p)
    Tensor([0.], dtype=float32)
    """
    none = pointwise.equal(targets, 0.0)
    cross = targets * pointwise.where(none, 0.0, log_predictions)
    return _sum(_xlogy(targets, targets) - cross)


@composite(2, wide=True)
def cosine_similarity(a: Any, b: Any, epsilon: float = 1e-8) -> Tensor:
    """Returns the cosine of the angle between vectors along the last axis.

    Where a vector is not longer than `epsilon` the result is 0, and so is its slope.

    Args:
        a: real numbers; they broadcast with the others.
        b: real numbers; they broadcast with the others.
        epsilon: the length up to which a vector counts as zero, a number.

    Returns:
        A tensor of the shape without the last axis.

    Raises:
        ShapeError: if `a` or `b` has the wrong shape, or names an axis that is not there.
        DTypeError: if `a` or `b` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.cosine_similarity(ps.asarray([[1.0, 0.0]]), ps.asarray([[2.0, 0.0]]))
    Tensor([1.], dtype=float32)
    """

    def inverse_length(x: Any) -> Any:
        squares = _sum(pointwise.square(x))
        long = squares > epsilon * epsilon
        return pointwise.where(long, pointwise.rsqrt(pointwise.where(long, squares, 1.0)), 0.0)

    return _sum(a * b) * inverse_length(a) * inverse_length(b)  # type: ignore[no-any-return]


@composite(2, wide=True)
def poisson(rates: Any, counts: Any, log_rates: bool = False) -> Tensor:
    """Returns rate - count * log(rate), elementwise: -log of a Poisson likelihood, up to a constant.

    With `log_rates` the first operand is log(rate): exp(x) - count * x.

    Args:
        rates: numbers above 0 of any shape.
        counts: numbers from 0, in the shape of the rates.
        log_rates: whether the first argument has logarithms.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `rates` or `counts` has the wrong shape, or names an axis that is not there.
        DTypeError: if `rates` or `counts` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.poisson(ps.asarray([1.0]), ps.asarray([3.0]))
    Tensor([1.], dtype=float32)
    """
    if log_rates:
        return pointwise.exp(rates) - counts * rates  # type: ignore[no-any-return]
    return rates - _xlogy(counts, rates)  # type: ignore[no-any-return]


@composite(3, wide=True)
def gaussian(means: Any, targets: Any, variances: Any) -> Tensor:
    """Returns (log(variance) + difference ** 2 / variance) / 2: -log of a normal density, up to a constant.

    Args:
        means: real numbers of any shape.
        targets: real numbers in the shape of the predictions.
        variances: numbers above 0, in the shape of the means.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `means`, `targets` or `variances` has the wrong shape, or names an axis that is not
            there.
        DTypeError: if `means`, `targets` or `variances` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.gaussian(ps.asarray([1.0]), ps.asarray([3.0]), ps.asarray([1.0]))
    Tensor([2.], dtype=float32)
    """
    return (pointwise.log(variances) + pointwise.square(means - targets) / variances) * 0.5  # type: ignore[no-any-return]


@composite(2, wide=True)
def sigmoid_focal(logits: Any, labels: Any, gamma: float = 2.0, alpha: float | None = None) -> Tensor:
    """Returns sigmoid_cross_entropy times (1 - the probability given to the label) ** gamma, elementwise.

    With `alpha`, label 1 weighs alpha and label 0 weighs 1 - alpha (Lin et al., 2017).

    Args:
        logits: real numbers; of classes, [..., classes].
        labels: the correct values, numbers that broadcast with the first argument.
        gamma: the power, a number from 0.
        alpha: the weight of label 1, from 0 to 1; None for equal weights.

    Returns:
        A tensor of the shape to which the arguments broadcast, one loss for each element.

    Raises:
        ShapeError: if `logits` or `labels` has the wrong shape, or names an axis that is not there.
        DTypeError: if `logits`, `labels` or `gamma` has the wrong dtype or type.

    >>> import penstock as ps
    >>> ps.losses.sigmoid_focal(ps.asarray([0.0]), ps.asarray([1.0]))
    Tensor([0.1732868], dtype=float32)
    """
    positive, negative = pointwise.sigmoid(logits), pointwise.sigmoid(-logits)
    missed = labels * negative + (1.0 - labels) * positive
    loss = sigmoid_cross_entropy(logits, labels) * missed**gamma
    if alpha is not None:
        loss = loss * (labels * alpha + (1.0 - labels) * (1.0 - alpha))
    return loss  # type: ignore[no-any-return]


@composite(3, wide=True)
def triplet_margin(
    anchors: Any, positives: Any, negatives: Any, margin: float = 1.0, epsilon: float = 1e-6
) -> Tensor:
    """Returns max(0, distance to the positive - distance to the negative + margin), of rows [..., width].

    As in PyTorch, `epsilon` is added to differences, so that the distance has a slope where rows are equal.

    Args:
        anchors: vectors [..., width].
        positives: vectors [..., width] that are to be near.
        negatives: vectors [..., width] that are to be far.
        margin: by how much they are to be farther, a number.
        epsilon: a number that is added to differences.

    Returns:
        A tensor of the shape without the last axis.

    Raises:
        ShapeError: if `anchors`, `positives` or `negatives` has the wrong shape, or names an axis that is not
            there.
        DTypeError: if `anchors`, `positives` or `negatives` has the wrong dtype or type.

    >>> import penstock as ps
    >>> row = ps.asarray([[1.0, 0.0]])
    >>> round(float(ps.losses.triplet_margin(row, row, row)[0]), 4)
    1.0
    """

    def distance(others: Any) -> Any:
        return pointwise.sqrt(_sum(pointwise.square(anchors - others + epsilon)))

    return pointwise.relu(distance(positives) - distance(negatives) + margin)


def _sum(x: Any) -> Tensor:
    _has_axis(x)
    return reduce.sum(x, axes=(len(x.shape) - 1,), keepdims=False)


def _has_axis(x: Any) -> None:
    if not x.shape:
        raise ShapeError(
            "This loss sums along the last axis, but the operand is a scalar.",
            remedy="Give operands with at least one axis.",
            site=here(),
        )


def _mean(x: Any) -> Tensor:
    return reduce.mean(x, axes=(len(x.shape) - 1,), keepdims=False)


__all__ = [
    "absolute_error", "binary_cross_entropy", "categorical_cross_entropy", "categorical_hinge",
    "cosine_similarity", "ctc", "gaussian", "hinge", "huber", "kl_divergence", "log_cosh",
    "mean_absolute_error", "mean_squared_error", "poisson", "sigmoid_cross_entropy", "sigmoid_focal",
    "softmax_cross_entropy", "squared_error", "squared_hinge", "triplet_margin",
]  # fmt: skip
