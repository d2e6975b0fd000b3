"""Metrics with a score for each class: F scores, and intersection over union."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array, segments
from penstock.state.variable import read
from penstock.tensorflow._convert import operand
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._formulas import EPSILON
from penstock.tensorflow.keras._metric import Metric, as_float, quotient
from penstock.trace.source_site import here


@named("tf.keras.metrics.FBetaScore")
class FBetaScore(Metric):
    """The weighted harmonic mean of precision and recall of each class, of targets [n, classes] of 0 and 1.

    Predictions count above `threshold`, or where they are an example's largest. `average` is None for one
    number a class, "macro" for their mean, "weighted" for that by how often each is true, or "micro".

    >>> from penstock import tensorflow as tf
    >>> metric = tf.keras.metrics.F1Score(average="macro")
    >>> metric.update_state([[1, 0], [0, 1]], [[0.6, 0.4], [0.7, 0.3]])
    >>> round(float(metric.result()), 4)
    0.3333
    """

    def __init__(
        self, average: str | None = None, beta: float = 1.0, threshold: float | None = None,
        name: str | None = "fbeta_score", dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if average not in (None, "micro", "macro", "weighted"):
            raise ArgumentError(
                "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', 'weighted'}. "
                "Received: " + f"average={average}",
                site=here(),
            )
        if not isinstance(beta, float) or beta <= 0.0:
            raise ArgumentError(
                f"Invalid `beta` argument value. It should be a Python float > 0. Received: beta={beta}",
                site=here(),
            )
        if threshold is not None and (not isinstance(threshold, float) or not 0.0 < threshold <= 1.0):
            raise ArgumentError(
                "Invalid `threshold` argument value. It should be a Python float and verify "
                f"0 < threshold <= 1. Received: threshold={threshold}",
                site=here(),
            )
        self.average, self.beta, self.threshold = average, beta, threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch of targets and predictions in."""
        t, p = as_float(y_true), as_float(y_pred)
        shapes = tuple(t._spec.shape), tuple(p._spec.shape)
        if len(shapes[0]) != 2 or len(shapes[1]) != 2:
            raise ArgumentError(
                "FBetaScore expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                f"y_pred.shape={shapes[1]} and y_true.shape={shapes[0]}.",
                site=here(),
            )
        names = ("true_positives", "false_positives", "false_negatives", "intermediate_weights")
        if not self.variables:
            for name in names:
                self.add_weight(
                    () if self.average == "micro" else (shapes[1][1],), dtype=self.dtype, name=name
                )
        if self.threshold is None:
            largest = array.greater_equal(p, array.max(p, axis=-1, keepdims=True))
            # Zeros are not a prediction.
            chosen = array.logical_and(largest, array.greater(array.abs(p), 1e-9))
        else:
            chosen = array.greater(p, self.threshold)
        found = array.astype(chosen, "float32")
        for variable, one in zip(
            self.variables, (found * t, found * (1.0 - t), (1.0 - found) * t, t), strict=True
        ):
            if sample_weight is not None:
                one = one * array.reshape(as_float(sample_weight), (-1, 1))
            variable.assign_add(self._own(array.sum(one, axis=None if self.average == "micro" else 0)))

    def result(self) -> Any:
        """Returns the score."""
        if not self.variables:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r} has no result before the first batch.",
                remedy="Call update_state(y_true, y_pred) first.",
                site=here(),
            )
        tp, fp, fn, weights = (read(one) for one in self.variables)
        precision, recall = tp / (tp + fp + EPSILON), tp / (tp + fn + EPSILON)
        square = self.beta**2
        score = (1.0 + square) * (precision * recall) / (precision * square + recall + EPSILON)
        if self.average == "weighted":
            return array.sum(score * (weights / (array.sum(weights) + EPSILON)))
        return array.mean(score) if self.average == "macro" else score


