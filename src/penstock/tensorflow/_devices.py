"""The devices and modes of `tf.config`: settings are kept and given back, and none changes a result here."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.trace.source_site import here


@named("tf.config.PhysicalDevice")
class PhysicalDevice(NamedTuple):
    """A device of this machine."""

    name: str
    device_type: str


@named("tf.config.LogicalDevice")
class LogicalDevice(NamedTuple):
    """A part of a device, under the name that `tf.device` takes."""

    name: str
    device_type: str


@named("tf.config.LogicalDeviceConfiguration")
class LogicalDeviceConfiguration(NamedTuple):
    """The settings of a part of a device. No device is split here."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


PROCESSOR = PhysicalDevice("/physical_device:CPU:0", "CPU")
_DEFAULTS: dict[str, Any] = {
    "parts": None,
    "soft_device_placement": True,
    "jit": "",
    "experimental_options": {"disable_model_pruning": False, "disable_meta_optimizer": False},
    "inter_op_parallelism_threads": 0,
    "intra_op_parallelism_threads": 0,
    "device_policy": "silent",
    "synchronous_execution": True,
    "tensor_float_32_execution": True,
}
_kept: dict[str, Any] = dict(_DEFAULTS)
"""The settings of this process, by name."""


def _known(device: Any) -> None:
    if device != PROCESSOR:
        raise ArgumentError(f"Unrecognized device: {device!r}", site=here())


@named("tf.config.list_physical_devices")
def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns the processor: which accelerator is used is JAX's to say.

    >>> from penstock import tensorflow as tf
    >>> tf.config.list_physical_devices("GPU")
    []
    """
    return [PROCESSOR] if device_type in (None, "CPU") else []


@named("tf.config.list_logical_devices")
def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """Returns the parts of the processor: one, or as many as `set_logical_device_configuration` set.

    >>> from penstock import tensorflow as tf
    >>> tf.config.list_logical_devices()
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]
    """
    if device_type not in (None, "CPU"):
        return []
    return [LogicalDevice(f"/device:CPU:{number}", "CPU") for number in range(len(_kept["parts"] or [None]))]


@named("tf.config.get_visible_devices")
def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """Returns what `list_physical_devices` does."""
    return list_physical_devices(device_type)


@named("tf.config.set_visible_devices")
def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Does nothing: the processor is always available."""


@named("tf.config.set_logical_device_configuration")
def set_logical_device_configuration(device: PhysicalDevice, logical_devices: Any) -> None:
    """Lists the device as this many parts; all of them are one processor.

    Raises ArgumentError for another device than the processor.
    """
    _known(device)
    _kept["parts"] = list(logical_devices)


@named("tf.config.get_logical_device_configuration")
def get_logical_device_configuration(device: PhysicalDevice) -> list[LogicalDeviceConfiguration] | None:
    """Returns the parts that were set; None before. Raises ArgumentError for another device."""
    _known(device)
    return _kept["parts"]  # type: ignore[no-any-return]


def set_optimizer_options(options: dict[str, Any]) -> None:
    """Stores the options: there is no graph that they could change."""
    _kept["experimental_options"] = {**options, **_DEFAULTS["experimental_options"]}


def _setter(name: str, what: str) -> Callable[[Any], None]:
    def function(value: Any) -> None:
        _kept[name] = value

    function.__doc__ = f"Keeps {what}, which changes no result here."
    function.__name__ = function.__qualname__ = f"set_{name}"
    return function


def _getter(name: str, what: str) -> Callable[[], Any]:
    def function() -> Any:
        return _kept[name]

    function.__doc__ = f"Returns {what}, as it was set."
    function.__name__ = function.__qualname__ = f"get_{name}"
    return function


def _pair(name: str, what: str) -> tuple[Callable[[Any], None], Callable[[], Any]]:
    return _setter(name, what), _getter(name, what)


set_soft_device_placement, get_soft_device_placement = _pair(
    "soft_device_placement", "whether operations may move to another device"
)
named("tf.config.set_soft_device_placement")(set_soft_device_placement)
named("tf.config.get_soft_device_placement")(get_soft_device_placement)
_set_jit, _get_jit = _pair("jit", "whether graphs are compiled")
_set_inter, _get_inter = _pair("inter_op_parallelism_threads", "the number of threads between operations")
_set_intra, _get_intra = _pair("intra_op_parallelism_threads", "the number of threads in an operation")
_set_policy, _get_policy = _pair("device_policy", "the reaction to tensors on another device")
_set_synchronous, _get_synchronous = _pair("synchronous_execution", "whether operations wait")
_set_narrow, _get_narrow = _pair("tensor_float_32_execution", "whether float32 is narrowed")


def _nothing(*arguments: Any, **options: Any) -> None:
    return None


def _memory(device: str) -> dict[str, int]:
    """Returns zeros: memory is not counted by device. Raises ArgumentError for a device that is not there."""
    if "CPU" not in device.upper():
        raise ArgumentError(f"No matching devices found for {device!r}", site=here())
    return {"current": 0, "peak": 0}


def _growth(device: Any) -> bool:
    """Returns False. Raises ArgumentError for a device that is not there."""
    _known(device)
    return False


def _details(device: Any) -> dict[str, Any]:
    """Returns an empty dictionary. Raises ArgumentError for a device that is not there."""
    _known(device)
    return {}


experimental = named("tf.config.experimental")(
    SimpleNamespace(
        VirtualDeviceConfiguration=LogicalDeviceConfiguration,
        disable_mlir_bridge=_nothing,
        enable_mlir_bridge=_nothing,
        enable_op_determinism=_nothing,
        enable_tensor_float_32_execution=_set_narrow,
        get_device_details=_details,
        get_device_policy=_get_policy,
        get_memory_growth=_growth,
        get_memory_info=_memory,
        get_memory_usage=lambda device: _memory(device)["current"],
        get_synchronous_execution=_get_synchronous,
        get_virtual_device_configuration=get_logical_device_configuration,
        get_visible_devices=get_visible_devices,
        list_logical_devices=list_logical_devices,
        list_physical_devices=list_physical_devices,
        reset_memory_stats=_nothing,
        set_device_policy=_set_policy,
        set_memory_growth=_nothing,
        set_synchronous_execution=_set_synchronous,
        set_virtual_device_configuration=set_logical_device_configuration,
        set_visible_devices=set_visible_devices,
        tensor_float_32_execution_enabled=_get_narrow,
    )
)
threading = named("tf.config.threading")(
    SimpleNamespace(
        get_inter_op_parallelism_threads=_get_inter,
        get_intra_op_parallelism_threads=_get_intra,
        set_inter_op_parallelism_threads=_set_inter,
        set_intra_op_parallelism_threads=_set_intra,
    )
)
optimizer = named("tf.config.optimizer")(
    SimpleNamespace(
        get_experimental_options=_getter("experimental_options", "the options of graphs"),
        get_jit=_get_jit,
        set_experimental_options=set_optimizer_options,
        set_jit=_set_jit,
    )
)
