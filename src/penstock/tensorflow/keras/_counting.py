"""Metrics that count a classifier's hits and misses, at one threshold or at many."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array, segments
from penstock.functions.composite import composite
from penstock.functions.nn import sigmoid
from penstock.ops import pointwise, reduce
from penstock.ops.shape import reshape
from penstock.state.variable import read
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import losses
from penstock.tensorflow.keras._formulas import EPSILON
from penstock.tensorflow.keras._metric import FLOAT, Metric, as_float, quotient
from penstock.trace.source_site import here
from penstock.trace.tensor import Tensor

_LEAST = -1e10
"""The value of predictions that are not among the largest, as in Keras: below every threshold."""


def _thresholds(given: Any, default: float) -> list[float]:
    found = [default] if given is None else list(given) if isinstance(given, list | tuple) else [given]
    wrong = [] if given is None else [one for one in found if one is None or one < 0 or one > 1]
    if wrong:
        raise ArgumentError(f"Threshold values must be in [0, 1]. Received: {wrong}", site=here())
    return found


@composite(3, "counts_at_thresholds")
def _counts(t: Any, p: Any, w: Any, thresholds: tuple[float, ...]) -> tuple[Tensor, ...]:
    """Returns true and false positives, true and false negatives [thresholds, labels] of [n, labels]."""
    limits = np.asarray(thresholds, p.dtype).reshape(-1, 1, 1)
    above = reshape(p, shape=(1, *p.shape)) > limits
    true = reshape(t, shape=(1, *t.shape)) != 0.0
    weights = reshape(w, shape=(1, *w.shape))
    return tuple(
        reduce.sum(
            pointwise.where(pointwise.logical_and(a, b), weights, 0.0), axes=(1,), keepdims=False
        )
        for a, b in (
            (true, above), (pointwise.logical_not(true), above),
            (pointwise.logical_not(true), pointwise.logical_not(above)), (true, pointwise.logical_not(above)),
        )
    )  # fmt: skip


def _counts_in_buckets(t: Any, p: Any, w: Any, count: int, least: int) -> tuple[Any, ...]:
    """Returns what `_counts` does for evenly spaced thresholds, without comparing each with each.

    A prediction p lies above the thresholds 0 .. ceil(p * (count - 1)) - 1; `least` is the bucket of p = 0.
    """
    labels = p._spec.shape[1]
    bucket = array.ceil(array.clip(p, 0.0, 1.0) * float(count - 1)) - 1.0
    ids = (array.maximum(bucket, float(least)) + 1.0) * float(labels) + np.arange(labels, dtype=np.float32)
    ids = array.reshape(array.astype(ids, "int32"), (-1,))
    true = array.where(array.not_equal(t, 0.0), w, 0.0)
    false = w - true

    def above(values: Any) -> Any:
        found = segments.segment_sum(array.reshape(values, (-1,)), ids, (count + 1) * labels)
        rows = array.flip(array.reshape(found, (count + 1, labels)), axis=0)
        return array.flip(array.cumulative_sum(rows, axis=0), axis=0)[1:]

    tp, fp = above(true), above(false)
    return tp, fp, array.sum(false, axis=0) - fp, array.sum(true, axis=0) - tp


_KINDS = ("true_positives", "false_positives", "true_negatives", "false_negatives")


class _Counting(Metric):
    """Counts of the kinds in `_kept`, at each threshold."""

    _kept: tuple[str, ...] = _KINDS
    _even, _least, _columns = False, -1, False

    def _make(self, thresholds: Any, labels: int | None = None) -> None:
        self._limits = [float(one) for one in thresholds]
        count = len(self._limits)
        if count > 2:
            evenly = np.arange(count, dtype=np.float32) / (count - 1)
            self._even = bool(np.allclose(self._limits, evenly, atol=EPSILON))
            self._least = 0 if self._limits[0] < 0 or self._limits[-1] > 1 else -1
        shape = (count,) if labels is None else (count, labels)
        for kind in self._kept:
            setattr(self, kind, self.add_weight(shape, name=kind))

    def _prepared(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        """Returns targets and predictions of one shape."""
        return losses._same_rank(as_float(y_true), as_float(y_pred))

    def _weighed(self, weights: Any) -> Any:
        return weights

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Adds a batch of targets, where any value but 0 is true, and predictions."""
        t, p = self._prepared(y_true, y_pred)
        shape = tuple(p._spec.shape)
        if tuple(t._spec.shape) != shape:
            raise ArgumentError(
                f"Shapes {tuple(t._spec.shape)} and {shape} are incompatible: targets and predictions of "
                f"{type(self).__name__} have one shape.",
                site=here(),
            )
        ones: Any = np.ones((), np.float32)
        weights = operand(ones if sample_weight is None else sample_weight)
        weights = self._weighed(array.broadcast_to(losses._weights(weights, FLOAT, len(shape)), shape))
        flat = (shape[0], -1) if self._columns else (-1, 1)
        t, p, weights = (array.reshape(one, flat) for one in (t, p, weights))
        if self._even:
            found = _counts_in_buckets(t, p, weights, len(self._limits), self._least)
        else:
            found = _counts(t, p, weights, tuple(self._limits))
        for kind, one in zip(_KINDS, found, strict=True):
            if kind in self._kept:
                variable = getattr(self, kind)
                variable.assign_add(array.reshape(one, tuple(variable._spec.shape)))

    def _single(self, found: Any) -> Any:
        return found[0] if len(self._limits) == 1 else found


