"""Optimizers: pure rules that make an update, and the familiar object that applies them to variables.

Each is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.lazy import later

if TYPE_CHECKING:
    from penstock.optimizers import schedules
    from penstock.optimizers.accumulators import Adadelta, Adagrad, Ftrl, RMSprop
    from penstock.optimizers.descent import SGD, Lion
    from penstock.optimizers.matrices import Adafactor, Muon
    from penstock.optimizers.moments import LAMB, Adam, Adamax, AdamW, Nadam, RAdam
    from penstock.optimizers.optimizer import Optimizer
    from penstock.optimizers.options import Group
else:
    __getattr__, __dir__ = later(
        __name__,
        {
            "penstock.optimizers": "schedules",
            "penstock.optimizers.accumulators": "Adadelta Adagrad Ftrl RMSprop",
            "penstock.optimizers.descent": "Lion SGD",
            "penstock.optimizers.matrices": "Adafactor Muon",
            "penstock.optimizers.moments": "Adam Adamax AdamW LAMB Nadam RAdam",
            "penstock.optimizers.optimizer": "Optimizer",
            "penstock.optimizers.options": "Group",
        },
    )

__all__ = [
    "LAMB", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Group", "Lion",
    "Muon", "Nadam", "Optimizer", "RAdam", "RMSprop", "schedules",
]  # fmt: skip
