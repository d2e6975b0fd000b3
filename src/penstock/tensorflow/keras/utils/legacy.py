"""tf.keras.utils.legacy: objects as a class name and a configuration, as Keras 2 wrote them."""

from __future__ import annotations

from collections.abc import Callable as _Callable
from typing import Any

from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras import _serial
from penstock.trace.source_site import here as _here


def serialize_keras_object(instance: Any) -> Any:
    """Returns the registered name of an object's class and its arguments; of a function its name."""
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        name = _serial.get_registered_name(type(instance))
        return {"class_name": name, "config": instance.get_config()}
    if hasattr(instance, "__name__"):
        return _serial.get_registered_name(instance)
    raise _ArgumentError(
        f"Cannot serialize {instance} because it doesn't implement `get_config()`.", site=_here()
    )


def deserialize_keras_object(
    identifier: Any,
    module_objects: Any = None,
    custom_objects: Any = None,
    printable_module_name: str = "object",
) -> Any:
    """Returns the object of a dictionary, or the function, or an object of the class, that a word names."""
    if identifier is None:
        return None

    def found(name: str) -> Any:
        for known in (custom_objects, module_objects):
            if known and name in known:
                return known[name]
        return _serial.get_registered_object(name)

    if isinstance(identifier, dict):
        if "class_name" not in identifier or "config" not in identifier:
            raise _ArgumentError(
                f"Improper config format for {identifier}. Expecting python dict contains `class_name` and "
                "`config` as keys",
                site=_here(),
            )
        kind = found(identifier["class_name"])
        if kind is None:
            raise _unknown(printable_module_name, identifier["class_name"])
        with _serial.knowing(custom_objects):
            return kind.from_config(identifier["config"])
    if isinstance(identifier, str):
        one = found(identifier)
        if one is None:
            raise _unknown(printable_module_name, identifier)
        return one() if isinstance(one, type) else one
    if isinstance(identifier, _Callable):  # type: ignore[arg-type]
        return identifier
    raise _ArgumentError(
        f"Could not interpret serialized {printable_module_name}: {identifier}", site=_here()
    )


def _unknown(module: str, name: str) -> _ArgumentError:
    return _ArgumentError(
        f"Unknown {module}: '{name}'. Please ensure you are using a `keras.utils.custom_object_scope` and "
        "that this object is included in the scope.",
        site=_here(),
    )


__getattr__, __dir__, __all__ = _namespace("tf.keras.utils.legacy", globals())
