"""Decorators of TensorFlow's own modules, which return their functions unchanged."""

from __future__ import annotations

from typing import Any


def _decorator(*_arguments: Any, **_options: Any) -> Any:
    """Returns a decorator that changes nothing."""
    return lambda thing: thing


tf_export = keras_export = deprecated = deprecated_args = deprecated_arg_values = _decorator


def is_gpu_available(**_options: Any) -> bool:
    """Returns whether there is a GPU."""
    from penstock.tensorflow import config

    return bool(config.list_physical_devices("GPU"))


def is_built_with_cuda() -> bool:
    """Returns whether there is a GPU that JAX can use."""
    return is_gpu_available()


def gpu_device_name() -> str:
    """Returns the name of a GPU; an empty string if there is none."""
    return "/device:GPU:0" if is_gpu_available() else ""
