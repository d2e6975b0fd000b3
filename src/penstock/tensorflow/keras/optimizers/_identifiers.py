"""Optimizers by words and configurations."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras.optimizers._base import Optimizer, kinds
from penstock.trace.source_site import here


@named("tf.keras.optimizers.get")
def get(identifier: Any) -> Any:
    """Returns the optimizer that a word or a configuration names; an optimizer is returned as it is.

    >>> from penstock import tensorflow as tf
    >>> type(tf.keras.optimizers.get("rmsprop")).__name__
    'RMSprop'
    """
    if isinstance(identifier, Optimizer):
        return identifier
    if isinstance(identifier, dict):
        return deserialize(identifier)
    found = kinds.get(str(identifier).lower()) if isinstance(identifier, str) else None
    if found is None:
        raise ArgumentError(f"Could not interpret optimizer identifier: {identifier}", site=here())
    return found()


@named("tf.keras.optimizers.serialize")
def serialize(optimizer: Optimizer) -> dict[str, Any]:
    """Returns the class and the hyper-parameters of an optimizer as a dictionary.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5))["class_name"]
    'SGD'
    """
    return {
        "module": "keras.optimizers",
        "class_name": type(optimizer).__name__,
        "config": optimizer.get_config(),
        "registered_name": None,
    }


@named("tf.keras.optimizers.deserialize")
def deserialize(config: dict[str, Any], custom_objects: Any = None) -> Any:
    """Returns the optimizer that a dictionary of `serialize` describes.

    >>> from penstock import tensorflow as tf
    >>> made = tf.keras.optimizers.deserialize({"class_name": "SGD", "config": {"learning_rate": 0.5}})
    >>> float(made.learning_rate)
    0.5
    """
    name = str(config.get("class_name", ""))
    found = (custom_objects or {}).get(name) or kinds.get(name.lower())
    if found is None:
        raise ArgumentError(f"Could not interpret optimizer identifier: {config}", site=here())
    return found.from_config(config.get("config", {}))
