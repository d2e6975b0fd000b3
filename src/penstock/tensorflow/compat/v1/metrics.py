"""tf.metrics: numbers that are gathered over many runs, in local variables of the graph."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._graphs.graph import GraphKeys as _GraphKeys
from penstock.tensorflow._graphs.variable import GraphVariable as _GraphVariable
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _lifted as _tf


def _local(name: str) -> Any:
    keys = [_GraphKeys.LOCAL_VARIABLES, "metric_variables"]
    return _GraphVariable(_tf.zeros([]), trainable=False, name=name, collections=keys)


def _added(metrics_collections: Any, value: Any, updates_collections: Any, update: Any) -> tuple[Any, Any]:
    for names, one in ((metrics_collections, value), (updates_collections, update)):
        for name in [names] if isinstance(names, str) else names or ():
            _tf.add_to_collection(name, one)
    return value, update


def mean(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of all values so far, and the operation that takes more values in and returns it.

    The two local variables start with `tf.local_variables_initializer()`.
    """
    with _tf.variable_scope(name, "mean"):
        total, count = _local("total"), _local("count")
        values = _tf.cast(values, _tf.float32)
        if weights is None:
            number = _tf.cast(_tf.size(values), _tf.float32)
            amount = _tf.reduce_sum(values)
        else:
            weights = _tf.cast(weights, _tf.float32) * _tf.ones_like(values)
            number, amount = _tf.reduce_sum(weights), _tf.reduce_sum(values * weights)
        grown, counted = _tf.assign_add(total, amount), _tf.assign_add(count, number)
        return _added(
            metrics_collections,
            _tf.div_no_nan(total, count),
            updates_collections,
            _tf.div_no_nan(grown, counted),
        )


def accuracy(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns which part of the predictions was right so far, and the operation that takes more in."""
    predictions = _tf.convert_to_tensor(predictions)
    labels = _tf.cast(labels, predictions.dtype)
    right = _tf.cast(_tf.equal(_tf.reshape(predictions, _tf.shape(labels)), labels), _tf.float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of the squared errors so far, and the operation that takes more in."""
    error = _tf.square(_tf.cast(predictions, _tf.float32) - _tf.cast(labels, _tf.float32))
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_squared_error")


def mean_absolute_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of the errors' magnitudes so far, and the operation that takes more in."""
    error = _tf.abs(_tf.cast(predictions, _tf.float32) - _tf.cast(labels, _tf.float32))
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the root of the mean of the squared errors so far, and the operation that takes more in."""
    value, update = mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    return _added(metrics_collections, _tf.sqrt(value), updates_collections, _tf.sqrt(update))


def _counted(name: str, hits: Any, weights: Any) -> tuple[Any, Any]:
    """Returns how many hold so far, and how many once more are taken in."""
    held = _local(name)
    hits = _tf.cast(hits, _tf.float32)
    hits = hits if weights is None else hits * _tf.cast(weights, _tf.float32)
    return held, _tf.assign_add(held, _tf.reduce_sum(hits))


def _ratio(
    kind: str, labels: Any, predictions: Any, weights: Any, metrics_collections: Any,
    updates_collections: Any, name: Any,
) -> tuple[Any, Any]:  # fmt: skip
    labels, predictions = _tf.cast(labels, _tf.bool), _tf.cast(predictions, _tf.bool)
    predictions = _tf.reshape(predictions, _tf.shape(labels))
    with _tf.variable_scope(name, kind):
        hits = _counted("true_positives", _tf.logical_and(labels, predictions), weights)
        if kind == "precision":
            misses = _counted(
                "false_positives", _tf.logical_and(_tf.logical_not(labels), predictions), weights
            )
        else:
            misses = _counted(
                "false_negatives", _tf.logical_and(labels, _tf.logical_not(predictions)), weights
            )
        value, update = (
            _tf.div_no_nan(hit + 0.0, hit + miss) for hit, miss in zip(hits, misses, strict=True)
        )
    return _added(metrics_collections, value, updates_collections, update)


def precision(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns which part of the positive predictions was right so far, and the operation that takes more
    in."""
    return _ratio("precision", labels, predictions, weights, metrics_collections, updates_collections, name)


def recall(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns which part of the positive labels was found so far, and the operation that takes more in."""
    return _ratio("recall", labels, predictions, weights, metrics_collections, updates_collections, name)


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.metrics", globals())
