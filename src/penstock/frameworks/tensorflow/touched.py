"""Variables whose handles are asked for: TensorFlow reads some without an operation that can be observed."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from tensorflow.python.ops import resource_variable_ops

from penstock.frameworks.replaced import Replaced
from penstock.frameworks.tensorflow.amounts import value_of

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher

MOST = 64
"""How many variables are remembered between two operations."""


class Touched:
    """The variables whose handles were asked for since the last operation."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher
        self._latest: list[weakref.ref[Any]] = []

    def start(self, replaced: Replaced) -> None:
        """Watches the attribute that holds the handle of a variable."""
        kind = resource_variable_ops.BaseResourceVariable

        def handle(variable: Any) -> Any:
            watcher = self._watcher
            if watcher.window is not None and not watcher.quiet and len(self._latest) < MOST:
                self._latest.append(weakref.ref(variable))
            try:
                return variable.__dict__["_handle"]
            except KeyError:
                raise AttributeError("_handle") from None

        def put(variable: Any, one: Any) -> None:
            variable.__dict__["_handle"] = one

        kind._handle = property(handle, put)
        replaced.later(lambda: delattr(kind, "_handle"))

    def take(self) -> list[Any]:
        """Returns these variables, the latest last, and forgets them."""
        found = [variable for one in self._latest if (variable := one()) is not None]
        self._latest.clear()
        return found

    def is_value(self, variable: Any, tensor: Any) -> bool:
        """Returns whether a tensor is the value that was just read from a variable: it has its memory."""
        if variable.dtype != tensor.dtype or not variable.shape.is_compatible_with(tensor.shape):
            return False
        watcher = self._watcher
        watcher.quiet += 1
        try:
            return bool(_address(value_of(variable)) == _address(tensor))
        finally:
            watcher.quiet -= 1


def _address(tensor: Any) -> Any:
    """Returns the address of a tensor's memory; of numbers that NumPy does not know, the numbers."""
    try:
        return np.asarray(memoryview(tensor)).__array_interface__["data"][0]
    except (TypeError, ValueError, BufferError):
        return tensor._numpy_internal().tobytes()


__all__ = ["Touched"]
