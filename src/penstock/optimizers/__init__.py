"""Optimizers: pure rules that make an update, and the familiar object that applies them to variables."""

from penstock.optimizers.optimizer import SGD, Adam, Optimizer

__all__ = ["SGD", "Adam", "Optimizer"]
