"""Metrics of TensorFlow 1 that count predictions above and below thresholds: areas under curves, recall."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.tensorflow.compat.v1._checks import assert_greater_equal, assert_less_equal
from penstock.tensorflow.compat.v1._gathered import Both, alike, both, collect, local, spread
from penstock.tensorflow.compat.v1.logging import warning
from penstock.trace.source_site import here

KINDS = {
    "true_positives": (True, True),
    "false_negatives": (True, False),
    "true_negatives": (False, False),
    "false_positives": (False, True),
}
"""By kind: whether the label is positive, and whether the prediction is above the threshold."""
_EDGE = 1e-7


def _counts(labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any, kinds: Any) -> Any:
    """Returns the numbers of each kind at each threshold so far, each with the operation that counts more."""
    predictions = tf.convert_to_tensor(predictions)
    asked = [
        check(predictions, tf.cast(edge, predictions.dtype), message="predictions must be in [0, 1]")
        for check, edge in ((assert_greater_equal, 0.0), (assert_less_equal, 1.0))
    ]
    with tf.control_dependencies(asked):
        predictions = tf.cast(predictions, tf.float32)
    predictions, labels, weights = alike(predictions, tf.cast(labels, tf.bool), weights)
    edges = tf.constant(np.asarray(thresholds, np.float32)[:, None])
    above = tf.greater(tf.reshape(predictions, [1, -1]), edges)
    positive = tf.logical_and(tf.reshape(labels, [1, -1]), tf.ones_like(above))
    weights = None if weights is None else tf.reshape(spread(weights, predictions), [1, -1])
    made = []
    for kind in kinds:
        label, prediction = KINDS[kind]
        hits = tf.logical_and(
            positive if label else tf.logical_not(positive), above if prediction else tf.logical_not(above)
        )
        hits = tf.cast(hits, tf.float32)
        hits = hits if weights is None else hits * weights
        held = local(kind, [len(thresholds)])
        made.append((held, tf.assign_add(held, tf.reduce_sum(hits, 1))))
    return made


def _evenly(count: int, last: float = 1.0 + _EDGE) -> list[float]:
    """Returns thresholds from below 0 to above 1, at equal distances."""
    return [-_EDGE, *((i + 1) * 1.0 / (count - 1) for i in range(count - 2)), last]


def _under_curve(curve: str, method: str, gathered: Sequence[Any]) -> Any:
    """Returns the area under a curve through the points of all thresholds."""
    hits, missed, spared, alarms = gathered
    least = 1e-6
    if curve == "PR" and method == "careful_interpolation":
        return _interpolated(hits, alarms, missed)
    recalled = (hits + least) / (hits + missed + least)
    if curve == "ROC":
        x, y = alarms / (alarms + spared + least), recalled
    else:
        x, y = recalled, (hits + least) / (hits + alarms + least)
    widths, first, second = x[:-1] - x[1:], y[:-1], y[1:]
    if method in ("trapezoidal", "careful_interpolation"):
        heights = (first + second) / 2.0
    else:
        heights = tf.minimum(first, second) if method == "minoring" else tf.maximum(first, second)
    return tf.reduce_sum(widths * heights)


def _interpolated(hits: Any, alarms: Any, missed: Any) -> Any:
    """Returns the area under precision by recall, between points as Davis and Goadrich (2006) do."""
    gained = hits[:-1] - hits[1:]
    found = hits + alarms
    slope = tf.div_no_nan(gained, tf.maximum(found[:-1] - found[1:], 0.0))
    level = hits[1:] - slope * found[1:]
    there = tf.logical_and(found[:-1] > 0.0, found[1:] > 0.0)
    ratio = tf.where(there, tf.div_no_nan(found[:-1], tf.maximum(found[1:], 0.0)), tf.ones_like(found[1:]))
    steps = slope * (gained + level * tf.math.log(ratio))
    return tf.reduce_sum(tf.div_no_nan(steps, tf.maximum(hits[1:] + missed[1:], 0.0)))


@named("tf.compat.v1.metrics.auc")
def auc(
    labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, curve: str = "ROC", name: Any = None,
    summation_method: str = "trapezoidal", thresholds: Any = None,
) -> Both:  # fmt: skip
    """Returns the area under a curve, `"ROC"` or `"PR"`, so far, and the operation that takes more in.

    The curve goes through the points of `num_thresholds` thresholds. `summation_method` says how the area
    between two is computed: `"trapezoidal"`, `"careful_interpolation"`, `"minoring"` or `"majoring"`.
    """
    with tf.variable_scope(name, "auc"):
        if curve not in ("ROC", "PR"):
            raise ArgumentError(f"Curve must be either ROC or PR. Curve {curve} is unknown.", site=here())
        if summation_method not in ("trapezoidal", "careful_interpolation", "minoring", "majoring"):
            raise ArgumentError(
                f"Invalid summation_method: {summation_method} summation_method should be 'trapezoidal', "
                "'careful_interpolation', 'minoring', or 'majoring'.",
                site=here(),
            )
        if thresholds is not None:
            edges = [-_EDGE, *sorted(thresholds), 1.0 + _EDGE]
        else:
            edges = _evenly(int(num_thresholds))
        gathered = _counts(labels, predictions, edges, weights, KINDS)
        if curve == "PR" and summation_method == "trapezoidal":
            for _ in range(2):
                warning(
                    "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "
                    '"careful_interpolation" instead.'
                )

        def area(*counts: Any) -> Any:
            return _under_curve(curve, summation_method, counts)

        return both(area, gathered, metrics_collections, updates_collections)


def _at_best(
    gathered: Any, wanted: Callable[..., Any], metrics_collections: Any, updates_collections: Any
) -> Both:
    """Returns a share at the threshold that a function of the four counts finds."""

    def share(*counts: Any) -> Any:
        at, part, rest = wanted(*counts)
        at = tf.cast(at, tf.int32)
        return part[at] / (part[at] + rest[at] + _EDGE)

    return both(share, gathered, metrics_collections, updates_collections)


def _check_share(name: str, share: float, verb: str) -> None:
    if not 0 <= share <= 1:
        raise ArgumentError(
            f"`{name}` must be in the range [0, 1]. Currently, `{name}` {verb} {share}.", site=here()
        )


@named("tf.compat.v1.metrics.sensitivity_at_specificity")
def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns which part of the positive labels was found where that of the negative ones is as given."""
    _check_share("specificity", specificity, "got")

    def wanted(hits: Any, missed: Any, spared: Any, alarms: Any) -> Any:
        found = spared / (spared + alarms + _EDGE)
        return tf.argmin(tf.abs(found - specificity), 0), hits, missed

    with tf.variable_scope(name, "sensitivity_at_specificity"):
        gathered = _counts(labels, predictions, _evenly(int(num_thresholds)), weights, KINDS)
        return _at_best(gathered, wanted, metrics_collections, updates_collections)


