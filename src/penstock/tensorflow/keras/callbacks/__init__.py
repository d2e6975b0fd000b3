"""tf.keras.callbacks: objects that follow a training, and may change it."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

_INSTEAD = {
    "OrbaxCheckpoint": "tf.keras.callbacks.BackupAndRestore and ModelCheckpoint write files without Orbax.",
}


__getattr__, __dir__, _public = _namespace(
    "tf.keras.callbacks",
    globals(),
    "keras.callbacks._callback keras.callbacks._files keras.callbacks._monitoring",
    rest="keras.callbacks._averages",
    instead=_INSTEAD,
)
