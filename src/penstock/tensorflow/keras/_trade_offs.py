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


def _metric(name: str, word: str, text: str, shares: Any) -> Any:
    def __init__(
        self: Any, value: Any = None, num_thresholds: int = 200, class_id: Any = None, name: Any = None,
        dtype: Any = None, **given: Any,
    ) -> None:  # fmt: skip
        if value is None and word in given:
            value = given.pop(word)
        if given or value is None:
            what = f"got an unexpected argument {next(iter(given))!r}" if given else f"lacks `{word}`"
            raise TypeError(f"{type(self).__name__}() {what}.")
        _AtLeast.__init__(self, value, num_thresholds, class_id, name, dtype)

    space = {
        "__init__": __init__, "__doc__": text, "__module__": __name__, "_word": word,
        "_shares": lambda self, *counts: shares(*counts),
    }  # fmt: skip
    return named(f"tf.keras.metrics.{name}")(type(name, (_AtLeast,), space))


SensitivityAtSpecificity = _metric(
    "SensitivityAtSpecificity", "specificity",
    "The largest share of true targets that are found, where `specificity` of the others are left out.",
    lambda tp, fp, tn, fn: (quotient(tn, tn + fp), quotient(tp, tp + fn)),
)  # fmt: skip
SpecificityAtSensitivity = _metric(
    "SpecificityAtSensitivity", "sensitivity",
    "The largest share of targets left out that are not true, where `sensitivity` of the true are found.",
    lambda tp, fp, tn, fn: (quotient(tp, tp + fn), quotient(tn, tn + fp)),
)  # fmt: skip
PrecisionAtRecall = _metric(
    "PrecisionAtRecall", "recall",
    "The largest share of predictions that are right, where `recall` of the true targets are found.",
    lambda tp, fp, tn, fn: (quotient(tp, tp + fn), quotient(tp, tp + fp)),
)  # fmt: skip
RecallAtPrecision = _metric(
    "RecallAtPrecision", "precision",
    "The largest share of true targets that are found, where `precision` of the predictions are right.",
    lambda tp, fp, tn, fn: (quotient(tp, tp + fp), quotient(tp, tp + fn)),
)  # fmt: skip
