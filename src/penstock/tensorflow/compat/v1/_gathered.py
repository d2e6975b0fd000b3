"""What the metrics of TensorFlow 1 share: local variables, arguments of one rank, and collections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.tensorflow._graphs.graph import GraphKeys
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow.compat.v1 import _lifted as tf

Both = tuple[Any, Any]
"""A value, and the operation that updates it and returns it."""


def local(name: str, shape: Any = (), dtype: Any = "float32") -> Any:
    """Returns a new local variable with zeros, in which a metric is gathered."""
    keys = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
    start = tf.zeros(shape, dtype)
    return GraphVariable(start, trainable=False, name=name, collections=keys)


def collect(metrics_collections: Any, value: Any, updates_collections: Any, update: Any) -> Both:
    """Adds a value and its update to the collections asked for, and returns both."""
    for names, one in ((metrics_collections, value), (updates_collections, update)):
        for name in [names] if isinstance(names, str) else names or ():
            tf.add_to_collection(name, one)
    return value, update


def both(
    function: Callable[..., Any], gathered: Any, metrics_collections: Any, updates_collections: Any
) -> Both:
    """Applies a function to what variables hold, and to what they hold after their updates.

    `gathered` has a pair of both for each argument.
    """
    value = function(*(held + 0.0 for held, _ in gathered))
    update = function(*(grown for _, grown in gathered))
    return collect(metrics_collections, value, updates_collections, update)


def rank(x: Any) -> int | None:
    """Returns how many axes a tensor has, as far as it is known."""
    found = x.get_shape().ndims
    return None if found is None else int(found)


def one_rank(predictions: Any, labels: Any) -> Both:
    """Returns both without a last axis of length 1 that the other does not have."""
    predictions, labels = tf.convert_to_tensor(predictions), tf.convert_to_tensor(labels)
    more = (rank(predictions) or 0) - (rank(labels) or 0)
    if rank(predictions) is not None and rank(labels) is not None:
        if more == 1 and predictions.get_shape()[-1] in (1, None):
            predictions = tf.squeeze(predictions, [-1])
        elif more == -1 and labels.get_shape()[-1] in (1, None):
            labels = tf.squeeze(labels, [-1])
    return predictions, labels


def alike(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """Returns all three with one rank; weights may be one number, or None."""
    predictions = tf.convert_to_tensor(predictions)
    if labels is not None:
        predictions, labels = one_rank(predictions, labels)
        predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    if weights is None:
        return predictions, labels, None
    weights = tf.convert_to_tensor(weights)
    own, other = rank(weights), rank(predictions)
    if own and other is not None:
        if own - other == 1:
            weights = tf.squeeze(weights, [-1])
        elif other - own == 1:
            weights = tf.expand_dims(weights, -1)
    return predictions, labels, weights


def spread(weights: Any, values: Any, dtype: Any = "float32") -> Any:
    """Returns a weight for each value."""
    return tf.cast(weights, dtype) * tf.ones_like(tf.cast(values, dtype))
