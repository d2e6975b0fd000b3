"""Callbacks that follow one number: they stop early, keep the best, and lower the learning rate."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow.keras._progress import say
from penstock.tensorflow.keras.callbacks._callback import Callback, number
from penstock.trace.source_site import here, warn

_UP = {
    "accuracy", "acc", "auc", "precision", "recall", "f1_score", "fbeta_score", "iou", "mean_io_u",
    "cosine_similarity", "true_positives", "true_negatives",
}  # fmt: skip
_CLASSES_UP = (
    "Accuracy", "AUC", "Precision", "Recall", "F1Score", "FBetaScore", "IoU", "TruePositives",
    "TrueNegatives", "CosineSimilarity", "R2Score", "PearsonCorrelation", "ConcordanceCorrelation",
    "SensitivityAtSpecificity", "SpecificityAtSensitivity", "PrecisionAtRecall", "RecallAtPrecision",
    "BinaryIoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU",
)  # fmt: skip


@named("tf.keras.callbacks.MonitorCallback")
class MonitorCallback(Callback):
    """A callback that follows the number called `monitor`, and knows whether it has become better."""

    def __init__(
        self, monitor: str = "val_loss", mode: str = "auto", baseline: float | None = None,
        min_delta: float = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        if mode not in ("auto", "min", "max"):
            warn(f"{type(self).__name__} mode '{mode}' is unknown, fallback to auto mode.")
            mode = "auto"
        self.monitor, self.mode, self.best = monitor, mode, baseline
        self.min_delta = abs(min_delta)
        self.monitor_op: Callable[[Any, Any], Any] | None = None

    def _direction(self) -> Callable[[Any, Any], Any]:
        name = self.monitor.removeprefix("val_")
        if self.mode != "auto":
            return operator.lt if self.mode == "min" else operator.gt
        if name == "loss":
            return operator.lt
        every: list[Any] = []
        for one in getattr(self.model, "metrics", ()):
            every += one.metrics if hasattr(one, "metrics") else [one]
        for one in every:
            if one.name == name:
                kinds = [kind.__name__ for kind in type(one).__mro__]
                up = any(kind.endswith(_CLASSES_UP) for kind in kinds) or name in _UP
                function = getattr(one, "_function", None)
                if up:
                    return operator.gt
                module = type(one).__module__ if function is None else getattr(function, "__module__", "")
                if name.endswith("_loss") or (
                    module.startswith("penstock.") and type(one).__name__ not in ("Mean", "Sum")
                ):
                    return operator.lt
        raise ArgumentError(
            f"{type(self).__name__} callback received monitor={self.monitor}, but Keras isn't able to "
            "automatically determine whether that metric should be maximized or minimized. Pass `mode='max'` "
            "in order to monitor based on the highest metric value, or pass `mode='min'` in order to use the "
            "lowest value.",
            site=here(),
        )

    def _set_direction(self) -> None:
        """Settles which way is better, once the metrics are there."""
        if self.monitor_op is None:
            self.monitor_op = self._direction()
            if self.monitor_op is operator.lt:
                self.min_delta = -self.min_delta

    def _is_better(self, value: Any, than: Any) -> bool:
        assert self.monitor_op is not None
        return than is None or bool(self.monitor_op(value - self.min_delta, than))


@named("tf.keras.callbacks.EarlyStopping")
class EarlyStopping(MonitorCallback):
    """Stops training once a number has not become better for `patience` epochs.

    With `restore_best_weights`, the model gets the weights of the best epoch back.

    >>> from penstock import tensorflow as tf
    >>> tf.keras.callbacks.EarlyStopping(monitor="loss", patience=3).patience
    3
    """

    def __init__(
        self, monitor: str = "val_loss", min_delta: float = 0, patience: int = 0, verbose: int = 0,
        mode: str = "auto", baseline: float | None = None, restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta=min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights, self.start_from_epoch = restore_best_weights, start_from_epoch
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best_weights: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins afresh."""
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best = self.best_weights = None

    def get_monitor_value(self, logs: Any) -> Any:
        """Returns the number that is followed; None, with a warning, if it is not there."""
        logs = logs or {}
        value = logs.get(self.monitor)
        if value is None:
            warn(
                f"Early stopping conditioned on metric `{self.monitor}` which is not available. Available "
                f"metrics are: {','.join(logs)}"
            )
        return value

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Compares with the best, and stops the training when it is time."""
        self._set_direction()
        current = self.get_monitor_value(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.restore_best_weights and self.best_weights is None:
            self.best_weights, self.best_epoch = self.model.get_weights(), epoch
        self.wait += 1
        if self._is_better(current, self.best):
            self.best, self.best_epoch = current, epoch
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            if self.baseline is None or self._is_better(current, self.baseline):
                self.wait = 0
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Any = None) -> None:
        """Gives the best weights back."""
        if self.stopped_epoch > 0 and self.verbose > 0:
            say(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.restore_best_weights and self.best_weights is not None:
            if self.verbose > 0:
                say(f"Restoring model weights from the end of the best epoch: {self.best_epoch + 1}.")
            self.model.set_weights(self.best_weights)


@named("tf.keras.callbacks.ModelCheckpoint")
class ModelCheckpoint(MonitorCallback):
    """Saves the model, or its weights, after each epoch or each `save_freq` batches.

    `filepath` may contain the epoch and values of the logs: "{epoch:02d}-{val_loss:.2f}.weights.h5". With
    `save_best_only`, only where `monitor` has become better.
    """

    def __init__(
        self, filepath: Any, monitor: str = "val_loss", verbose: int = 0, save_best_only: bool = False,
        save_weights_only: bool = False, mode: str = "auto", save_freq: Any = "epoch",
        initial_value_threshold: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, initial_value_threshold)
        self.filepath: str = os.fspath(filepath)
        self.verbose, self.save_best_only = verbose, save_best_only
        self.save_weights_only, self.save_freq = save_weights_only, save_freq
        self._batches = 0
        self._last: int | None = None
        self._epoch = 0
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ArgumentError(
                f"Unrecognized save_freq: {save_freq}. Expected save_freq are 'epoch' or integer values",
                site=here(),
            )
        if save_weights_only and not self.filepath.endswith(".weights.h5"):
            raise ArgumentError(
                "When using `save_weights_only=True` in `ModelCheckpoint`, the filepath provided must end in "
                f"`.weights.h5` (Keras weights format). Received: filepath={self.filepath}",
                site=here(),
            )
        if not save_weights_only and not self.filepath.endswith((".keras", ".h5")):
            raise ArgumentError(
                "The filepath provided must end in `.keras` (Keras model format). Received: "
                f"filepath={self.filepath}",
                site=here(),
            )

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Notes the epoch."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Saves, where batches are counted."""
        if self.save_freq == "epoch":
            return
        new = self._last is None or batch <= self._last
        self._batches += batch + 1 if new or self._last is None else batch - self._last
        self._last = batch
        if self._batches >= self.save_freq:
            self._batches = 0
            self._set_direction()
            self._save(self._epoch, batch, logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves, where epochs are counted."""
        if self.save_best_only:
            self._set_direction()
        if self.save_freq == "epoch":
            self._save(epoch, None, logs or {})

    def _path(self, epoch: int, batch: int | None, logs: dict[str, Any]) -> str:
        try:
            if batch is None or "batch" in logs:
                return self.filepath.format(epoch=epoch + 1, **logs)
            return self.filepath.format(epoch=epoch + 1, batch=batch + 1, **logs)
        except KeyError as error:
            raise KeyError(
                f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}'
            ) from None

    def _save(self, epoch: int, batch: int | None, logs: dict[str, Any]) -> None:
        path = self._path(epoch, batch, logs)
        if not self._is_wanted(epoch, logs, path):
            return
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        if os.path.isdir(path):
            raise OSError(
                "Please specify a non-directory filepath for ModelCheckpoint. Filepath used is an existing "
                f"directory: {path}"
            )
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True)
        else:
            self.model.save(path, overwrite=True)
        if self.verbose > 0:
            say(f"\nEpoch {epoch + 1}: finished saving model to {path}")

    def _is_wanted(self, epoch: int, logs: dict[str, Any], path: str) -> bool:
        if not self.save_best_only:
            if self.verbose > 0:
                say(f"\nEpoch {epoch + 1}: saving model to {path}")
            return True
        current = logs.get(self.monitor)
        if current is None:
            warn(f"Can save best model only with {self.monitor} available.")
            return True
        before = "None" if self.best is None else f"{self.best:.5f}"
        better = self._is_better(current, self.best)
        if self.verbose > 0:
            say(
                f"\nEpoch {epoch + 1}: {self.monitor} improved from {before} to {current:.5f}, saving model "
                f"to {path}" if better else
                f"\nEpoch {epoch + 1}: {self.monitor} did not improve from {before}"
            )  # fmt: skip
        if better:
            self.best = current
        return better


def _optimizer(callback: Callback) -> Any:
    optimizer = callback.model.optimizer
    if optimizer is None or not hasattr(optimizer, "learning_rate"):
        raise ArgumentError('Optimizer must have a "learning_rate" attribute.', site=here())
    return optimizer


@named("tf.keras.callbacks.ReduceLROnPlateau")
class ReduceLROnPlateau(MonitorCallback):
    """Multiplies the learning rate by `factor` once a number has not become better for `patience` epochs."""

    def __init__(
        self, monitor: str = "val_loss", factor: float = 0.1, patience: int = 10, verbose: int = 0,
        mode: str = "auto", min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0.0, **more: Any,
    ) -> None:  # fmt: skip
        super().__init__(monitor, mode, min_delta=min_delta)
        if more:
            raise TypeError(f"ReduceLROnPlateau got an unexpected keyword argument {next(iter(more))!r}")
        if factor >= 1.0:
            raise ArgumentError(
                f"ReduceLROnPlateau does not support a factor >= 1.0. Received factor={factor}", site=here()
            )
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.cooldown_counter = self.wait = 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins afresh."""
        self.best, self.cooldown_counter, self.wait = None, 0, 0

    def in_cooldown(self) -> bool:
        """Returns whether it is too soon after a change."""
        return self.cooldown_counter > 0

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Compares with the best, and lowers the learning rate when it is time."""
        self._set_direction()
        logs = {} if logs is None else logs
        optimizer = _optimizer(self)
        logs["learning_rate"] = number(optimizer.learning_rate)
        current = logs.get(self.monitor)
        if current is None:
            warn(
                f"Learning rate reduction is conditioned on metric `{self.monitor}` which is not available. "
                f"Available metrics are: {','.join(logs)}."
            )
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(current, self.best):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._lower(optimizer, epoch)

    def _lower(self, optimizer: Any, epoch: int) -> None:
        before = number(optimizer.learning_rate)
        if before <= np.float32(self.min_lr):
            return
        rate = max(before * self.factor, self.min_lr)
        optimizer.learning_rate = rate
        if self.verbose > 0:
            say(f"\nEpoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {rate}.")
        self.cooldown_counter, self.wait = self.cooldown, 0


@named("tf.keras.callbacks.LearningRateScheduler")
class LearningRateScheduler(Callback):
    """Sets the learning rate before each epoch: `schedule(epoch, rate)` returns the new one.

    >>> from penstock import tensorflow as tf
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(tf.keras.optimizers.SGD(1.0), "mse")
    >>> halved = tf.keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    >>> history = model.fit(tf.ones((4, 2)), tf.ones((4, 1)), epochs=2, verbose=0, callbacks=[halved])
    >>> history.history["learning_rate"]
    [0.5, 0.25]
    """

    def __init__(self, schedule: Callable[..., Any], verbose: int = 0) -> None:
        super().__init__()
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Sets the learning rate."""
        optimizer = _optimizer(self)
        try:
            rate = self.schedule(epoch, number(optimizer.learning_rate))
        except TypeError:
            rate = self.schedule(epoch)
        if not isinstance(rate, float | np.float32 | np.float64):
            raise ArgumentError(
                f"The output of the `schedule` function should be a float. Got: {rate}",
                remedy="Return float(rate).",
                site=here(),
            )
        optimizer.learning_rate = rate
        if self.verbose > 0:
            say(f"\nEpoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}.")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Puts the learning rate into the logs."""
        if logs is not None:
            logs["learning_rate"] = number(_optimizer(self).learning_rate)


@named("tf.keras.callbacks.TerminateOnNaN")
class TerminateOnNaN(Callback):
    """Stops training when the loss of a batch is not a finite number; with `raise_error`, by an error."""

    def __init__(self, raise_error: bool = False) -> None:
        super().__init__()
        self.raise_error = raise_error

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Looks at the loss."""
        loss = (logs or {}).get("loss")
        if loss is None or np.isfinite(loss):
            return
        if self.raise_error:
            raise RuntimeError(f"NaN or Inf loss encountered at batch {batch}. Loss value: {loss}")
        say(f"Batch {batch}: Invalid loss, terminating training")
        self.model.stop_training = True
