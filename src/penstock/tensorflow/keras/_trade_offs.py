"""Metrics of a classifier at the threshold where another measure is just good enough."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.functions import array
from penstock.state.variable import read
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._counting import _KINDS, _Counting
from penstock.tensorflow.keras._metric import quotient
from penstock.trace.source_site import here


class _AtLeast(_Counting):
    """The largest of one share at the thresholds where another is at least a value."""

    _word: str
    """The name of the argument that is the least value."""

    def __init__(
        self, value: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        if value < 0 or value > 1:
            raise ArgumentError(
                f"Argument `{self._word}` must be in the range [0, 1]. Received: {self._word}={value}",
                site=here(),
            )
        super().__init__(dtype, name)
        if num_thresholds <= 0:
            raise ArgumentError(
                "Argument `num_thresholds` must be an integer > 0. Received: "
                f"num_thresholds={num_thresholds}",
                site=here(),
            )
        setattr(self, self._word, value)
        self.value, self.num_thresholds, self.class_id = value, num_thresholds, class_id
        between = [(n + 1) / (num_thresholds - 1) for n in range(num_thresholds - 2)]
        self.thresholds = [0.5] if num_thresholds == 1 else [0.0, *between, 1.0]
        self._make(self.thresholds)

    def _prepared(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        t, p = super()._prepared(y_true, y_pred)
        if self.class_id is None:
            return t, p
        chosen = (..., slice(self.class_id, self.class_id + 1))
        return t[chosen], p[chosen]

    def _shares(self, tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any]:
        """Returns the share that is to be large enough, and the one that is looked for."""
        raise NotImplementedError

    def result(self) -> Any:
        """Returns the largest share, 0 where no threshold is good enough."""
        known, wanted = self._shares(*(read(getattr(self, kind)) for kind in _KINDS))
        found = array.where(array.greater_equal(known, self.value), wanted, 0.0)
        return array.maximum(array.max(found), 0.0)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments by name."""
        config = {
            "class_id": self.class_id, "num_thresholds": self.num_thresholds, self._word: self.value
        }  # fmt: skip
        return {**super().get_config(), **config}


@named("tf.keras.metrics.SensitivityAtSpecificity")
class SensitivityAtSpecificity(_AtLeast):
    """The largest share of true targets that are found, where `specificity` of the others are left out."""

    _word = "specificity"

    def __init__(
        self, specificity: float, num_thresholds: int = 200, class_id: int | None = None,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(specificity, num_thresholds, class_id, name, dtype)

    def _shares(self, tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any]:
        return quotient(tn, tn + fp), quotient(tp, tp + fn)


@named("tf.keras.metrics.SpecificityAtSensitivity")
class SpecificityAtSensitivity(_AtLeast):
    """The largest share of other targets left out, where `sensitivity` of the true ones are found."""

    _word = "sensitivity"

    def __init__(
        self, sensitivity: float, num_thresholds: int = 200, class_id: int | None = None,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype)

    def _shares(self, tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any]:
        return quotient(tp, tp + fn), quotient(tn, tn + fp)


@named("tf.keras.metrics.PrecisionAtRecall")
class PrecisionAtRecall(_AtLeast):
    """The largest share of predictions that are right, where `recall` of the true targets are found."""

    _word = "recall"

    def __init__(
        self, recall: float, num_thresholds: int = 200, class_id: int | None = None,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(recall, num_thresholds, class_id, name, dtype)

    def _shares(self, tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any]:
        return quotient(tp, tp + fn), quotient(tp, tp + fp)


@named("tf.keras.metrics.RecallAtPrecision")
class RecallAtPrecision(_AtLeast):
    """The largest share of true targets that are found, where `precision` of the predictions are right."""

    _word = "precision"

    def __init__(
        self, precision: float, num_thresholds: int = 200, class_id: int | None = None,
        name: str | None = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(precision, num_thresholds, class_id, name, dtype)

    def _shares(self, tp: Any, fp: Any, tn: Any, fn: Any) -> tuple[Any, Any]:
        return quotient(tp, tp + fp), quotient(tp, tp + fn)
