"""Softmax and cross-entropy of classes as Paddle's kernels for processors compute them.

They cut x - max(x) at -64, and take the logarithm in a cross-entropy from shares that are rounded already.
Gradients are those of the functions without the cut.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.functions.composite import composite
from penstock.ops import index, pointwise, reduce
from penstock.ops.shares import floored, log_share
from penstock.trace.tensor import Tensor

_LOWEST = -64.0


def _powers(name: str, x: Any, axis: int) -> tuple[Any, Any, Any]:
    """Returns x - max(x), cut; its exponentials; and their sum."""
    # A scalar is its own axis, 0 or -1.
    alone = not x.shape and axis in (0, -1)
    axes = () if alone else reduce.normalize_axes(name, axis, x.shape)
    shifted = floored(x - reduce.ceiling(x, axes), floor=_LOWEST)
    powers = pointwise.exp(shifted)
    return shifted, powers, reduce.sum(powers, axes=axes, keepdims=True)


@composite(1, wide=True)
def softmax(x: Any, axis: int = -1) -> Tensor:
    """Returns exp(x) / sum(exp(x)) along an axis."""
    _, powers, total = _powers("softmax", x, axis)
    return powers / total  # type: ignore[no-any-return]


@composite(1, wide=True)
def log_softmax(x: Any, axis: int = -1) -> Tensor:
    """Returns x - log(sum(exp(x))) along an axis."""
    shifted, _, total = _powers("log_softmax", x, axis)
    return shifted - pointwise.log(total)  # type: ignore[no-any-return]


def logs_of_shares(logits: Any, axis: int) -> Any:
    """Returns log(softmax(logits)), from shares that are rounded."""
    shifted, _, total = _powers("cross_entropy", logits, axis)
    return log_share(shifted, total)


def bounded_log(chance: Any) -> Any:
    """Returns log(chance), at least -1e20."""
    return floored(pointwise.log(chance), floor=-1e20)


def _picked(logs: Any, labels: Any) -> Any:
    chosen = index.label_one_hot(labels, length=logs.shape[-1], dtype=np.dtype(np.bool_))
    return -reduce.sum(pointwise.where(chosen, logs, 0.0), axes=(len(logs.shape) - 1,), keepdims=False)


@composite(2, "softmax_cross_entropy", wide=True)
def cross_entropy_of_logits(logits: Any, labels: Any) -> Tensor:
    """Returns -log(softmax(logits)) at labels: logits [..., classes] and integers [...] give [...]."""
    return _picked(logs_of_shares(logits, -1), labels)  # type: ignore[no-any-return]


@composite(2, "cross_entropy", wide=True)
def cross_entropy_of_chances(chances: Any, labels: Any) -> Tensor:
    """Returns -log(chances) at labels: chances [..., classes] and integers [...] give [...]."""
    return _picked(bounded_log(chances), labels)  # type: ignore[no-any-return]
