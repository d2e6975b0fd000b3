"""Optimizers and learning rates under Paddle's names."""

from __future__ import annotations

from typing import Any

from penstock.paddle._names import absent as _absent
from penstock.paddle.optimizer import _cycles, lr
from penstock.paddle.optimizer._base import Optimizer
from penstock.paddle.optimizer._optimizers import (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Lamb,
    Momentum,
    NAdam,
    RMSProp,
)

_RARELY = ("ASGD", "LBFGS", "RAdam", "Rprop")
"""Optimizers that few programs ask for: their module is imported when one does."""
__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Lamb", "Momentum", "NAdam", "Optimizer",
    "RMSProp", "lr",
]  # fmt: skip

for _name in _cycles.__all__:
    setattr(lr, _name, getattr(_cycles, _name))


def __getattr__(name: str) -> Any:
    if name in _RARELY:
        from penstock.paddle.optimizer import _rarely

        return getattr(_rarely, name)
    raise _absent("paddle.optimizer", name, __all__)
