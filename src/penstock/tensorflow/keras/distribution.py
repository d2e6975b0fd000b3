"""tf.keras.distribution: where variables and batches live on several devices, under Keras 3's names."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

_NAMES = (
    "DataParallel DeviceMesh LayoutMap ModelParallel TensorLayout distribute_tensor distribution "
    "get_device_count initialize list_devices set_distribution"
)
__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.distribution", globals(), listed={"penstock.distribution": _NAMES}
)
