"""tf.metrics: numbers that are gathered over many runs, in local variables of the graph."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._graphs.graph import GraphKeys as _GraphKeys
from penstock.tensorflow._graphs.variable import GraphVariable as _GraphVariable
from penstock.tensorflow._names import namespace as _namespace


def _names() -> Any:
    from penstock.tensorflow.compat import v1

    return v1


def _local(name: str) -> Any:
    tf = _names()
    keys = [_GraphKeys.LOCAL_VARIABLES, "metric_variables"]
    return _GraphVariable(tf.zeros([]), trainable=False, name=name, collections=keys)


def _added(metrics_collections: Any, value: Any, updates_collections: Any, update: Any) -> tuple[Any, Any]:
    tf = _names()
    for names, one in ((metrics_collections, value), (updates_collections, update)):
        for name in [names] if isinstance(names, str) else names or ():
            tf.add_to_collection(name, one)
    return value, update


def mean(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of all values so far, and the operation that takes more values in and returns it.

    The two local variables start with `tf.local_variables_initializer()`.
    """
    tf = _names()
    with tf.variable_scope(name, "mean"):
        total, count = _local("total"), _local("count")
        values = tf.cast(values, tf.float32)
        if weights is None:
            number = tf.cast(tf.size(values), tf.float32)
            amount = tf.reduce_sum(values)
        else:
            weights = tf.cast(weights, tf.float32) * tf.ones_like(values)
            number, amount = tf.reduce_sum(weights), tf.reduce_sum(values * weights)
        grown, counted = tf.assign_add(total, amount), tf.assign_add(count, number)
        return _added(
            metrics_collections,
            tf.div_no_nan(total, count),
            updates_collections,
            tf.div_no_nan(grown, counted),
        )


def accuracy(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns which part of the predictions was right so far, and the operation that takes more in."""
    tf = _names()
    predictions = tf.convert_to_tensor(predictions)
    labels = tf.cast(labels, predictions.dtype)
    right = tf.cast(tf.equal(tf.reshape(predictions, tf.shape(labels)), labels), tf.float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of the squared errors so far, and the operation that takes more in."""
    tf = _names()
    error = tf.square(tf.cast(predictions, tf.float32) - tf.cast(labels, tf.float32))
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_squared_error")


def mean_absolute_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the mean of the errors' magnitudes so far, and the operation that takes more in."""
    tf = _names()
    error = tf.abs(tf.cast(predictions, tf.float32) - tf.cast(labels, tf.float32))
    return mean(error, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Returns the root of the mean of the squared errors so far, and the operation that takes more in."""
    tf = _names()
    value, update = mean_squared_error(labels, predictions, weights, name=name or "root_mean_squared_error")
    return _added(metrics_collections, tf.sqrt(value), updates_collections, tf.sqrt(update))


def _counted(name: str, hits: Any, weights: Any) -> tuple[Any, Any]:
    """Returns how many hold so far, and how many once more are taken in."""
    tf = _names()
    held = _local(name)
    hits = tf.cast(hits, tf.float32)
    hits = hits if weights is None else hits * tf.cast(weights, tf.float32)
    return held, tf.assign_add(held, tf.reduce_sum(hits))


def _ratio(
    kind: str, labels: Any, predictions: Any, weights: Any, metrics_collections: Any,
    updates_collections: Any, name: Any,
) -> tuple[Any, Any]:  # fmt: skip
    tf = _names()
    labels, predictions = tf.cast(labels, tf.bool), tf.cast(predictions, tf.bool)
    predictions = tf.reshape(predictions, tf.shape(labels))
    with tf.variable_scope(name, kind):
        hits = _counted("true_positives", tf.logical_and(labels, predictions), weights)
        if kind == "precision":
            misses = _counted("false_positives", tf.logical_and(tf.logical_not(labels), predictions), weights)
        else:
            misses = _counted("false_negatives", tf.logical_and(labels, tf.logical_not(predictions)), weights)
        value, update = (tf.div_no_nan(hit + 0.0, hit + miss) for hit, miss in zip(hits, misses, strict=True))
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
