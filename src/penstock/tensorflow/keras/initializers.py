"""tf.keras.initializers."""

from __future__ import annotations

from typing import Any

from penstock.declared import named as _named
from penstock.layers import initializers as _native
from penstock.tensorflow._dtype import numpy_dtype as _numpy_dtype
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.trace.tensor import concrete as _concrete


@_named("tf.keras.Initializer")
class Initializer(_native.Initializer):
    """Gives the initial value of a variable; write one as a subclass with `__call__(shape, dtype)`."""


def _made(native: Any) -> Any:
    def __call__(self: Any, shape: Any, dtype: Any = None) -> Any:
        return _concrete(
            native.__call__(self, shape, None if dtype is None else _numpy_dtype(dtype)), _EagerTensor
        )

    space = {
        "__call__": __call__,
        "__doc__": f"See penstock.layers.initializers.{native.__name__}.",
        "__module__": __name__,
    }
    return type(native.__name__, (Initializer, native), space)


_CLASSES = {kind.__name__: _made(kind) for kind in _native.CLASSES.values()}
_WORDS = {word: _CLASSES[kind.__name__] for word, kind in _native.CLASSES.items()}
globals().update(_CLASSES)
globals().update(_WORDS)


def get(identifier: Any) -> Any:
    """Returns the initializer that a word, a class or a function stands for."""
    if isinstance(identifier, str) and identifier.lower() in _WORDS:
        return _WORDS[identifier.lower()]()
    return _native.get(identifier)


def serialize(initializer: Any) -> dict[str, Any]:
    """Returns the class's name and the arguments of an initializer."""
    return {"class_name": type(initializer).__name__, "config": initializer.get_config()}


__getattr__, __dir__, __all__ = _namespace("tf.keras.initializers", globals())
