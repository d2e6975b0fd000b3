"""Measures of predictions under Paddle's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.paddle._convert import data


def accuracy(
    input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None, name: Any = None
) -> Any:
    """Returns the share of rows whose label is among the k largest scores. Reads their values.

    `correct` and `total` do nothing: static graphs put counts there.
    """
    scores, labels = np.asarray(input), np.asarray(label).reshape(-1, 1)
    best = np.argsort(-scores, -1, kind="stable")[:, :k]
    return data(np.asarray((best == labels).any(-1).mean(), np.float32))


class Accuracy:
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


__all__ = ["Accuracy", "accuracy"]
