"""tf.keras.mixed_precision: policies of dtypes, and the optimizer that scales a loss, under Keras' names."""

from __future__ import annotations

from typing import Any

from penstock.declared import named as _named
from penstock.layers import policies as _policies
from penstock.tensorflow._dtype import numpy_dtype as _numpy_dtype
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras._defaults import settle as _settle
from penstock.trace.source_site import here as _here


@_named("tf.keras.DTypePolicy", "tf.keras.FloatDTypePolicy")
class DTypePolicy(_policies.Policy):
    """The dtypes in which a layer computes and keeps its variables, by a name such as "mixed_float16".

    Without a name, the global one. Raises TypeError and ValueError, as Keras does, for anything but a valid
    name.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.mixed_precision.set_global_policy("mixed_float16")
    >>> layer = tf.keras.layers.Dense(2)
    >>> layer.dtype_policy, layer(tf.ones((1, 3))).dtype, layer.kernel.dtype
    (<DTypePolicy "mixed_float16">, tf.float16, 'float32')
    >>> tf.keras.mixed_precision.set_global_policy("float32")
    """

    __slots__ = ()

    def __init__(self, name: Any = None) -> None:
        if name is None:
            name = _policies.get_policy().name
        if not isinstance(name, str):
            raise TypeError(
                "'name' must be a string, such as 'mixed_float16'. "
                f"Received: name={name} (of type {type(name)})"
            )
        try:
            super().__init__(name)
        except ValueError:
            raise _ArgumentError(
                f"Cannot convert '{name}' to a mixed precision DTypePolicy. Valid policies include "
                "'mixed_float16', 'mixed_bfloat16', and the name of any float dtype such as 'float32'.",
                site=_here(),
            ) from None

    @property
    def quantization_mode(self) -> None:
        """None: there is no quantization."""
        return None

    def get_config(self) -> dict[str, Any]:
        """Returns the name, in a dictionary."""
        return {"name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> DTypePolicy:
        """Returns the policy of a dictionary of `get_config`."""
        return cls(**config)

    def __repr__(self) -> str:
        return f'<DTypePolicy "{self.name}">'


Policy = FloatDTypePolicy = DTypePolicy


def _policy(given: Any) -> DTypePolicy:
    """Returns the policy given by the argument `dtype` of a layer; a map of policies as it is."""
    if given is None:
        _settle()
    if given is None or isinstance(given, str):
        return DTypePolicy(given)
    if isinstance(given, DTypePolicy):
        return given
    if isinstance(given, _policies.Policy):
        return DTypePolicy(given.name)
    if hasattr(given, "default_policy"):
        return given  # type: ignore[no-any-return]
    if isinstance(given, dict) and "config" in given:
        if given["class_name"] == "DTypePolicyMap":
            from penstock.tensorflow.keras._serial import deserialize_keras_object

            return deserialize_keras_object(given)  # type: ignore[no-any-return]
        return DTypePolicy.from_config(given["config"])
    return DTypePolicy(_numpy_dtype(given).name)


@_named("tf.keras.config.set_dtype_policy")
def set_dtype_policy(policy: Any) -> None:
    """Sets the policy of layers that are made from now on and given no `dtype`."""
    if not isinstance(policy, str | _policies.Policy):
        raise _ArgumentError(
            "Invalid `policy` argument. Expected the string name of a policy (such as 'mixed_float16') or "
            f"a `DTypePolicy` instance. Received: policy={policy} (of type {type(policy)})",
            site=_here(),
        )
    _policies.set_policy(_policy(policy).name)


@_named("tf.keras.config.dtype_policy")
def dtype_policy() -> DTypePolicy:
    """Returns the policy of layers that are given no `dtype`."""
    _settle()
    return DTypePolicy()


set_global_policy, global_policy = set_dtype_policy, dtype_policy


__getattr__, __dir__, __all__ = _namespace("tf.keras.mixed_precision", globals(), "keras.optimizers._scaling")
