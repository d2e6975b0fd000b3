"""One program on many devices: where variables, the state of optimizers and batches are stored."""

from __future__ import annotations

import typing as _typing

from penstock.lazy import later as _later

if _typing.TYPE_CHECKING:
    from penstock.distribution.costs import report
    from penstock.distribution.layout_map import LayoutMap
    from penstock.distribution.mesh import DeviceMesh, TensorLayout, get_device_count, list_devices
    from penstock.distribution.planned import plan
    from penstock.distribution.processes import initialize
    from penstock.distribution.scope import distribute_tensor, distribution, set_distribution
    from penstock.distribution.strategies import DataParallel, Distribution, ModelParallel
else:
    __getattr__, __dir__ = _later(
        __name__,
        {
            "penstock.distribution.layout_map": "LayoutMap",
            "penstock.distribution.mesh": "DeviceMesh TensorLayout get_device_count list_devices",
            "penstock.distribution.planned": "plan",
            "penstock.distribution.processes": "initialize",
            "penstock.distribution.costs": "report",
            "penstock.distribution.scope": "distribute_tensor distribution set_distribution",
            "penstock.distribution.strategies": "DataParallel Distribution ModelParallel",
        },
    )

__all__ = [
    "DataParallel", "DeviceMesh", "Distribution", "LayoutMap", "ModelParallel", "TensorLayout",
    "distribute_tensor", "distribution", "get_device_count", "initialize", "list_devices", "plan",
    "report", "set_distribution",
]  # fmt: skip
