"""The scopes of names that programs open around layers and variables of Keras."""

from __future__ import annotations

import contextlib
from typing import Any

from penstock.declared import named
from penstock.layers.calls import calls
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._scopes import scope_of, scopes
from penstock.trace.source_site import here


@named("tf.keras.name_scope", "tf.keras.backend.name_scope")
class name_scope(contextlib.AbstractContextManager[Any]):
    """A context in which the paths of variables, and of layers that are built, begin with a name.

    `caller`, `deduplicate` and `override_parent` are read by Keras' own layers, which open their scopes
    themselves here; they do nothing.

    >>> from penstock import tensorflow as tf
    >>> with tf.keras.name_scope("encoder"):
    ...     tf.keras.Variable(1.0, name="scale").path
    'encoder/scale'
    """

    def __init__(
        self, name: str, caller: Any = None, deduplicate: bool = True, override_parent: Any = None
    ) -> None:
        if not isinstance(name, str) or "/" in name:
            raise ArgumentError(
                f"Argument `name` must be a string and cannot contain character `/`. Received: name={name}",
                site=here(),
            )
        self.name = name
        self._inner: list[Any] = []

    def __enter__(self) -> name_scope:
        inner = scope_of(self.name)
        inner.__enter__()
        self._inner.append((inner, scopes.of_keras))
        scopes.of_keras = (*scopes.of_keras, (self.name, len(calls.layers)))
        return self

    def __exit__(self, *problem: Any) -> None:
        inner, scopes.of_keras = self._inner.pop()
        inner.__exit__(*problem)


@named("tf.keras.RematScope")
class RematScope(contextlib.AbstractContextManager[Any]):
    """A context in which Keras computes values of layers again in the backward pass, to save memory.

    Values and gradients are the same with and without it, and here it does nothing: `tf.keras.remat(f)`
    computes again what a function computed. `mode`, `output_size_threshold` and `layer_names` say which
    layers Keras chooses.
    """

    def __init__(
        self, mode: str | None = "full", output_size_threshold: int = 1024, layer_names: Any = None
    ) -> None:
        if mode not in ("full", "activations", "larger_than", "list_of_layers", None):
            raise ArgumentError(
                f"Invalid mode '{mode}'. Supported modes are: 'full', 'activations', 'larger_than', "
                "'list_of_layers', or  None.",
                site=here(),
            )
        self.mode, self.output_size_threshold = mode, output_size_threshold
        self.layer_names = layer_names or []

    def __exit__(self, *problem: Any) -> None:
        return None


@named("tf.keras.remat")
def remat(f: Any) -> Any:
    """Returns a function whose values are computed again in the backward pass: see `tf.recompute_grad`."""
    from penstock.tensorflow._custom import recompute_grad

    return recompute_grad(f)


@named("tf.keras.device")
def device(device_name: str) -> Any:
    """Returns a context for computing on a device: see `tf.device`."""
    from penstock import tensorflow as tf

    return tf.device(device_name.replace("gpu", "GPU").replace("cpu", "CPU"))


@named("tf.keras.version")
def version() -> str:
    """Returns the version of Keras whose names and numbers these are."""
    from penstock.tensorflow import keras

    return str(keras.__version__)
