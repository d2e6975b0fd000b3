"""Values that leave TensorFlow as numbers or arrays, by methods of their tensors.

NumPy reads the memory of a tensor without any of them.
"""

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
        """Watches the methods."""
        kind = ops._EagerTensorBase
        for name, how in LOOKS.items():
            replaced.function(kind, name, self._look(how))

    def convert(self, original: Callable[..., Any], value: Any, *given: Any, **named: Any) -> Any:
        """Makes a constant, which may come from a value that was looked at on its line."""
        tensor = original(value, *given, **named)
        watcher = self._watcher
        window = watcher.window
        if window is not None and window.has_just_looked and watcher.is_home and watcher.script() is None:
            window.born(tensor, here(2))
        return tensor

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


__all__ = ["LOOKS", "Looks"]
