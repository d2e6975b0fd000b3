"""Metrics of TensorFlow 1 about the k best predictions of each row: precision, recall, average precision."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.graph import mode
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.tensorflow.compat.v1._gathered import Both, both, local, rank, spread
from penstock.trace.source_site import here

_NOTHING = -(2**62)
"""Fills up the rows of sparse labels: -1 is a label like others, which no prediction hits."""


def _title(name: str, k: Any, class_id: Any = None) -> str:
    title = f"{name}_at_k" if k is None else f"{name}_at_{k}"
    return title if class_id is None else f"{title}_class{class_id}"


def _is_sparse(labels: Any) -> bool:
    return getattr(labels, "_is_sparse", False) or isinstance(labels, tf.SparseTensor)


def _dense(labels: Any, predictions: Any) -> Any:
    """Returns labels with the axes of predictions, int64; the rows of a sparse tensor are filled up."""
    if _is_sparse(labels):
        labels = tf.sparse_tensor_to_dense(labels, default_value=_NOTHING, validate_indices=False)
    labels = tf.cast(labels, tf.int64)
    own, other = rank(labels), rank(predictions)
    if own is not None and other is not None and own != other:
        if other != own + 1:
            raise ArgumentError(
                f"Unexpected labels shape {labels.get_shape()} for predictions shape "
                f"{predictions.get_shape()}. Predictions rank should be the same rank as labels rank or "
                "labels rank plus one .",
                site=here(),
            )
        labels = tf.expand_dims(labels, -1)
    return labels


def _first(labels: Any) -> Any:
    """Returns whether a label is the first of its kind in its row: sets have each once."""
    same = tf.equal(tf.expand_dims(labels, -1), tf.expand_dims(labels, -2))
    before = tf.cumsum(tf.cast(same, tf.int32), axis=-1, exclusive=True)
    return tf.equal(tf.linalg.diag_part(before), 0)


def _hits(labels: Any, chosen: Any) -> Both:
    """Returns, for each label and for each chosen class, whether the other set has it."""
    same = tf.equal(tf.expand_dims(labels, -1), tf.expand_dims(chosen, -2))
    return tf.reduce_any(same, -1), tf.reduce_any(same, -2)


def _total(title: str, hits: Any, weights: Any) -> Both:
    """Returns how many hold so far, and the operation that counts more."""
    with tf.name_scope(None, title) as scope:
        counts = tf.cast(tf.reduce_sum(tf.cast(hits, tf.int32), -1), tf.float64)
        if weights is not None:
            counts = counts * tf.cast(weights, tf.float64)
        held = local(scope, (), "float64")
        return held, tf.assign_add(held, tf.reduce_sum(counts))


def _part(hits: Any, others: Any) -> Any:
    return hits / (hits + others)


def _ratio(
    kind: str, labels: Any, chosen: Any, k: Any, class_id: Any, weights: Any, metrics_collections: Any,
    updates_collections: Any, name: Any,
) -> Both:  # fmt: skip
    with tf.name_scope(name, _title(kind, k, class_id)):
        chosen = tf.cast(chosen, tf.int64)
        labels = _dense(labels, chosen)
        found, right = _hits(labels, chosen)
        once = _first(chosen)
        there = tf.logical_and(tf.not_equal(labels, tf.constant(_NOTHING, tf.int64)), _first(labels))
        if class_id is not None:
            wanted = tf.constant(class_id, tf.int64)
            there, once = (
                tf.logical_and(there, tf.equal(labels, wanted)),
                tf.logical_and(once, tf.equal(chosen, wanted)),
            )
        if kind == "precision":
            other, title = tf.logical_and(once, tf.logical_not(right)), "false_positive"
        else:
            other, title = tf.logical_and(there, tf.logical_not(found)), "false_negative"
        gathered = [
            _total(_title("true_positive", k, class_id), tf.logical_and(once, right), weights),
            _total(_title(title, k, class_id), other, weights),
        ]
        return both(_part, gathered, metrics_collections, updates_collections)


def _of_best(kind: str, predictions: Any, k: int, name: Any, class_id: Any, *given: Any) -> Both:
    labels, weights, metrics_collections, updates_collections = given
    with tf.name_scope(name, _title(kind, k, class_id)) as scope:
        chosen = tf.nn.top_k(predictions, k)[1]
        return _ratio(
            kind, labels, chosen, k, class_id, weights, metrics_collections, updates_collections, scope
        )


@named("tf.compat.v1.metrics.precision_at_top_k")
def precision_at_top_k(
    labels: Any, predictions_idx: Any, k: Any = None, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns which part of the classes chosen in each row is among its labels so far.

    `k` only names the variables. With `class_id`, only this class counts.
    """
    return _ratio("precision", labels, predictions_idx, k, class_id, weights, metrics_collections,
                  updates_collections, name)  # fmt: skip


