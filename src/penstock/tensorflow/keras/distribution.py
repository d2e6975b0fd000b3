"""tf.keras.distribution: where variables and batches live on several devices, under Keras 3's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.lazy import later as _later
from penstock.tensorflow._names import absent as _absent

if TYPE_CHECKING:
    from penstock.distribution.layout_map import LayoutMap
    from penstock.distribution.mesh import DeviceMesh, TensorLayout, get_device_count, list_devices
    from penstock.distribution.processes import initialize
    from penstock.distribution.scope import distribute_tensor, distribution, set_distribution
    from penstock.distribution.strategies import DataParallel, ModelParallel
else:
    _get, __dir__ = _later(
        __name__,
        {
            "penstock.distribution": "DataParallel DeviceMesh LayoutMap ModelParallel TensorLayout "
            "distribute_tensor distribution get_device_count initialize list_devices set_distribution"
        },
    )

    def __getattr__(name: str) -> Any:
        if name in __all__:
            return _get(name)
        raise _absent("tensorflow.keras.distribution", name, __all__)


__all__ = [
    "DataParallel", "DeviceMesh", "LayoutMap", "ModelParallel", "TensorLayout", "distribute_tensor",
    "distribution", "get_device_count", "initialize", "list_devices", "set_distribution",
]  # fmt: skip
