"""The flags of layers and variables in the step that Keras traces, which later steps follow."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from typing import Any

from penstock.tensorflow.keras._variable import KerasVariable
from penstock.trace.tensor import Flags


class SettledFlags:
    """Which layers of a model, and which variables, were trainable in the first step.

    `trained` are the variables that a step updates then. An object of its own: layers take variables in lists
    for theirs.
    """

    def __init__(self, model: Any) -> None:
        self.trained: list[Any] = model.trainable_variables
        self.layers = [(one, one._trainable) for one in (model, *model._found().layers)]
        self.variables = [(one, one._wanted) for one in model.weights if isinstance(one, KerasVariable)]
        self.changes = Flags.changes

    def hold(self) -> bool:
        """Returns whether the flags are still these."""
        if self.changes == Flags.changes:
            return True
        same = all(one._trainable == flag for one, flag in self.layers) and all(
            one._wanted == flag for one, flag in self.variables
        )
        if same:
            self.changes = Flags.changes
        return same

    def are_trained(self, present: list[Any]) -> bool:
        """Returns whether these are still the variables that are updated."""
        return len(present) == len(self.trained) and all(map(operator.is_, present, self.trained))

    @contextlib.contextmanager
    def restored(self) -> Iterator[None]:
        """A block in which the flags are these again."""
        layers = [(one, one._trainable) for one, _ in self.layers]
        variables = [(one, one._wanted) for one, _ in self.variables]
        _set(self.layers, self.variables)
        try:
            yield
        finally:
            _set(layers, variables)


def _set(layers: list[tuple[Any, bool]], variables: list[tuple[Any, bool]]) -> None:
    for layer, flag in layers:
        object.__setattr__(layer, "_trainable", flag)
    for variable, flag in variables:
        variable._wanted = flag
    Flags.changed()


__all__ = ["SettledFlags"]
