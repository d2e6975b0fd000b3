"""Measures of predictions under Paddle's names."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from penstock.paddle._convert import data
from penstock.paddle._errors import NotThereError
from penstock.trace.site import here


def accuracy(
    input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None, name: Any = None
) -> Any:
    """Returns the share of rows whose label is among the k largest scores. Reads their values.

    `correct` and `total` do nothing: static graphs put counts there.
    """
    scores, labels = np.asarray(input), np.asarray(label).reshape(-1, 1)
    best = np.argsort(-scores, -1, kind="stable")[:, :k]
    return data(np.asarray((best == labels).any(-1).mean(), np.float32))


class Metric(metaclass=abc.ABCMeta):
    """Base of the measures over several batches: subclasses say how they start, add a batch, and what is found."""

    @abc.abstractmethod
    def reset(self) -> None:
        """Starts again."""

    @abc.abstractmethod
    def update(self, *args: Any) -> Any:
        """Adds a batch."""

    @abc.abstractmethod
    def accumulate(self) -> Any:
        """Returns what all batches give."""

    @abc.abstractmethod
    def name(self) -> Any:
        """Returns the name."""

    def compute(self, *args: Any) -> Any:
        """Returns what `update` takes: predictions and labels as they are."""
        return args


class _Named(Metric):
    def __init__(self, name: str | None = None) -> None:
        self._name = name or type(self).__name__.lower()
        self.reset()

    def name(self) -> Any:
        """Returns the name."""
        return self._name


class Precision(_Named):
    """Of what was predicted as true, by a chance above a half, the share that is."""

    def reset(self) -> None:
        """Starts again."""
        self.tp = self.fp = 0

    def update(self, preds: Any, labels: Any) -> None:  # type: ignore[override]
        """Adds a batch of chances and labels."""
        said = np.floor(np.asarray(preds) + 0.5).astype(np.int64).reshape(-1) == 1
        true = np.asarray(labels).astype(np.int64).reshape(-1) == 1
        self.tp += int((said & true).sum())
        self.fp += int((said & ~true).sum())

    def accumulate(self) -> float:
        """Returns the share over all batches."""
        total = self.tp + self.fp
        return self.tp / total if total else 0.0


class Recall(_Named):
    """Of what is true, the share that was predicted as such, by a chance above a half."""

    def reset(self) -> None:
        """Starts again."""
        self.tp = self.fn = 0

    def update(self, preds: Any, labels: Any) -> None:  # type: ignore[override]
        """Adds a batch of chances and labels."""
        said = np.rint(np.asarray(preds)).astype(np.int64).reshape(-1) == 1
        true = np.asarray(labels).astype(np.int64).reshape(-1) == 1
        self.tp += int((said & true).sum())
        self.fn += int((~said & true).sum())

    def accumulate(self) -> float:
        """Returns the share over all batches."""
        total = self.tp + self.fn
        return self.tp / total if total else 0.0


class Auc(_Named):
    """The area under the curve of hits against false alarms, from counts at `num_thresholds` + 1 chances."""

    def __init__(self, curve: str = "ROC", num_thresholds: int = 4095, name: str | None = None) -> None:
        if curve != "ROC":
            raise NotThereError(f"Auc: curve={curve!r} is not there; the curve is ROC.", site=here())
        self._curve, self._num_thresholds = curve, num_thresholds
        super().__init__(name)

    def reset(self) -> None:
        """Starts again."""
        self._pos, self._neg = (np.zeros(self._num_thresholds + 1) for _ in range(2))

    def update(self, preds: Any, labels: Any) -> None:  # type: ignore[override]
        """Adds a batch of chances [n, 2], of no and yes, and labels."""
        places = (np.asarray(preds)[:, 1] * self._num_thresholds).astype(np.int64)
        true = np.asarray(labels).reshape(-1).astype(bool)
        np.add.at(self._pos, places[true], 1.0)
        np.add.at(self._neg, places[~true], 1.0)

    def accumulate(self) -> float:
        """Returns the area over all batches."""
        hits, alarms = np.cumsum(self._pos[::-1]), np.cumsum(self._neg[::-1])
        if not hits[-1] or not alarms[-1]:
            return 0.0
        before = np.concatenate([[0.0], hits[:-1]])
        return float((np.diff(alarms, prepend=0.0) * (hits + before) / 2.0).sum() / (hits[-1] * alarms[-1]))


class Accuracy(Metric):
    """The share of rows whose label is among the k largest scores, over several batches."""

    def __init__(self, topk: Any = (1,), name: str | None = None) -> None:
        self.topk = (topk,) if isinstance(topk, int) else tuple(topk)
        self._name = name or "acc"
        self.reset()

    def reset(self) -> None:
        """Starts again."""
        self.total = [0.0] * len(self.topk)
        self.count = [0] * len(self.topk)

    def compute(self, pred: Any, label: Any, *arguments: Any) -> Any:
        """Returns, for each row and each of the largest scores, whether it is the label's.

        Further `arguments` do nothing.
        """
        scores = np.asarray(pred)
        labels = np.asarray(label)
        if labels.ndim == scores.ndim and labels.shape[-1] != 1:
            labels = labels.argmax(-1)
        best = np.argsort(-scores, -1, kind="stable")[..., : max(self.topk)]
        return data((best == labels.reshape(*best.shape[:-1], 1)).astype(np.float32))

    def update(self, correct: Any, *arguments: Any) -> Any:
        """Adds a batch; returns its share. Further `arguments` do nothing."""
        right = np.asarray(correct)
        shares = []
        for i, k in enumerate(self.topk):
            number = float(right[..., :k].sum())
            count = int(np.prod(right.shape[:-1]))
            self.total[i] += number
            self.count[i] += count
            shares.append(number / count)
        return shares[0] if len(shares) == 1 else shares

    def accumulate(self) -> Any:
        """Returns the share over all batches."""
        shares = [t / c if c else 0.0 for t, c in zip(self.total, self.count)]
        return shares[0] if len(shares) == 1 else shares

    def name(self) -> Any:
        """Returns the name, or one for each k."""
        return [self._name] if len(self.topk) == 1 else [f"{self._name}_top{k}" for k in self.topk]


__all__ = ["Accuracy", "Auc", "Metric", "Precision", "Recall", "accuracy"]
