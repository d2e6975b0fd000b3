"""Optimizers and learning rates under Paddle's names."""

from __future__ import annotations

from typing import Any

from penstock.paddle._names import absent as _absent
from penstock.paddle.optimizer import lr
from penstock.paddle.optimizer._optimizer import (
    SGD,
    Adagrad,
    Adam,
    AdamW,
    Momentum,
    Optimizer,
    RMSProp,
)

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Momentum", "Optimizer", "RMSProp", "lr"]


def __getattr__(name: str) -> Any:
    raise _absent("paddle.optimizer", name, __all__)
