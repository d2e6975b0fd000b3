"""Values that leave TensorFlow as numbers or arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorflow.python.framework import ops

from penstock.frameworks.replaced import Replaced
from penstock.frameworks.tensorflow.lines import here

if TYPE_CHECKING:
    from penstock.frameworks.tensorflow.watcher import Watcher

LOOKS = {
    "numpy": "numpy()", "__float__": "float()", "__int__": "int()", "__bool__": "bool()",
    "__array__": "numpy()", "__index__": "int()", "__complex__": "complex()", "__format__": "format()",
    "__str__": "str()", "__repr__": "repr()",
}  # fmt: skip


class Looks:
    """The methods by which values leave."""

    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def start(self, replaced: Replaced) -> None:
        """Watches the methods, and the functions of NumPy that are called with tensors."""
        kind = ops._EagerTensorBase
        for name, how in LOOKS.items():
            replaced.function(kind, name, self._look(how))
        if not hasattr(kind, "__array_function__"):
            kind.__array_function__ = _by_numpy(self)
            replaced.later(lambda: delattr(kind, "__array_function__"))

    def _look(self, how: str) -> Callable[..., Any]:
        def watched(original: Callable[..., Any], tensor: Any, *given: Any, **named: Any) -> Any:
            watcher = self._watcher
            window = watcher.window
            if window is None or not watcher.is_home:
                return original(tensor, *given, **named)
            watcher.quiet += 1
            try:
                gave = original(tensor, *given, **named)
            finally:
                watcher.quiet -= 1
            window.look(tensor, how, gave, here(2))
            return gave

        return watched

    def left(self, tensor: Any, function: str) -> None:
        """Notes that a function of NumPy reads a tensor."""
        watcher = self._watcher
        if watcher.window is not None and watcher.is_home:
            watcher.window.look(tensor, f"numpy.{function}()", None, here(4))


def _by_numpy(looks: Looks) -> Callable[..., Any]:
    """Returns the method by which NumPy hands its calls with tensors over; each runs as it would without."""

    def __array_function__(_: Any, function: Any, __: Any, given: Any, named: Any) -> Any:
        for one in _tensors((*given, *named.values())):
            looks.left(one, function.__name__)
        return function._implementation(*given, **named)

    return __array_function__


def _tensors(things: Any) -> Any:
    for one in things:
        if isinstance(one, ops.EagerTensor):
            yield one
        elif isinstance(one, list | tuple):
            yield from _tensors(one)


__all__ = ["LOOKS", "Looks"]
