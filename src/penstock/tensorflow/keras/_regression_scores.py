"""Metrics of regressions: how much of the variance is explained, and correlations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array
from penstock.state.variable import read
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras import losses
from penstock.tensorflow.keras._formulas import EPSILON
from penstock.tensorflow.keras._metric import Metric
from penstock.tensorflow.keras.metrics import MeanMetricWrapper
from penstock.trace.source_site import here

_AGGREGATIONS = (None, "uniform_average", "variance_weighted_average")


@named("tf.keras.metrics.R2Score")
class R2Score(Metric):
    """How much of the variance of targets [n, outputs] the predictions explain, and 1 at best.

    `class_aggregation` is None for one number an output, "uniform_average" for their mean, or
    "variance_weighted_average". With `num_regressors`, the score is adjusted to that many predictors.

    >>> from penstock import tensorflow as tf
    >>> metric = tf.keras.metrics.R2Score()
    >>> metric.update_state([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])
    >>> round(float(metric.result()), 4)
    0.5714
    """

    squared_sum: Any
    sum: Any
    total_mse: Any
    count: Any

    def __init__(
        self, class_aggregation: str | None = "uniform_average", num_regressors: int = 0,
        name: str | None = "r2_score", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if class_aggregation not in _AGGREGATIONS:
            raise ArgumentError(
                f"Invalid value for argument `class_aggregation`. Expected one of {_AGGREGATIONS}. Received: "
                f"class_aggregation={class_aggregation}",
                site=here(),
            )
        if num_regressors < 0:
            raise ArgumentError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. Received: "
                f"num_regressors={num_regressors}",
                site=here(),
            )
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_weight(name="num_samples")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch of targets and predictions in."""
        t, p = losses._same_rank(self._own(y_true), self._own(y_pred))
        shapes = tuple(t._spec.shape), tuple(p._spec.shape)
        if len(self.variables) == 1:
            if len(shapes[0]) != 2 or len(shapes[1]) != 2:
                raise ArgumentError(
                    "R2Score expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                    f"y_pred.shape={shapes[1]} and y_true.shape={shapes[0]}.",
                    site=here(),
                )
            for name, word in (
                ("squared_sum", "squared_sum"), ("sum", "sum"), ("total_mse", "residual"), ("count", "count")
            ):  # fmt: skip
                setattr(self, name, self.add_weight((shapes[1][1],), name=word))
        ones: Any = np.ones((), np.float32)
        weights = self._own(ones if sample_weight is None else sample_weight)
        if len(weights._spec.shape) == 1:
            weights = array.reshape(weights, (-1, 1))
        weights = array.broadcast_to(weights, shapes[0])
        for variable, values in (
            (self.sum, t * weights), (self.squared_sum, t * (t * weights)),
            (self.total_mse, (t - p) ** 2 * weights), (self.count, weights),
        ):  # fmt: skip
            variable.assign_add(array.sum(values, axis=0))
        self.num_samples.assign_add(float(np.prod(shapes[0])))

    def result(self) -> Any:
        """Returns the score."""
        if len(self.variables) == 1:
            raise AttributeError("'R2Score' object has no attribute 'sum': call update_state first.")
        summed = read(self.sum)
        total = read(self.squared_sum) - summed * (summed / read(self.count))
        raw = 1.0 - read(self.total_mse) / total
        score: Any = array.where(array.isinf(raw), 0.0, raw)
        if self.class_aggregation == "uniform_average":
            score = array.mean(score)
        elif self.class_aggregation == "variance_weighted_average":
            score = array.sum(total * score) / array.sum(total)
        if not self.num_regressors:
            return score
        count = float(self.num_samples)
        if self.num_regressors >= count - 1:
            more = self.num_regressors > count - 1
            warnings.warn(
                "More independent predictors than datapoints in adjusted R2 score. Falling back to standard "
                "R2 score."
                if more
                else "Division by zero in Adjusted R2 score. Falling back to standard R2 score.",
                stacklevel=2,
            )
            return score
        return 1.0 - (1.0 - score) * (count - 1.0) / (count - self.num_regressors - 1.0)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        config = {"class_aggregation": self.class_aggregation, "num_regressors": self.num_regressors}
        return {**super().get_config(), **config}


def _centred(x: Any, axis: Any) -> Any:
    return x - array.mean(x, axis=axis, keepdims=True)


def _both(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    p = operand(y_pred)
    p = p if p._spec.dtype.kind in "fV" else array.astype(p, "float32")
    return losses._same_rank(array.astype(operand(y_true), p._spec.dtype), p)


@named("tf.keras.metrics.pearson_correlation")
def pearson_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Returns the correlation of targets and predictions along an axis."""
    t, p = (_centred(one, axis) for one in _both(y_true, y_pred))
    t, p = (one / array.std(one, axis=axis, keepdims=True) for one in (t, p))
    return array.mean(t * p, axis=axis)


@named("tf.keras.metrics.concordance_correlation")
def concordance_correlation(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Returns the agreement of targets and predictions along an axis, as Keras computes it."""
    t, p = _both(y_true, y_pred)
    t_mean, p_mean = (array.mean(one, axis=axis, keepdims=True) for one in (t, p))
    spread = sum(array.var(_centred(one, axis), axis=axis, keepdims=True) for one in (t, p))
    norm = spread + (t_mean - p_mean) ** 2
    return array.mean(2.0 * (t - p_mean) * (p - p_mean) / (norm + EPSILON), axis=axis)


def _correlation(kind: str, function: Any) -> Any:
    def __init__(self: Any, name: str | None = function.__name__, dtype: Any = None, axis: int = -1) -> None:
        MeanMetricWrapper.__init__(self, function, name, dtype, axis=axis)
        self.axis = axis

    def get_config(self: Any) -> dict[str, Any]:
        return {"name": self.name, "dtype": self.dtype, "axis": self.axis}

    text = f"The mean of `{function.__name__}` over all batches."
    space = {"__init__": __init__, "get_config": get_config, "__doc__": text, "__module__": __name__}
    return named(f"tf.keras.metrics.{kind}")(type(kind, (MeanMetricWrapper,), space))


PearsonCorrelation = _correlation("PearsonCorrelation", pearson_correlation)
ConcordanceCorrelation = _correlation("ConcordanceCorrelation", concordance_correlation)
