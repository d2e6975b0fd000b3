"""Scores over many batches: each is updated with predictions and labels, and read at the end.

Updating reads values, and computes in NumPy with float64, outside of every record and gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import ArgumentError, ShapeError
from penstock.lazy import listed
from penstock.ops.validation import shown
from penstock.trace.convert import as_tensor
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor


def _array(value: Any) -> np.ndarray[Any, Any]:
    return np.asarray(value.numpy() if isinstance(value, Tensor | Cell) else as_tensor(value).numpy())


class Metric:
    """The common interface of metrics: `update(...)`, `result()` and `reset()`.

    >>> import penstock as ps
    >>> loss = ps.metrics.Mean()
    >>> isinstance(loss, ps.metrics.Metric)
    True
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all updates."""
        raise NotImplementedError

    def result(self) -> Any:
        """Returns the score of everything since the beginning, or since `reset`."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.result()!r})"


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")


class Mean(Metric):
    """The mean of numbers, such as the loss of each batch. NaN before the first.

    >>> import penstock as ps
    >>> loss = ps.metrics.Mean()
    >>> loss.update([1.0, 2.0])
    >>> loss.update(6.0)
    >>> loss.result()
    3.0
    """

    def reset(self) -> None:
        """Forgets all numbers."""
        self._sum, self._count = 0.0, 0.0

    def update(self, values: Any, weights: Any = 1.0) -> None:
        """Adds numbers of any shape, each with its own weight, or all with one."""
        found, weight = _array(values).astype(np.float64), _array(weights).astype(np.float64)
        weight = np.broadcast_to(weight, found.shape)
        self._sum += float(np.sum(found * weight))
        self._count += float(np.sum(weight))

    def result(self) -> float:
        """Returns the weighted mean."""
        return _share(self._sum, self._count)


def _classes(name: str, said: Any, labels: Any) -> tuple[Any, Any]:
    """Returns scores or classes [..., classes] or [...], and labels [...]; raises ShapeError for others."""
    said, labels = _array(said), _array(labels)
    if said.shape not in (labels.shape, (*labels.shape, *said.shape[-1:])):
        raise ShapeError(
            f"{name}: the predictions have shape {said.shape}, the labels {labels.shape}.",
            why="There is one label for each row of scores, or for each predicted class.",
            remedy="Give scores [..., classes] or classes [...], and labels [...].",
            site=here(),
        )
    return said, labels


class Accuracy(Metric):
    """The share of correct classes; with `top`, the share of labels among the `top` likeliest classes.

    Args:
        top: how many of the likeliest classes count, from 1 on.

    >>> import penstock as ps
    >>> accuracy = ps.metrics.Accuracy()
    >>> accuracy.update([[0.1, 0.9], [0.8, 0.2]], [1, 1])
    >>> accuracy.result()
    0.5
    """

    def __init__(self, top: int = 1) -> None:
        if isinstance(top, bool) or not isinstance(top, int) or top < 1:
            raise ArgumentError(
                f"Accuracy: top is {shown(top)}.", remedy="Give a whole number of at least 1.", site=here()
            )
        self.top = top
        super().__init__()

    def reset(self) -> None:
        """Forgets all labels."""
        self._right = self._count = 0

    def update(self, said: Any, labels: Any) -> None:
        """Adds scores [..., classes] or classes [...], and labels [...]; raises ShapeError for others."""
        said, labels = _classes("Accuracy", said, labels)
        if said.ndim == labels.ndim:
            right = said == labels
        else:
            # Its rank is the number of classes with a higher score.
            own = np.take_along_axis(said, labels[..., None].astype(np.int64), -1)
            right = np.sum(said > own, -1) < self.top
        self._right += int(np.sum(right))
        self._count += labels.size

    def result(self) -> float:
        """Returns the share."""
        return _share(self._right, self._count)


class ConfusionMatrix(Metric):
    """How often each class was predicted for each label: `result()[label, predicted]`, an array of int64.

    Args:
        classes: the number of classes.

    >>> import penstock as ps
    >>> matrix = ps.metrics.ConfusionMatrix(2)
    >>> matrix.update([0, 1, 1], [0, 0, 1])
    >>> matrix.result().tolist()
    [[1, 1], [0, 1]]
    """

    def __init__(self, classes: int) -> None:
        self.classes = int(classes)
        super().__init__()

    def reset(self) -> None:
        """Forgets all labels."""
        self._matrix = np.zeros((self.classes, self.classes), np.int64)

    def update(self, said: Any, labels: Any) -> None:
        """Adds scores [..., classes], or classes [...], and labels [...].

        Raises ShapeError for others, and ArgumentError for a class that does not exist.
        """
        said, labels = _classes("ConfusionMatrix", said, labels)
        said = said.argmax(-1) if said.ndim > labels.ndim else said
        both = np.concatenate([said.ravel(), labels.ravel()])
        if both.size and not (both.min() >= 0 and both.max() < self.classes):
            worst = both.max() if both.max() >= self.classes else both.min()
            raise ArgumentError(
                f"ConfusionMatrix: class {int(worst)} is not among the {self.classes} classes.",
                remedy="Give the number of classes: ConfusionMatrix(classes).",
                site=here(),
            )
        np.add.at(self._matrix, (labels.ravel().astype(int), said.ravel().astype(int)), 1)

    def result(self) -> Any:
        """Returns the matrix."""
        return self._matrix.copy()


