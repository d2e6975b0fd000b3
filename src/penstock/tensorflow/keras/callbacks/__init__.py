"""tf.keras.callbacks: what is told how training goes, and may change it."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow.keras.callbacks._callback import (
    Callback,
    CallbackList,
    History,
    LambdaCallback,
    ProgbarLogger,
)
from penstock.tensorflow.keras.callbacks._files import BackupAndRestore, CSVLogger, TensorBoard
from penstock.tensorflow.keras.callbacks._monitoring import (
    EarlyStopping,
    LearningRateScheduler,
    ModelCheckpoint,
    MonitorCallback,
    ReduceLROnPlateau,
    TerminateOnNaN,
)

_INSTEAD = {
    "RemoteMonitor": "A LambdaCallback(on_epoch_end=...) may send the logs to a server.",
    "SwapEMAWeights": "optimizer.finalize_variable_values(model.trainable_variables) puts the averages in.",
}


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.keras.callbacks", name, __all__, _INSTEAD)


__all__ = [
    "BackupAndRestore", "CSVLogger", "Callback", "CallbackList", "EarlyStopping", "History",
    "LambdaCallback", "LearningRateScheduler", "ModelCheckpoint", "MonitorCallback", "ProgbarLogger",
    "ReduceLROnPlateau", "TensorBoard", "TerminateOnNaN",
]  # fmt: skip
