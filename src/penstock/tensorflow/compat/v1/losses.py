"""tf.losses: weighted losses, which are also kept in a collection of the graph."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any, TypeVar

from penstock.functions.losses import huber as _native_huber
from penstock.tensorflow._graphs.graph import GraphKeys as _GraphKeys
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _lifted as _tf

_huber = _tf._once(_native_huber)
_Function = TypeVar("_Function", bound=Callable[..., Any])


class Reduction:
    """How the losses of the elements become one."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns losses times weights as one number, by default the mean over elements whose weight is not 0."""
    with _tf.name_scope(scope, "weighted_loss"):
        losses = _tf.convert_to_tensor(losses)
        plain = isinstance(weights, int | float)
        weights = _tf.cast(weights, losses.dtype)
        weighted = (
            losses if plain and weights is not None and _is_one(weights) else _tf.multiply(losses, weights)
        )
        if reduction == Reduction.NONE:
            total = weighted
        elif reduction == Reduction.SUM:
            total = _tf.reduce_sum(weighted)
        else:
            spread = weights + _tf.zeros_like(losses)
            if reduction == Reduction.MEAN:
                count = _tf.reduce_sum(spread)
            elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                count = _tf.reduce_sum(_tf.ones_like(losses))
            else:
                there = _tf.not_equal(spread, _tf.zeros_like(spread))
                count = _tf.reduce_sum(_tf.cast(there, losses.dtype))
            total = _tf.div_no_nan(_tf.reduce_sum(weighted), count, name="value")
    add_loss(total, loss_collection)
    return total


def _scoped(default: str) -> Callable[[_Function], _Function]:
    """Makes the operations of a loss inside one scope, named after the loss unless `scope` names it."""

    def decorated(function: _Function) -> _Function:
        place = list(inspect.signature(function).parameters).index("scope")

        @functools.wraps(function)
        def called(*given: Any, **options: Any) -> Any:
            scope = given[place] if len(given) > place else options.pop("scope", None)
            with _tf.name_scope(scope, default) as inner:
                if len(given) > place:
                    return function(*given[:place], inner, *given[place + 1 :], **options)
                return function(*given, scope=inner, **options)

        return called  # type: ignore[return-value]

    return decorated


def _is_one(weights: Any) -> bool:
    known = getattr(weights, "known", None)
    return known is not None and bool((known == 1).all())


def add_loss(loss: Any, loss_collection: Any = _GraphKeys.LOSSES) -> None:
    """Adds a loss to a collection of the graph."""
    if loss_collection and _mode.building() is not None:
        _mode.default().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = _GraphKeys.LOSSES) -> list[Any]:
    """Returns the losses in a collection of the graph."""
    return _mode.default().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Returns the losses that regularizers have made."""
    return _mode.default().get_collection(_GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Any:
    """Returns the sum of the losses that regularizers have made."""
    found = get_regularization_losses(scope)
    return _tf.add_n(found, name=name) if found else _tf.constant(0.0)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Any:
    """Returns the sum of the losses in the graph's collections."""
    found = get_losses(scope)
    if add_regularization_losses:
        found = found + get_regularization_losses(scope)
    return _tf.add_n(found, name=name)


def _elements(labels: Any, predictions: Any) -> tuple[Any, Any]:
    if labels is None or predictions is None:
        raise ValueError("labels and predictions must not be None.")
    predictions = _tf.cast(predictions, _tf.float32)
    labels = _tf.cast(labels, _tf.float32)
    if not predictions.shape.is_compatible_with(labels.shape):
        raise ValueError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")
    return labels, predictions


@_scoped("mean_squared_error")
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the mean squared difference.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0])))
    2.0
    """
    labels, predictions = _elements(labels, predictions)
    losses = _tf.squared_difference(predictions, labels)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("absolute_difference")
def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the mean absolute difference."""
    labels, predictions = _elements(labels, predictions)
    return compute_weighted_loss(_tf.abs(predictions - labels), weights, scope, loss_collection, reduction)


@_scoped("huber_loss")
def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the mean of half the squared difference up to `delta`, and of a straight line beyond."""
    labels, predictions = _elements(labels, predictions)
    losses = _huber(predictions, labels, delta)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("log_loss")
def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the mean of -labels * log(predictions) - (1 - labels) * log(1 - predictions)."""
    labels, predictions = _elements(labels, predictions)
    losses = -labels * _tf.log(predictions + epsilon) - (1.0 - labels) * _tf.log(1.0 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("hinge_loss")
def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the mean of max(0, 1 - y * logit), y being 1 or -1 for labels 1 and 0."""
    labels, logits = _elements(labels, logits)
    losses = _tf.nn.relu(1.0 - (2.0 * labels - 1.0) * logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("softmax_cross_entropy_loss")
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the mean cross entropy of rows of logits with rows of probabilities."""
    logits = _tf.convert_to_tensor(logits)
    labels = _tf.cast(onehot_labels, logits.dtype)
    if label_smoothing > 0:
        classes = labels.shape[-1]
        labels = labels * (1.0 - label_smoothing) + label_smoothing / classes
    losses = _tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("sparse_softmax_cross_entropy_loss")
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the mean cross entropy of rows of logits with classes given as numbers."""
    losses = _tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("sigmoid_cross_entropy_loss")
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Any:
    """Returns the mean cross entropy of logits with probabilities, element by element."""
    logits = _tf.convert_to_tensor(logits)
    labels = _tf.cast(multi_class_labels, logits.dtype)
    if label_smoothing > 0:
        labels = labels * (1.0 - label_smoothing) + 0.5 * label_smoothing
    losses = _tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("cosine_distance_loss")
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: Any = None,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
    dim: Any = None,
) -> Any:
    """Returns the mean of 1 - labels @ predictions, of vectors of length 1 along an axis."""
    along = dim if axis is None else axis
    if along is None or (axis is not None and dim is not None):
        raise ValueError("You must specify 'axis', and not 'dim' beside it.")
    labels, predictions = _elements(labels, predictions)
    losses = 1.0 - _tf.reduce_sum(predictions * labels, axis=[along], keepdims=True)
    return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@_scoped("mean_pairwise_squared_error")
def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = _GraphKeys.LOSSES,
) -> Any:
    """Returns by how much differences of two elements are off: squares, their mean, summed over examples."""
    labels, predictions = _elements(labels, predictions)
    with _tf.name_scope(scope, "mean_pairwise_squared_error"):
        off = predictions - labels
        lengths = [int(one) for one in off.shape[1:]]
        count, axes = 1.0 * math.prod(lengths), list(range(1, len(lengths) + 1))
        squares = _tf.reduce_sum(_tf.square(off), axis=axes, keepdims=True)
        total = _tf.square(_tf.reduce_sum(off, axis=axes, keepdims=True))
        apart = 2.0 * (squares / max(count - 1.0, 1.0) - total / max(count * (count - 1.0), 1.0))
        weights = _tf.cast(weights, _tf.float32)
        rank = len(weights.shape)
        if rank:
            weights = _tf.reshape(weights, [-1] + [1] * len(lengths))
        loss = _tf.reduce_sum(apart * weights, name="value")
    add_loss(loss, loss_collection)
    return loss


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.losses", globals())