@named("tf.compat.v1.metrics.specificity_at_sensitivity")
def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns which part of the negative labels was spared where that of the positive ones is as given.

    Of several thresholds that are equally near, the last counts.
    """
    _check_share("sensitivity", sensitivity, "is")

    def wanted(hits: Any, missed: Any, spared: Any, alarms: Any) -> Any:
        away = tf.abs(hits / (hits + missed + _EDGE) - sensitivity)
        nearest = tf.cast(tf.equal(away, tf.reduce_min(away)), tf.int64)
        return tf.argmax(tf.cumsum(nearest), 0), spared, alarms

    with tf.variable_scope(name, "specificity_at_sensitivity"):
        edges = _evenly(int(num_thresholds), 1.0 - _EDGE)
        gathered = _counts(labels, predictions, edges, weights, KINDS)
        return _at_best(gathered, wanted, metrics_collections, updates_collections)


@named("tf.compat.v1.metrics.precision_at_thresholds")
def precision_at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns which part of the predictions above each threshold was right, and the operation for more."""
    with tf.variable_scope(name, "precision_at_thresholds"):
        kinds = ("true_positives", "false_positives")
        gathered = _counts(labels, predictions, thresholds, weights, kinds)
        return both(_part, gathered, metrics_collections, updates_collections)


@named("tf.compat.v1.metrics.recall_at_thresholds")
def recall_at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns which part of the positive labels was above each threshold, and the operation for more."""
    with tf.variable_scope(name, "recall_at_thresholds"):
        kinds = ("true_positives", "false_negatives")
        gathered = _counts(labels, predictions, thresholds, weights, kinds)
        return both(_part, gathered, metrics_collections, updates_collections)


def _part(hits: Any, others: Any) -> Any:
    return hits / (_EDGE + hits + others)


def _of_kind(
    kind: str, labels: Any, predictions: Any, thresholds: Any, weights: Any, metrics_collections: Any,
    updates_collections: Any, name: Any,
) -> Both:  # fmt: skip
    with tf.variable_scope(name, kind):
        ((held, grown),) = _counts(labels, predictions, thresholds, weights, [kind])
        return collect(metrics_collections, tf.identity(held), updates_collections, grown)


@named("tf.compat.v1.metrics.true_positives_at_thresholds")
def true_positives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns how many positive labels were above each threshold so far, and the operation for more."""
    return _of_kind("true_positives", labels, predictions, thresholds, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


@named("tf.compat.v1.metrics.true_negatives_at_thresholds")
def true_negatives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns how many negative labels were below each threshold so far, and the operation for more."""
    return _of_kind("true_negatives", labels, predictions, thresholds, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


@named("tf.compat.v1.metrics.false_positives_at_thresholds")
def false_positives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns how many negative labels were above each threshold so far, and the operation for more."""
    return _of_kind("false_positives", labels, predictions, thresholds, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip


@named("tf.compat.v1.metrics.false_negatives_at_thresholds")
def false_negatives_at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: Any = None,
) -> Both:  # fmt: skip
    """Returns how many positive labels were below each threshold so far, and the operation for more."""
    return _of_kind("false_negatives", labels, predictions, thresholds, weights, metrics_collections,
                    updates_collections, name)  # fmt: skip
