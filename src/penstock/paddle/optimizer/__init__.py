"""Optimizers and learning rates under Paddle's names."""

from __future__ import annotations

import importlib as _importlib
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
    RAdam,
    RMSProp,
)

_LATER = {"ASGD": "_averaged", "LBFGS": "_lbfgs", "Rprop": "_resilient"}
"""Optimizers whose file is imported when one is asked for."""
__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Lamb", "Momentum", "NAdam", "Optimizer",
    "RAdam", "RMSProp", "lr",
]  # fmt: skip
__all__ += [*_LATER]

for _name in _cycles.__all__:
    setattr(lr, _name, getattr(_cycles, _name))


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(_importlib.import_module(f"penstock.paddle.optimizer.{_LATER[name]}"), name)
    raise _absent("paddle.optimizer", name, __all__)
