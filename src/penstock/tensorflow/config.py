"""tf.config: settings of devices and modes. None of them changes a result here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple

from penstock.tensorflow._names import absent as _absent


class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str


_PROCESSOR = PhysicalDevice("/physical_device:CPU:0", "CPU")


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the processor: which accelerator is used is JAX's to say.

    >>> from penstock import tensorflow as tf
    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [_PROCESSOR] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns what `list_physical_devices` does."""
    return list_physical_devices(device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns what `list_physical_devices` does."""
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Does nothing."""


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Does nothing: there is one mode."""


def functions_run_eagerly() -> bool:
    """Returns True: the code of a `tf.function` runs each time it is called."""
    return True


def set_soft_device_placement(enabled: bool) -> None:
    """Does nothing."""


def _nothing(*arguments: Any, **options: Any) -> None:
    return None


experimental = SimpleNamespace(
    set_memory_growth=_nothing,
    enable_op_determinism=_nothing,
    enable_tensor_float_32_execution=_nothing,
    list_physical_devices=list_physical_devices,
    list_logical_devices=list_logical_devices,
    set_synchronous_execution=_nothing,
)
threading = SimpleNamespace(
    set_inter_op_parallelism_threads=_nothing, set_intra_op_parallelism_threads=_nothing
)
optimizer = SimpleNamespace(set_jit=_nothing, set_experimental_options=_nothing)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.config", name, __all__)


__all__ = [
    "PhysicalDevice",
    "experimental",
    "functions_run_eagerly",
    "get_visible_devices",
    "list_logical_devices",
    "list_physical_devices",
    "optimizer",
    "run_functions_eagerly",
    "set_soft_device_placement",
    "set_visible_devices",
    "threading",
]