class _Binary(Metric):
    """Counts of predictions of two classes, with a threshold."""

    def __init__(self, threshold: float = 0.5) -> None:
        self.threshold = float(threshold)
        super().__init__()

    def reset(self) -> None:
        """Forgets all labels."""
        self._hits = self._false = self._missed = 0

    def update(self, scores: Any, labels: Any) -> None:
        """Adds scores and labels, 0 or 1, of one shape; raises ShapeError for others."""
        said, true = _array(scores), _array(labels).astype(bool)
        if said.shape != true.shape:
            raise ShapeError(
                f"{type(self).__name__}: the scores have shape {said.shape}, the labels {true.shape}.",
                remedy="Give both in one shape.",
                site=here(),
            )
        above = said > self.threshold
        self._hits += int(np.sum(above & true))
        self._false += int(np.sum(above & ~true))
        self._missed += int(np.sum(~above & true))


class Precision(_Binary):
    """The share of scores above `threshold` whose label is 1.

    Args:
        threshold: a score above it predicts 1.

    >>> import penstock as ps
    >>> precision = ps.metrics.Precision()
    >>> precision.update([0.9, 0.8, 0.1], [1, 0, 1])
    >>> precision.result()
    0.5
    """

    def result(self) -> float:
        """Returns the share; NaN if no score is above the threshold."""
        return _share(self._hits, self._hits + self._false)


class Recall(_Binary):
    """The share of labels that are 1 whose score is above `threshold`.

    Args:
        threshold: a score above it predicts 1.

    >>> import penstock as ps
    >>> recall = ps.metrics.Recall()
    >>> recall.update([0.9, 0.8, 0.1], [1, 0, 1])
    >>> recall.result()
    0.5
    """

    def result(self) -> float:
        """Returns the share; NaN if no label is 1."""
        return _share(self._hits, self._hits + self._missed)


class F1(_Binary):
    """The harmonic mean of precision and recall.

    Args:
        threshold: a score above it predicts 1.

    >>> import penstock as ps
    >>> score = ps.metrics.F1()
    >>> score.update([0.9, 0.8, 0.1], [1, 0, 1])
    >>> score.result()
    0.5
    """

    def result(self) -> float:
        """Returns the mean; NaN if nothing is 1, by score or by label."""
        return _share(2 * self._hits, 2 * self._hits + self._false + self._missed)


class AUC(Metric):
    """The area under the receiver operating characteristic: how often a 1 scores above a 0 (a tie is half).

    It is exact: all scores are kept (Hanley and McNeil, 1982).

    >>> import penstock as ps
    >>> area = ps.metrics.AUC()
    >>> area.update([0.9, 0.4, 0.4, 0.1], [1, 1, 0, 0])
    >>> area.result()
    0.875
    """

    def reset(self) -> None:
        """Forgets all scores."""
        self._scores: list[Any] = []
        self._labels: list[Any] = []

    def update(self, scores: Any, labels: Any) -> None:
        """Adds scores and labels, 0 or 1, of one shape; raises ShapeError for others."""
        said, true = _array(scores), _array(labels).astype(bool)
        if said.shape != true.shape:
            raise ShapeError(
                f"AUC: the scores have shape {said.shape}, the labels {true.shape}.",
                remedy="Give both in one shape.",
                site=here(),
            )
        self._scores.append(said.ravel().astype(np.float64))
        self._labels.append(true.ravel())

    def result(self) -> float:
        """Returns the area; NaN if all labels are the same."""
        scores = np.concatenate([np.zeros(0), *self._scores])
        labels = np.concatenate([np.zeros(0, bool), *self._labels])
        positive, negative = np.sort(scores[labels]), np.sort(scores[~labels])
        below = np.searchsorted(negative, positive, "left") + np.searchsorted(negative, positive, "right")
        return _share(float(np.sum(below)) / 2, len(positive) * len(negative))


__all__ = ["AUC", "F1", "Accuracy", "ConfusionMatrix", "Mean", "Metric", "Precision", "Recall"]
__dir__ = listed(__name__)