class _One(_Counting):
    """One of the four counts."""

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.thresholds, self._given = _thresholds(thresholds, 0.5), thresholds
        self._make(self.thresholds)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        return {**super().get_config(), "thresholds": self._given}

    def result(self) -> Any:
        """Returns the count, of each threshold if there are several."""
        return self._single(read(getattr(self, self._kept[0])))


@named("tf.keras.metrics.TruePositives")
class TruePositives(_One):
    """How many predictions above the threshold were right.

    >>> from penstock import tensorflow as tf
    >>> metric = tf.keras.metrics.TruePositives()
    >>> metric.update_state([0, 1, 1], [0.9, 0.8, 0.1])
    >>> float(metric.result())
    1.0
    """

    _kept = ("true_positives",)


@named("tf.keras.metrics.FalsePositives")
class FalsePositives(_One):
    """How many predictions above the threshold were wrong; see `TruePositives`."""

    _kept = ("false_positives",)


@named("tf.keras.metrics.TrueNegatives")
class TrueNegatives(_One):
    """How many predictions not above the threshold were right; see `TruePositives`."""

    _kept = ("true_negatives",)


@named("tf.keras.metrics.FalseNegatives")
class FalseNegatives(_One):
    """How many predictions not above the threshold were wrong; see `TruePositives`."""

    _kept = ("false_negatives",)


