"""Names of objects that were created without one: sgd, sgd_1, sgd_2."""

from __future__ import annotations

import re
from collections.abc import Callable

from penstock.declared import named

_given: dict[str, int] = {}
forgetting: list[Callable[[], None]] = []
"""The other functions that `clear_session` calls."""


def automatic_name(kind: str) -> str:
    """Returns the next name for an object of a class: sgd, sgd_1, sgd_2."""
    prefix = re.sub(r"([a-z])([A-Z])", r"\1_\2", re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", kind)).lower()
    count = _given.get(prefix, 0)
    _given[prefix] = count + 1
    return f"{prefix}_{count}" if count else prefix


@named("tf.keras.backend.clear_session", "tf.keras.utils.clear_session")
def clear_session(free_memory: bool = True) -> None:
    """Starts the automatic names afresh, and lets `set_floatx` decide on the dtype of layers again."""
    from penstock.tensorflow.keras._defaults import unsettle

    _given.clear()
    unsettle()
    for one in forgetting:
        one()


@named("tf.keras.backend.get_uid")
def get_uid(prefix: str = "") -> int:
    """Returns how many objects have been named after a word, this one included.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.backend.get_uid("head"), tf.keras.backend.get_uid("head")
    (1, 2)
    """
    _given[prefix] = _given.get(prefix, 0) + 1
    return _given[prefix]