@named("tf.keras.metrics.F1Score")
class F1Score(FBetaScore):
    """The harmonic mean of precision and recall: see `FBetaScore`."""

    def __init__(
        self, average: str | None = None, threshold: float | None = None, name: str | None = "f1_score",
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(average, 1.0, threshold, name, dtype)


@named("tf.keras.metrics.IoU")
class IoU(Metric):
    """The ratio of intersection and union of predictions and targets, averaged over `target_class_ids`.

    >>> from penstock import tensorflow as tf
    >>> metric = tf.keras.metrics.MeanIoU(num_classes=2)
    >>> metric.update_state([0, 0, 1, 1], [0, 1, 0, 1])
    >>> round(float(metric.result()), 4)
    0.3333
    """

    def __init__(
        self, num_classes: int, target_class_ids: Any, name: str | None = None, dtype: Any = None,
        ignore_class: int | None = None, sparse_y_true: bool = True, sparse_y_pred: bool = True,
        axis: int = -1,
    ) -> None:  # fmt: skip
        # Keras counts in whole numbers, and cuts weights to them.
        super().__init__("int64" if dtype in (None, "int") else dtype, name)
        if max(target_class_ids) >= num_classes:
            raise ArgumentError(
                f"Target class id {max(target_class_ids)} is out of range, which is [0, {num_classes}).",
                site=here(),
            )
        self.num_classes, self.target_class_ids = num_classes, list(target_class_ids)
        self.ignore_class, self.axis = ignore_class, axis
        self.sparse_y_true, self.sparse_y_pred = sparse_y_true, sparse_y_pred
        self.total_cm = self.add_weight(
            (num_classes, num_classes), dtype=self.dtype, name="total_confusion_matrix"
        )

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch in: classes, or a row of scores each where these are not `sparse`."""
        t, p = (
            array.reshape(
                array.astype(x if sparse else array.argmax(x, axis=self.axis), "int32"), (-1,)
            )
            for x, sparse in ((operand(y_true), self.sparse_y_true), (operand(y_pred), self.sparse_y_pred))
        )  # fmt: skip
        weights = array.reshape(self._weights(sample_weight), (-1,))
        kept = array.logical_and(*(
            array.logical_and(array.greater_equal(x, 0), array.less(x, self.num_classes)) for x in (t, p)
        ))  # fmt: skip
        if self.ignore_class is not None:
            kept = array.logical_and(kept, array.not_equal(t, self.ignore_class))
        ids = array.where(kept, t * self.num_classes + p, 0)
        found = segments.segment_sum(
            array.where(kept, array.broadcast_to(weights, tuple(t._spec.shape)), 0), ids,
            self.num_classes**2,
        )  # fmt: skip
        self.total_cm.assign_add(array.reshape(found, (self.num_classes, self.num_classes)))

    def _weights(self, given: Any) -> Any:
        if given is None:
            return self._own(np.ones((), np.int32))
        if "int" in self.dtype and "float" in str(getattr(given, "dtype", "")):
            warnings.warn(
                "You are passing weight as `float`, but dtype is `int`. This may result in an incorrect "
                "weight due to type casting Consider using integer weights.",
                stacklevel=3,
            )
        return self._own(given)

    def result(self) -> Any:
        """Returns the mean over the classes that occurred."""
        matrix = array.astype(read(self.total_cm), "float32")
        true, predicted = array.sum(matrix, axis=1), array.sum(matrix, axis=0)
        both = array.sum(matrix * np.eye(self.num_classes, dtype=np.float32), axis=0)
        chosen = np.asarray(self.target_class_ids, np.int32)
        either, both = (
            array.astype(array.take(one, chosen, axis=0), "float32")
            for one in (true + predicted - both, both)
        )
        occurred = array.sum(array.astype(array.greater(either, 0.0), "float32"))
        return quotient(array.sum(quotient(both, either)), occurred)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        config = {
            "num_classes": self.num_classes, "target_class_ids": self.target_class_ids,
            "ignore_class": self.ignore_class, "sparse_y_true": self.sparse_y_true,
            "sparse_y_pred": self.sparse_y_pred, "axis": self.axis,
        }  # fmt: skip
        return {**super().get_config(), **{key: config[key] for key in config if key not in self._unsaid}}

    _unsaid: tuple[str, ...] = ()
    """Arguments of `IoU` that the class does not take."""


@named("tf.keras.metrics.MeanIoU")
class MeanIoU(IoU):
    """The mean of `IoU` over all classes."""

    _unsaid: tuple[str, ...] = ("target_class_ids",)

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: Any = None, ignore_class: int | None = None,
        sparse_y_true: bool = True, sparse_y_pred: bool = True, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(
            num_classes, range(num_classes), name, dtype, ignore_class, sparse_y_true, sparse_y_pred, axis
        )


@named("tf.keras.metrics.BinaryIoU")
class BinaryIoU(IoU):
    """`IoU` of two classes: predictions count as the second from `threshold` on."""

    def __init__(
        self, target_class_ids: Any = (0, 1), threshold: float = 0.5, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(2, target_class_ids, name, dtype)
        self.threshold = threshold

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch of targets 0 and 1, and predictions, in."""
        above = array.astype(array.greater_equal(as_float(y_pred), self.threshold), "int32")
        super().update_state(y_true, above, sample_weight)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        config = {"target_class_ids": self.target_class_ids, "threshold": self.threshold}
        return {**Metric.get_config(self), **config}


@named("tf.keras.metrics.OneHotIoU")
class OneHotIoU(IoU):
    """`IoU` of targets that are rows with a one, and of rows of scores unless `sparse_y_pred`."""

    _unsaid = ("sparse_y_true",)

    def __init__(
        self, num_classes: int, target_class_ids: Any, name: str | None = None, dtype: Any = None,
        ignore_class: int | None = None, sparse_y_pred: bool = False, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(num_classes, target_class_ids, name, dtype, ignore_class, False, sparse_y_pred, axis)


@named("tf.keras.metrics.OneHotMeanIoU")
class OneHotMeanIoU(MeanIoU):
    """The mean of `OneHotIoU` over all classes."""

    _unsaid = ("target_class_ids", "sparse_y_true")

    def __init__(
        self, num_classes: int, name: str | None = None, dtype: Any = None, ignore_class: int | None = None,
        sparse_y_pred: bool = False, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(num_classes, name, dtype, ignore_class, False, sparse_y_pred, axis)
