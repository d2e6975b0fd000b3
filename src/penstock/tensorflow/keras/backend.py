"""tf.keras.backend: names for objects that were created without one."""

from __future__ import annotations

import re
from typing import Any

from penstock.tensorflow._names import absent as _absent

_given: dict[str, int] = {}


def automatic_name(kind: str) -> str:
    """Returns the next name for an object of a class: sgd, sgd_1, sgd_2."""
    prefix = re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", kind)).lower()
    count = _given.get(prefix, 0)
    _given[prefix] = count + 1
    return f"{prefix}_{count}" if count else prefix


def clear_session(free_memory: bool = True) -> None:
    """Starts the automatic names afresh."""
    _given.clear()


def floatx() -> str:
    """Returns the dtype that Keras gives to what has none."""
    return "float32"


def epsilon() -> float:
    """Returns the small number that Keras adds to what must not be zero."""
    return 1e-7


def image_data_format() -> str:
    """Returns where images have their channels."""
    return "channels_last"


def __getattr__(name: str) -> Any:
    # They stand on the functions of tf, which are made later than this file.
    from penstock.tensorflow.keras import _operations

    found = None if name.startswith("_") else vars(_operations).get(name)
    if callable(found) and getattr(found, "__module__", "").startswith("penstock"):
        return found
    raise _absent(
        "tensorflow.keras.backend", name, ["clear_session", "epsilon", "floatx", "image_data_format"]
    )
