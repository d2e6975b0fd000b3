"""tf.metrics: numbers that are gathered over many runs, in local variables of the graph."""

from __future__ import annotations

from typing import Any

from penstock.errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _gathered
from penstock.tensorflow.compat.v1 import _lifted as _tf
from penstock.trace.source_site import here as _here


def mean(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of all values so far, and the operation that takes more values in and returns it.

    The two local variables start with `tf.local_variables_initializer()`.
    """
    with _tf.variable_scope(name, "mean"):
        total, count = _gathered.local("total"), _gathered.local("count")
        values = _tf.cast(values, _tf.float32)
        if weights is None:
            number = _tf.cast(_tf.size(values), _tf.float32)
        else:
            values, _, weights = _gathered.alike(values, None, weights)
            weights = _gathered.spread(weights, values)
            values, number = values * weights, _tf.reduce_sum(weights)
        grown = _tf.assign_add(total, _tf.reduce_sum(values))
        counted = _tf.assign_add(count, number)
        return _gathered.collect(
            metrics_collections,
            _tf.div_no_nan(total, count),
            updates_collections,
            _tf.div_no_nan(grown, counted),
        )


def mean_tensor(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of each element so far, and the operation that takes more tensors in."""
    with _tf.variable_scope(name, "mean"):
        values = _tf.cast(values, _tf.float32)
        shape = values.get_shape().as_list()
        total, count = _gathered.local("total_tensor", shape), _gathered.local("count_tensor", shape)
        number = _tf.ones_like(values)
        if weights is not None:
            values, _, weights = _gathered.alike(values, None, weights)
            weights = _gathered.spread(weights, values)
            values, number = values * weights, number * weights
        gathered = ((total, _tf.assign_add(total, values)), (count, _tf.assign_add(count, number)))
        return _gathered.both(_tf.div_no_nan, gathered, metrics_collections, updates_collections)


def accuracy(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns which part of the predictions was right so far, and the operation that takes more in."""
    predictions, labels, weights = _gathered.alike(predictions, labels, weights)
    right = _tf.cast(_tf.equal(_tf.cast(predictions, labels.dtype), labels), _tf.float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def percentage_below(
    values: Any, threshold: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns which part of the values was below a threshold so far, and the operation that takes more in."""
    below = _tf.cast(_tf.less(values, threshold), _tf.float32)
    return mean(
        below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold"
    )


def _errors(labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any]:
    predictions, labels, weights = _gathered.alike(predictions, labels, weights)
    return _tf.cast(predictions, _tf.float32) - _tf.cast(labels, _tf.float32), weights


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of the squared errors so far, and the operation that takes more in."""
    error, weights = _errors(labels, predictions, weights)
    return mean(
        _tf.square(error), weights, metrics_collections, updates_collections, name or "mean_squared_error"
    )


def mean_absolute_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of the errors' magnitudes so far, and the operation that takes more in."""
    error, weights = _errors(labels, predictions, weights)
    return mean(
        _tf.abs(error), weights, metrics_collections, updates_collections, name or "mean_absolute_error"
    )


def mean_relative_error(
    labels: Any, predictions: Any, normalizer: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of the errors' magnitudes over a normalizer so far; errors over 0 are 0."""
    predictions, labels, weights = _gathered.alike(predictions, labels, weights)
    predictions, normalizer = _gathered.one_rank(predictions, normalizer)
    there = _tf.not_equal(normalizer, 0.0)
    shares = _tf.abs(labels - predictions) / _tf.where(there, normalizer, _tf.ones_like(normalizer))
    shares = _tf.where(there, shares, _tf.zeros_like(shares))
    return mean(shares, weights, metrics_collections, updates_collections, name or "mean_relative_error")


def mean_cosine_distance(
    labels: Any, predictions: Any, dim: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns 1 less the mean of the products summed along an axis; both are vectors of length 1 along it."""
    predictions, labels, weights = _gathered.alike(predictions, labels, weights)
    products = _tf.reduce_sum(_tf.multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, name=name or "mean_cosine_distance")
    return _gathered.collect(metrics_collections, 1.0 - value, updates_collections, 1.0 - update)


def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the root of the mean of the squared errors so far, and the operation that takes more in."""
    value, update = mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    return _gathered.collect(metrics_collections, _tf.sqrt(value), updates_collections, _tf.sqrt(update))


def mean_iou(
    labels: Any, predictions: Any, num_classes: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean over classes of intersection over union, and the operation that counts more.

    The operation returns the table of counts: rows are labels, columns are predictions.
    """
    with _tf.variable_scope(name, "mean_iou"):
        table = _gathered.local("total_confusion_matrix", [num_classes, num_classes], "float64")
        labels, predictions = _flat(labels), _flat(predictions)
        weights = None if weights is None else _tf.reshape(weights, [-1])
        more = _tf.math.confusion_matrix(labels, predictions, num_classes, weights=weights, dtype=_tf.float64)
        counts = _tf.cast(table, _tf.float32)
        hits = _tf.linalg.diag_part(counts)
        unions = _tf.reduce_sum(counts, 0) + _tf.reduce_sum(counts, 1) - hits
        seen = _tf.reduce_sum(_tf.cast(_tf.not_equal(unions, 0.0), _tf.float32))
        total = _tf.reduce_sum(_tf.div_no_nan(hits, unions))
        value = _tf.div_no_nan(total, seen)
        return _gathered.collect(metrics_collections, value, updates_collections, _tf.assign_add(table, more))


def _flat(values: Any) -> Any:
    return _tf.reshape(_tf.cast(values, _tf.int64), [-1])


def mean_per_class_accuracy(
    labels: Any, predictions: Any, num_classes: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean over classes of the accuracy so far, and the operation that returns each class's."""
    with _tf.variable_scope(name, "mean_accuracy"):
        labels, predictions = _flat(labels), _flat(predictions)
        total, count = _gathered.local("total", [num_classes]), _gathered.local("count", [num_classes])
        right = _tf.cast(_tf.equal(predictions, labels), _tf.float32)
        ones = _tf.ones_like(right)
        if weights is not None:
            weights = _tf.cast(_tf.reshape(weights, [-1]), _tf.float32)
            right, ones = right * weights, ones * weights
        grown, counted = (
            _tf.assign_add(held, _tf.math.unsorted_segment_sum(one, labels, num_classes))
            for held, one in ((count, right), (total, ones))
        )
        update = _tf.div_no_nan(grown, _tf.maximum(counted, 0.0))
        value = _tf.reduce_mean(_tf.div_no_nan(count, _tf.maximum(total, 0.0)))
        return _gathered.collect(metrics_collections, value, updates_collections, update)


def _counted(
    kind: str, label: bool, prediction: bool, labels: Any, predictions: Any, weights: Any,
    metrics_collections: Any, updates_collections: Any, name: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns how many rows have this label and prediction so far, and the operation that counts more."""
    with _tf.variable_scope(name, kind):
        predictions, labels, weights = _gathered.alike(
            _tf.cast(predictions, _tf.bool), _tf.cast(labels, _tf.bool), weights
        )
        hits = _tf.logical_and(_tf.equal(labels, label), _tf.equal(predictions, prediction))
        hits = _tf.cast(hits, _tf.float32)
        if weights is not None:
            if _gathered.rank(weights) not in (0, _gathered.rank(hits), None):
                raise _ArgumentError(
                    f"weights have {_gathered.rank(weights)} axes, and the labels {_gathered.rank(hits)}.",
                    remedy="Give one number, or one for each label.",
                    site=_here(),
                )
            hits = hits * _tf.cast(weights, _tf.float32)
        count = _gathered.local("count")
        grown = _tf.assign_add(count, _tf.reduce_sum(hits))
        return _gathered.collect(metrics_collections, _tf.identity(count), updates_collections, grown)


def true_positives(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns how many positive predictions were right so far, and the operation that counts more."""
    return _counted("true_positives", True, True, labels, predictions, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def true_negatives(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns how many negative predictions were right so far, and the operation that counts more."""
    return _counted("true_negatives", False, False, labels, predictions, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def false_positives(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns how many positive predictions were wrong so far, and the operation that counts more."""
    return _counted("false_positives", False, True, labels, predictions, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def false_negatives(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns how many negative predictions were wrong so far, and the operation that counts more."""
    return _counted("false_negatives", True, False, labels, predictions, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


def _share(hits: Any, misses: Any) -> Any:
    return _tf.div_no_nan(hits, hits + misses)


def precision(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns which part of the positive predictions was right so far, and the operation that takes more
    in."""
    with _tf.variable_scope(name, "precision"):
        gathered = [kind(labels, predictions, weights) for kind in (true_positives, false_positives)]
        return _gathered.both(_share, gathered, metrics_collections, updates_collections)


def recall(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns which part of the positive labels was found so far, and the operation that takes more in."""
    with _tf.variable_scope(name, "recall"):
        gathered = [kind(labels, predictions, weights) for kind in (true_positives, false_negatives)]
        return _gathered.both(_share, gathered, metrics_collections, updates_collections)


__getattr__, __dir__, __all__ = _namespace(
    "tf.compat.v1.metrics",
    globals(),
    rest="compat.v1._ranked_metrics compat.v1._threshold_metrics",
)
