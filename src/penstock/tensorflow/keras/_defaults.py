"""Keras' defaults: the dtype, the small number, the order of channels."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.layers import policies
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._itself import on_tensorflow
from penstock.trace.source_site import here

_FLOATS = ("bfloat16", "float16", "float32", "float64")
_chosen = {"floatx": "float32"}
"""The dtype, and under "policy" whether a layer has fixed the policy of layers."""


interactive = {"logging": True}
"""Whether progress and messages of callbacks are printed, rather than logged."""


def settle() -> None:
    """Notes that a layer has read the policy, which later changes of the dtype then do not affect."""
    _chosen.setdefault("policy", "settled")


def unsettle() -> None:
    """Lets the dtype decide the policy of layers again."""
    if _chosen.pop("policy", None) and policies.get_policy().name in _FLOATS:
        policies.set_policy(_chosen["floatx"])


@named("tf.keras.config.floatx", "tf.keras.backend.floatx")
def floatx() -> str:
    """Returns Keras' default dtype."""
    return _chosen["floatx"]


@named("tf.keras.config.set_floatx", "tf.keras.backend.set_floatx")
def set_floatx(value: str) -> None:
    """Sets the dtype of inputs, losses, metrics and draws that are made without one from here on.

    It is that of layers too, if none has been made before: the first one settles it, as in Keras, until
    `clear_session`.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.backend.set_floatx("float64")
    >>> tf.keras.Input((2,)).dtype
    'float64'
    >>> tf.keras.backend.set_floatx("float32")

    Raises ArgumentError, a ValueError, for another dtype than a float.
    """
    if value not in _FLOATS:
        raise ArgumentError(f"Unknown `floatx` value: {value}. Expected one of {set(_FLOATS)}", site=here())
    _chosen["floatx"] = str(value)
    if "policy" not in _chosen and policies.get_policy().name in _FLOATS:
        policies.set_policy(str(value))


@named("tf.keras.config.epsilon", "tf.keras.backend.epsilon")
def epsilon() -> float:
    """Returns the small number that Keras adds to values that must not be zero."""
    return 1e-7


@named("tf.keras.config.set_epsilon", "tf.keras.backend.set_epsilon")
def set_epsilon(value: float) -> None:
    """Takes 1e-7, which it is; raises ArgumentError for another number."""
    _only("set_epsilon", value, epsilon())


@named("tf.keras.config.image_data_format", "tf.keras.backend.image_data_format")
def image_data_format() -> str:
    """Returns where images have their channels."""
    return "channels_last"


@named("tf.keras.config.set_image_data_format", "tf.keras.backend.set_image_data_format")
def set_image_data_format(data_format: str) -> None:
    """Takes "channels_last", which it is; raises ArgumentError for another word."""
    _only("set_image_data_format", data_format, image_data_format())


def _only(what: str, given: Any, known: Any) -> None:
    if given != known:
        raise ArgumentError(
            f"{what}({given!r}): penstock.tensorflow has {known!r}, for all layers and losses.",
            remedy=f"Say it where a layer takes it, such as data_format=. {on_tensorflow()}",
            site=here(),
        )
