"""Losses, metrics, regularizers and constraints as words and dictionaries, and made of them again."""

from __future__ import annotations

import importlib
from typing import Any

from penstock.declared import row
from penstock.layers import regularizers
from penstock.layers.naming import snake_case
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._serial import deserialize_keras_object, serialize_keras_object
from penstock.trace.source_site import here


def _named_in(module: str, word: str) -> Any:
    """Returns what a word names in a module: MeanSquaredError, or mean_squared_error."""
    if module in ("losses", "metrics"):
        from penstock.tensorflow.keras import _compiled

        return (_compiled.loss_kinds if module == "losses" else _compiled.metric_kinds)(word).get(word)
    space = importlib.import_module(f"penstock.tensorflow.keras.{module}")
    classes = {name: getattr(space, name) for name in dir(space) if name[0].isupper()}
    return {**classes, **{snake_case(name): one for name, one in classes.items()}, **_WORDS}.get(word)


_WORDS = {"l1_l2": regularizers.L1L2, "l1l2": regularizers.L1L2}


def _family(module: str, what: str, own_get: bool) -> None:
    place = f"tf.keras.{module}"

    def serialize(thing: Any) -> Any:
        made = serialize_keras_object(thing)
        if not isinstance(made, str) or isinstance(thing, str):
            return made
        return {"module": "builtins", "class_name": "function", "config": made, "registered_name": "function"}

    def deserialize(config: Any, custom_objects: Any = None) -> Any:
        if isinstance(config, str):
            found = (custom_objects or {}).get(config) or _named_in(module, config)
            return config if found is None else found() if isinstance(found, type) else found
        if isinstance(config, dict) and config.get("class_name") == "function":
            return deserialize(config["config"], custom_objects)
        if isinstance(config, dict) and "class_name" in config and config.get("module") is None:
            config = {"module": f"keras.{module}", "registered_name": None, **config}
        return deserialize_keras_object(config, custom_objects)

    def get(identifier: Any) -> Any:
        found = identifier
        if isinstance(identifier, dict):
            found = deserialize(identifier)
        elif isinstance(identifier, str):
            found = _named_in(module, identifier)
        if identifier is None or callable(found):
            return found() if isinstance(found, type) else found
        raise ArgumentError(f"Could not interpret {what} identifier: {identifier}", site=here())

    declared: list[tuple[Any, str, str]] = [
        (serialize, "serialize", f"Returns a {what} as a dictionary of plain values."),
        (deserialize, "deserialize", f"Returns the {what} of a dictionary that `serialize` has made."),
        (get, "get", f"Returns the {what} that a word, a class or a dictionary stands for."),
    ]
    for function, name, text in declared if own_get else declared[:2]:
        row(function, f"{place}.{name}", text)
        # Each is found in this file under a name of its own, as pickle looks for it.
        function.__qualname__ = f"{name}_{what}"
        globals()[function.__qualname__] = function


_family("losses", "loss", False)
_family("metrics", "metric", True)
_family("regularizers", "regularizer", True)
_family("constraints", "constraint", True)