@named("tf.compat.v1.metrics.recall_at_top_k")
def recall_at_top_k(
    labels: Any, predictions_idx: Any, k: Any = None, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns which part of the labels is among the classes chosen in each row so far.

    `k` only names the variables. With `class_id`, only this class counts.
    """
    return _ratio("recall", labels, predictions_idx, k, class_id, weights, metrics_collections,
                  updates_collections, name)  # fmt: skip


@named("tf.compat.v1.metrics.precision_at_k", "tf.compat.v1.metrics.sparse_precision_at_k")
def precision_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns which part of the k best classes of each row is among its labels so far."""
    return _of_best("precision", predictions, k, name, class_id, labels, weights, metrics_collections,
                    updates_collections)  # fmt: skip


@named("tf.compat.v1.metrics.recall_at_k")
def recall_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns which part of the labels is among the k best classes of each row so far."""
    return _of_best("recall", predictions, k, name, class_id, labels, weights, metrics_collections,
                    updates_collections)  # fmt: skip


@named("tf.compat.v1.metrics.average_precision_at_k", "tf.compat.v1.metrics.sparse_average_precision_at_k")
def average_precision_at_k(
    labels: Any, predictions: Any, k: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns the mean over rows of the precision at each of the k best classes that is a label."""
    if k < 1:
        raise ArgumentError(f"Invalid k={k}. `k` should be >= 1.", site=here())
    with tf.name_scope(name, _title("average_precision", k)) as scope:
        chosen = tf.cast(tf.nn.top_k(predictions, k)[1], tf.int64)
        sparse, labels = _is_sparse(labels), _dense(labels, chosen)
        # TensorFlow looks at the largest label first, which takes a name.
        mode.default().unique_name("Max")
        classes = tf.cast(tf.shape(predictions)[-1], tf.int64)
        labels = tf.where(labels >= classes, -tf.ones_like(labels), labels)
        with tf.name_scope(scope):
            right = tf.cast(_hits(labels, chosen)[1], tf.float64)
            shares = tf.cumsum(right, axis=-1) / tf.cumsum(tf.ones_like(right), axis=-1)
            there = tf.greater_equal(labels, tf.zeros_like(labels))
            there = tf.logical_and(there, _first(labels)) if sparse else there
            count = tf.cast(tf.reduce_sum(tf.cast(there, tf.int32), -1), tf.float64)
            mean = tf.reduce_sum(shares * right, -1) / tf.minimum(count, tf.constant(float(k), tf.float64))
            if weights is None:
                more = tf.cast(tf.size(mean), tf.float64)
            else:
                weights = spread(weights, mean, "float64")
                mean, more = mean * weights, tf.reduce_sum(weights)
            with tf.name_scope(None, "max") as largest:
                held = local(largest, (), "float64")
                rows = held, tf.assign_add(held, more)
            with tf.name_scope(None, "total") as sums:
                held = local(sums, (), "float64")
                total = held, tf.assign_add(held, tf.reduce_sum(mean))
            return both(tf.div_no_nan, (total, rows), metrics_collections, updates_collections)
