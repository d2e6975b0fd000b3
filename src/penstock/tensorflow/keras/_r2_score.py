"""The coefficient of determination, a metric of regressions."""

from __future__ import annotations

import warnings
from typing import Any

from penstock.declared import named
from penstock.functions import array
from penstock.state.variable import read
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._metric import Metric, as_float
from penstock.trace.source_site import here

_AGGREGATIONS = (None, "uniform_average", "variance_weighted_average")


@named("tf.keras.metrics.R2Score")
class R2Score(Metric):
    """The share of the targets' variance that predictions [n, outputs] explain.

    `class_aggregation` is None for one number an output, "uniform_average" for their mean, or
    "variance_weighted_average". With `num_regressors`, the number of independent variables, it is adjusted.

    >>> from penstock import tensorflow as tf
    >>> metric = tf.keras.metrics.R2Score()
    >>> metric.update_state([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])
    >>> round(float(metric.result()), 4)
    0.5714
    """

    def __init__(
        self, class_aggregation: str | None = "uniform_average", num_regressors: int = 0,
        name: str | None = "r2_score", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if class_aggregation not in _AGGREGATIONS:
            raise ArgumentError(
                f"Invalid value for argument `class_aggregation`. Expected one of {_AGGREGATIONS}. "
                f"Received: class_aggregation={class_aggregation}",
                site=here(),
            )
        if num_regressors < 0:
            raise ArgumentError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. "
                f"Received: num_regressors={num_regressors}",
                site=here(),
            )
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_weight((), dtype=self.dtype, name="num_samples")
        self._built = False

    def _build(self, true: tuple[Any, ...], predicted: tuple[Any, ...]) -> None:
        if len(true) != 2 or len(predicted) != 2:
            raise ArgumentError(
                "R2Score expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                f"y_pred.shape={predicted} and y_true.shape={true}.",
                site=here(),
            )
        self.squared_sum, self.sum, self.total_mse, self.count = (
            self.add_weight((predicted[1],), dtype=self.dtype, name=name)
            for name in ("squared_sum", "sum", "residual", "count")
        )
        self._built = True

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch of targets and predictions in."""
        t, p = as_float(y_true), as_float(y_pred)
        if len(t._spec.shape) == len(p._spec.shape) - 1:
            t = array.expand_dims(t, axis=-1)
        elif len(p._spec.shape) == len(t._spec.shape) - 1:
            p = array.expand_dims(p, axis=-1)
        if not self._built:
            self._build(tuple(t._spec.shape), tuple(p._spec.shape))
        weight = as_float(1.0 if sample_weight is None else sample_weight)
        if len(weight._spec.shape) == 1:
            weight = array.expand_dims(weight, axis=1)
        weight = array.broadcast_to(weight, t._spec.shape)
        weighted = t * weight
        for variable, terms in (
            (self.sum, weighted),
            (self.squared_sum, t * weighted),
            (self.total_mse, array.square(t - p) * weight),
            (self.count, weight),
        ):
            variable.assign_add(self._own(array.sum(terms, axis=0)))
        self.num_samples.assign_add(self._own(array.sum(array.ones_like(t))))

    def result(self) -> Any:
        """Returns the score."""
        if not self._built:
            raise ArgumentError(
                f"R2Score {self.name!r} has no result before the first batch.",
                remedy="Call update_state(y_true, y_pred) first.",
                site=here(),
            )
        sums, squares, residuals, count = map(read, (self.sum, self.squared_sum, self.total_mse, self.count))
        total = squares - sums * (sums / count)
        score = 1.0 - residuals / total
        score = array.where(array.isinf(score), 0.0, score)
        if self.class_aggregation == "uniform_average":
            score = array.mean(score)
        elif self.class_aggregation is not None:
            score = array.sum(total * score) / array.sum(total)
        return self._adjusted(score) if self.num_regressors else score

    def _adjusted(self, score: Any) -> Any:
        count = float(self.num_samples)
        if self.num_regressors >= count - 1:
            fact = (
                "More independent predictors than datapoints in adjusted R2 score."
                if self.num_regressors > count - 1
                else "Division by zero in Adjusted R2 score."
            )
            warnings.warn(f"{fact} Falling back to standard R2 score.", stacklevel=3)
            return score
        return 1.0 - (1.0 - score) * (count - 1.0) / (count - self.num_regressors - 1.0)


__all__ = ["R2Score"]
