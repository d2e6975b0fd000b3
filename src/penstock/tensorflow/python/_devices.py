"""tensorflow.python.client.device_lib: the devices there are."""

from __future__ import annotations

from typing import Any


class Device:
    """The description of a device."""

    def __init__(self, name: str, device_type: str) -> None:
        self.name, self.device_type, self.memory_limit = name, device_type, 0
        self.physical_device_desc = ""

    def __repr__(self) -> str:
        return f'name: "{self.name}"\ndevice_type: "{self.device_type}"\n'


def list_local_devices(session_config: Any = None) -> list[Device]:
    """Returns the devices of this machine under TensorFlow's names.

    `session_config` does nothing: there is one device, and variables are not copied.
    """
    from penstock.tensorflow import config

    return [
        Device(one.name.replace("/physical_device", "/device"), one.device_type)
        for one in config.list_physical_devices()
    ]
