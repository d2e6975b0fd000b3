"""Measures of predictions under Paddle's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle._convert import data
from penstock.paddle._introsort import TOP, ordered
from penstock.paddle._names import namespace as _namespace


def accuracy(
    input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None, name: Any = None
) -> Any:
    """Returns the share of rows whose label is among the k largest scores. Reads their values.

    `correct` and `total` do nothing: static graphs put counts there.
    """
    scores, labels = np.asarray(input), np.asarray(label).reshape(-1, 1)
    best = ordered(scores, -1, True, TOP, k)[:, :k]
    return data(np.asarray((best == labels).any(-1).mean(), np.float32))


class Metric:
    """A score over batches: `compute` gets tensors, `update` its results as arrays.

    A subclass writes `reset`, `update`, `accumulate` and `name`.
    """

    def reset(self) -> None:
        """Starts again."""
        raise NotImplementedError(f"function 'reset' not implemented in {type(self).__name__}.")

    def update(self, *args: Any) -> Any:
        """Adds a batch."""
        raise NotImplementedError(f"function 'update' not implemented in {type(self).__name__}.")

    def accumulate(self) -> Any:
        """Returns the result over all batches so far."""
        raise NotImplementedError(f"function 'accumulate' not implemented in {type(self).__name__}.")

    def name(self) -> Any:
        """Returns the name, or a list of names."""
        raise NotImplementedError(f"function 'name' not implemented in {type(self).__name__}.")

    def compute(self, *args: Any) -> Any:
        """Returns what `update` is given, of outputs and labels: these themselves."""
        return args


class Accuracy(Metric):
    """The share of rows whose label is among the k largest scores, over several batches."""

    def __init__(self, topk: Any = (1,), name: str | None = None) -> None:
        self.topk = (topk,) if isinstance(topk, int) else tuple(topk)
        self.maxk = max(self.topk)
        self._name = name or "acc"
        self.reset()

    def reset(self) -> None:
        """Starts again."""
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def compute(self, pred: Any, label: Any, *args: Any) -> Any:
        """Returns, for each row and each of the largest scores, whether it is the label's.

        Further `args` do nothing.
        """
        scores = np.asarray(pred)
        labels = np.asarray(label)
        if labels.ndim == scores.ndim and labels.shape[-1] != 1:
            labels = labels.argmax(-1)
        best = ordered(scores, -1, True)[..., : self.maxk]
        return data((best == labels.reshape(*best.shape[:-1], 1)).astype(np.float32))

    def update(self, correct: Any, *args: Any) -> Any:
        """Adds a batch; returns its share. Further `args` do nothing."""
        right = np.asarray(correct)
        shares = []
        for i, k in enumerate(self.topk):
            number = float(right[..., :k].sum())
            count = int(np.prod(right.shape[:-1]))
            self.total[i] += number
            self.count[i] += count
            shares.append(np.float64(number) / count)
        return shares[0] if len(shares) == 1 else shares

    def accumulate(self) -> Any:
        """Returns the share over all batches."""
        shares = [np.float64(t) / c if c else 0.0 for t, c in zip(self.total, self.count)]
        return shares[0] if len(shares) == 1 else shares

    def name(self) -> Any:
        """Returns the name, or one for each k."""
        return [self._name] if len(self.topk) == 1 else [f"{self._name}_top{k}" for k in self.topk]


class Precision(Metric):
    """How many of the predictions that are rounded to 1 were right.

    >>> from penstock import paddle
    >>> metric = paddle.metric.Precision()
    >>> metric.update(paddle.to_tensor([0.9, 0.8, 0.1]), paddle.to_tensor([1, 0, 1]))
    >>> metric.accumulate()
    0.5
    """

    def __init__(self, name: str = "precision") -> None:
        self._name = name
        self.reset()

    def reset(self) -> None:
        """Starts again."""
        self.tp = self.fp = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch of predictions between 0 and 1, and labels."""
        chosen = np.floor(np.asarray(preds).reshape(-1) + 0.5).astype("int32") == 1
        true = np.asarray(labels).reshape(-1) == 1
        self.tp += int((chosen & true).sum())
        self.fp += int((chosen & ~true).sum())

    def accumulate(self) -> float:
        """Returns the share; 0 if no example was predicted as 1."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    def name(self) -> str:
        """Returns the name."""
        return self._name


class Recall(Metric):
    """The share of positive labels that were predicted, with rounded predictions; see `Precision`."""

    def __init__(self, name: str = "recall") -> None:
        self._name = name
        self.reset()

    def reset(self) -> None:
        """Starts again."""
        self.tp = self.fn = 0

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch of predictions between 0 and 1, and labels."""
        chosen = np.rint(np.asarray(preds).reshape(-1)).astype("int32") == 1
        true = np.asarray(labels).reshape(-1) == 1
        self.tp += int((chosen & true).sum())
        self.fn += int((~chosen & true).sum())

    def accumulate(self) -> float:
        """Returns the share; 0 if no example was 1."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else 0.0

    def name(self) -> str:
        """Returns the name."""
        return self._name


class Auc(Metric):
    """The area under the curve of true over false positives, of probabilities [n, 2] in equal buckets."""

    def __init__(self, curve: str = "ROC", num_thresholds: int = 4095, name: str = "auc") -> None:
        self._curve, self._num_thresholds, self._name = curve, num_thresholds, name
        self.reset()

    def reset(self) -> None:
        """Starts again."""
        self._positive = np.zeros(self._num_thresholds + 1)
        self._negative = np.zeros(self._num_thresholds + 1)

    def update(self, preds: Any, labels: Any) -> None:
        """Adds a batch of probabilities of both classes, and labels."""
        buckets = (np.asarray(preds)[:, 1] * self._num_thresholds).astype("int64")
        true = np.asarray(labels).reshape(-1) != 0
        np.add.at(self._positive, buckets[true], 1.0)
        np.add.at(self._negative, buckets[~true], 1.0)

    @staticmethod
    def trapezoid_area(x1: float, x2: float, y1: float, y2: float) -> float:
        """Returns the area between two points of a curve and the axis."""
        return abs(x1 - x2) * (y1 + y2) / 2.0

    def accumulate(self) -> float:
        """Returns the area, by trapezia; 0 without both classes."""
        positive, negative = (np.cumsum(one[::-1]) for one in (self._positive, self._negative))
        if not positive[-1] or not negative[-1]:
            return 0.0
        height = (positive + np.concatenate([[0.0], positive[:-1]])) / 2.0
        width = np.diff(np.concatenate([[0.0], negative]))
        return float((height * width).sum() / positive[-1] / negative[-1])

    def name(self) -> str:
        """Returns the name."""
        return self._name


__getattr__, __dir__, __all__ = _namespace("paddle.metric", globals())
