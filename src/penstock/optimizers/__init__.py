"""Optimizers: pure rules that make an update, and the familiar object that applies them to variables."""

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
