"""tf.keras.callbacks: objects that follow a training, and may change it."""

from __future__ import annotations

from penstock.tensorflow._names import namespace as _namespace

_INSTEAD = {
    "RemoteMonitor": "A LambdaCallback(on_epoch_end=...) may send the logs to a server.",
    "SwapEMAWeights": "optimizer.finalize_variable_values(model.trainable_variables) puts the averages in.",
}


__getattr__, __dir__, __all__ = _namespace(
    "tf.keras.callbacks",
    globals(),
    "keras.callbacks._callback keras.callbacks._files keras.callbacks._monitoring",
    instead=_INSTEAD,
)
