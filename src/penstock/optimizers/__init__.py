"""Optimizers: pure rules that make an update, and the familiar object that applies them to variables.

Each is imported when it is first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.optimizers import schedules
    from penstock.optimizers.accumulators import Adadelta, Adagrad, Ftrl, RMSprop
    from penstock.optimizers.descent import SGD, Lion
    from penstock.optimizers.matrices import Adafactor, Muon
    from penstock.optimizers.moments import LAMB, Adam, Adamax, AdamW, Nadam
    from penstock.optimizers.optimizer import Optimizer
    from penstock.optimizers.options import Group

__all__ = [
    "LAMB", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Group", "Lion",
    "Muon", "Nadam", "Optimizer", "RMSprop", "schedules",
]  # fmt: skip

_HOMES = {
    "LAMB": "moments",
    "SGD": "descent",
    "Adadelta": "accumulators",
    "Adafactor": "matrices",
    "Adagrad": "accumulators",
    "Adam": "moments",
    "AdamW": "moments",
    "Adamax": "moments",
    "Ftrl": "accumulators",
    "Group": "options",
    "Lion": "descent",
    "Muon": "matrices",
    "Nadam": "moments",
    "Optimizer": "optimizer",
    "RMSprop": "accumulators",
}
"""The modules in which they are."""


def __getattr__(name: str) -> Any:
    if name == "schedules":
        return import_module("penstock.optimizers.schedules")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"penstock.optimizers.{_HOMES[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
