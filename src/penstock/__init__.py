"""Penstock: automatic differentiation and training steps that say which variables they change, and why."""

from penstock import errors, ops, optimizers
from penstock.capture import step
from penstock.functions import array, losses, nn
from penstock.functions.array import *  # noqa: F403
from penstock.grad.absence import Absence
from penstock.grad.rows import Rows
from penstock.grad.tape import GradientTape
from penstock.state.variable import Variable
from penstock.tiers.plan import wait
from penstock.trace.tensor import Tensor

__version__ = "0.1.0"