class _Share(_Counting):
    """The true positives among the positives of one kind or the other."""

    def __init__(
        self, thresholds: Any = None, top_k: int | None = None, class_id: int | None = None,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        self.thresholds = _thresholds(thresholds, 0.5 if top_k is None else _LEAST)
        self.top_k, self.class_id, self._given_thresholds = top_k, class_id, thresholds
        self._make(self.thresholds)

    def _prepared(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        t, p = super()._prepared(y_true, y_pred)
        if self.top_k is not None:
            order = array.argsort(array.argsort(p, descending=True, stable=True), stable=True)
            p = array.where(array.less(order, self.top_k), p, _LEAST)
        if self.class_id is not None:
            if len(p._spec.shape) == 1:
                raise ArgumentError(
                    "When class_id is provided, y_pred must be a 2D array with shape (num_samples, "
                    f"num_classes), found shape: {tuple(p._spec.shape)}",
                    site=here(),
                )
            chosen = (..., slice(self.class_id, self.class_id + 1))
            t, p = t[chosen], p[chosen]
        return t, p

    def result(self) -> Any:
        """Returns the share, of each threshold if there are several; 0 where there are no positives."""
        found, other = (getattr(self, kind) for kind in self._kept)
        return self._single(quotient(read(found), found + other))

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        config = {"thresholds": self._given_thresholds, "top_k": self.top_k, "class_id": self.class_id}
        return {**super().get_config(), **config}


@named("tf.keras.metrics.Precision")
class Precision(_Share):
    """How many of the predictions above the threshold were right.

    `top_k` takes the largest predictions of each example instead, `class_id` one column.

    >>> from penstock import tensorflow as tf
    >>> metric = tf.keras.metrics.Precision()
    >>> metric.update_state([0, 1, 1, 1], [0.9, 0.8, 0.1, 0.6])
    >>> round(float(metric.result()), 4)
    0.6667
    """

    _kept = ("true_positives", "false_positives")


@named("tf.keras.metrics.Recall")
class Recall(_Share):
    """The share of true targets that were predicted above the threshold; see `Precision`.

    >>> from penstock import tensorflow as tf
    >>> metric = tf.keras.metrics.Recall()
    >>> metric.update_state([0, 1, 1, 1], [0.9, 0.8, 0.1, 0.6])
    >>> round(float(metric.result()), 4)
    0.6667
    """

    _kept = ("true_positives", "false_negatives")


@named("tf.keras.metrics.AUC")
class AUC(_Counting):
    """The area under the curve of true over false positives ("ROC"), or of precision over recall ("PR").

    The curve has `num_thresholds` points, or those of `thresholds`, and 0 and 1. Between two of them counts
    go straight ("interpolation", for "PR" by Davis and Goadrich, 2006), or stay at the smaller ("minoring")
    or larger ("majoring") height. With `multi_label` every column has its area, and the result is their mean.

    >>> from penstock import tensorflow as tf
    >>> metric = tf.keras.metrics.AUC()
    >>> metric.update_state([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.9])
    >>> round(float(metric.result()), 4)
    0.75
    """

    def __init__(
        self, num_thresholds: int = 200, curve: str = "ROC", summation_method: str = "interpolation",
        name: str | None = None, dtype: Any = None, thresholds: Any = None, multi_label: bool = False,
        num_labels: int | None = None, label_weights: Any = None, from_logits: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        for word, value, allowed in (
            ("curve", str(curve).upper(), ("ROC", "PR")),
            ("summation_method", summation_method, ("interpolation", "minoring", "majoring")),
        ):
            if value not in allowed:
                raise ArgumentError(
                    f"AUC: {word} is {value!r}.", remedy=f"Use one of {', '.join(allowed)}.", site=here()
                )
        if thresholds is None and num_thresholds <= 1:
            raise ArgumentError(
                "Argument `num_thresholds` must be an integer > 1. Received: "
                f"num_thresholds={num_thresholds}",
                site=here(),
            )
        if num_labels and not multi_label:
            raise ArgumentError("`num_labels` is needed only when `multi_label` is True.", site=here())
        between = [n / (num_thresholds - 1) for n in range(1, num_thresholds - 1)]
        inner = between if thresholds is None else sorted(_thresholds(list(thresholds), 0.5))
        self.thresholds = [-EPSILON, *inner, 1.0 + EPSILON]
        self.num_thresholds = len(self.thresholds)
        self.curve, self.summation_method = str(curve).upper(), summation_method
        self.multi_label = self._columns = multi_label
        self.label_weights = None if label_weights is None else np.asarray(label_weights, np.float32)
        self._from_logits, self._num_labels = from_logits, num_labels
        self._given_thresholds = thresholds is not None
        if not multi_label or num_labels:
            self._make(self.thresholds, num_labels if multi_label else None)

    def _prepared(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        t, p = super()._prepared(y_true, y_pred)
        if self.multi_label and not self.variables:
            if len(p._spec.shape) != 2:
                raise ArgumentError(
                    "`y_pred` must have rank 2 when `multi_label=True`. Found rank "
                    f"{len(p._spec.shape)}. Full shape received for `y_pred`: {tuple(p._spec.shape)}",
                    site=here(),
                )
            self._make(self.thresholds, p._spec.shape[1])
        return t, sigmoid(p) if self._from_logits else p

    def _weighed(self, weights: Any) -> Any:
        if self.label_weights is None or self.multi_label:
            return weights
        return weights * self.label_weights

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name; `thresholds` only where they are not even."""
        config = {
            "num_thresholds": self.num_thresholds, "curve": self.curve,
            "summation_method": self.summation_method, "multi_label": self.multi_label,
            "num_labels": self._num_labels,
            "label_weights": None if self.label_weights is None else self.label_weights.tolist(),
            "from_logits": self._from_logits,
        }  # fmt: skip
        if self._given_thresholds:
            config["thresholds"] = self.thresholds[1:-1]
        return {**super().get_config(), **config}

    def result(self) -> Any:
        """Returns the area."""
        tp, fp, tn, fn = (read(getattr(self, kind)) for kind in _KINDS)
        recall = quotient(tp, tp + fn)
        if self.curve == "PR" and self.summation_method == "interpolation":
            areas = _between_counts(tp, fp, fn)
        else:
            x, y = (recall, quotient(tp, tp + fp)) if self.curve == "PR" else (quotient(fp, fp + tn), recall)
            if self.summation_method == "interpolation":
                height: Any = (y[:-1] + y[1:]) / 2.0
            else:
                extreme = array.minimum if self.summation_method == "minoring" else array.maximum
                height = extreme(y[:-1], y[1:])
            areas = (x[:-1] - x[1:]) * height
        if not self.multi_label:
            return array.sum(areas)
        areas = array.sum(areas, axis=0)
        if self.label_weights is None:
            return array.mean(areas)
        return quotient(array.sum(areas * self.label_weights), operand(self.label_weights.sum()))


def _between_counts(tp: Any, fp: Any, fn: Any) -> Any:
    """Returns the areas under precision over recall where counts go straight from point to point."""
    p = tp + fp
    found, positive = tp[:-1] - tp[1:], p[:-1] - p[1:]
    slope = quotient(found, array.maximum(positive, 0.0))
    intercept = tp[1:] - slope * p[1:]
    both = array.logical_and(array.greater(p[:-1], 0.0), array.greater(p[1:], 0.0))
    ratio = array.where(both, quotient(p[:-1], array.maximum(p[1:], 0.0)), 1.0)
    return quotient(slope * (found + intercept * array.log(ratio)), array.maximum(tp[1:] + fn[1:], 0.0))
