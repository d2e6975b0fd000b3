"""tf.config: settings of devices and modes. None of them changes a result here."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._devices import (
    LogicalDevice,
    LogicalDeviceConfiguration,
    PhysicalDevice,
    experimental,
    get_logical_device_configuration,
    get_soft_device_placement,
    get_visible_devices,
    list_logical_devices,
    list_physical_devices,
    optimizer,
    set_logical_device_configuration,
    set_soft_device_placement,
    set_visible_devices,
    threading,
)
from penstock.tensorflow._names import absent as _absent


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Does nothing: there is one mode."""


def functions_run_eagerly() -> bool:
    """Returns True: the code of a `tf.function` runs each time it is called."""
    return True


experimental_run_functions_eagerly, experimental_functions_run_eagerly = (
    run_functions_eagerly,
    functions_run_eagerly,
)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.config", name, __all__)


__all__ = [
    "LogicalDevice",
    "LogicalDeviceConfiguration",
    "PhysicalDevice",
    "experimental",
    "experimental_functions_run_eagerly",
    "experimental_run_functions_eagerly",
    "functions_run_eagerly",
    "get_logical_device_configuration",
    "get_soft_device_placement",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_logical_device_configuration",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]
