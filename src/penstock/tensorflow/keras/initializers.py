"""tf.keras.initializers."""

from __future__ import annotations

from typing import Any

from penstock.declared import named as _named
from penstock.layers import initializers as _native
from penstock.tensorflow._dtype import numpy_dtype as _numpy_dtype
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.tensorflow.keras._drawn_initializers import Seeded as _Seeded
from penstock.tensorflow.keras._drawn_initializers import along as _along
from penstock.tensorflow.keras._drawn_initializers import way_of as _way_of
from penstock.trace.tensor import concrete as _concrete


@_named("tf.keras.Initializer")
class Initializer(_native.Initializer):
    """Gives the initial value of a variable; write one as a subclass with `__call__(shape, dtype)`."""

    def clone(self) -> Any:
        """Returns one made with the same arguments: without a seed among them, it draws other values."""
        return type(self).from_config(self.get_config())


_AXES = {"input_axes": None, "output_axes": None}
"""What Keras' configurations say beside the arguments: which axes of a shape are counted."""


def _without_axes(cls: Any, config: dict[str, Any]) -> Any:
    return cls(**{key: one for key, one in config.items() if key not in _AXES or one is not None})


def _made(native: Any) -> Any:
    drawn = _way_of(native)

    def __call__(self: Any, shape: Any, dtype: Any = None) -> Any:
        if drawn is not None:
            return _concrete(drawn(self, shape, dtype), _EagerTensor)
        return _concrete(
            native.__call__(self, shape, None if dtype is None else _numpy_dtype(dtype)), _EagerTensor
        )

    space = {
        "__call__": __call__,
        "__doc__": f"See penstock.layers.initializers.{native.__name__}.",
        "__module__": __name__,
    }
    if drawn is None:
        return type(native.__name__, (Initializer, native), space)

    axes = _AXES if issubclass(native, _native.VarianceScaling) else {}

    def get_config(self: Any) -> dict[str, Any]:
        return {**native.get_config(self), "seed": self._given_seed, **axes}

    space["get_config"] = get_config
    if axes:
        space["along"], space["from_config"] = _along, classmethod(_without_axes)
    return type(native.__name__, (Initializer, native, _Seeded), space)


_CLASSES = {kind.__name__: _made(kind) for kind in _native.CLASSES.values()}
_WORDS = {word: _CLASSES[kind.__name__] for word, kind in _native.CLASSES.items()}
_BY_NAME = {name.lower(): kind for name, kind in _CLASSES.items()}
globals().update(_CLASSES)
globals().update(_WORDS)
IdentityInitializer, OrthogonalInitializer = _CLASSES["Identity"], _CLASSES["Orthogonal"]


def get(identifier: Any) -> Any:
    """Returns the initializer that a word, a class, a configuration or a function stands for."""
    if identifier is None:
        return _CLASSES["Zeros"]()
    if isinstance(identifier, str):
        word = identifier.lower()
        kind = _WORDS.get(word) or _BY_NAME.get(word) or _rarer(word)
        return _native.get(identifier) if kind is None else kind()
    if isinstance(identifier, dict) and identifier.get("class_name") in _CLASSES:
        return _CLASSES[identifier["class_name"]].from_config(identifier.get("config", {}))
    return _native.get(identifier)


def _rarer(word: str) -> Any:
    return (globals().get("STFT") or __getattr__("STFT")) if word == "stft" else None


def serialize(initializer: Any) -> dict[str, Any]:
    """Returns the class's name and the arguments of an initializer."""
    return {"class_name": type(initializer).__name__, "config": initializer.get_config()}


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Returns the initializer that `serialize` has written, or that a file names."""
    from penstock.tensorflow.keras._serial import deserialize_keras_object

    return get(deserialize_keras_object(config, custom_objects))


__getattr__, __dir__, _public = _namespace("tf.keras.initializers", globals(), rest="keras._fourier_kernels")
