"""paddle.callbacks: objects that follow the training of a `paddle.Model`, and may change it."""

from __future__ import annotations

import importlib as _importlib
import numbers as _numbers
import os as _os
from collections.abc import Iterator as _Iterator
from typing import Any

import numpy as _np

from penstock.paddle._errors import InvalidValueError as _InvalidValueError
from penstock.paddle._names import namespace as _namespace
from penstock.paddle._progress import ProgressBar as _ProgressBar
from penstock.trace.source_site import here as _here
from penstock.trace.source_site import warn_once as _warn_once


class Callback:
    """Gets the events of `fit`, `evaluate` and `predict`; a subclass overrides the methods it needs.

    `self.model` is the model, `self.params` the settings of the run: "batch_size", "epochs", "steps",
    "verbose" and "metrics".
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.params: dict[str, Any] = {}

    def set_params(self, params: dict[str, Any]) -> None:
        """Gets the parameters of the call."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Receives the model."""
        self.model = model

    def on_train_begin(self, logs: Any = None) -> None:
        """Comes at the start of `fit`."""

    def on_train_end(self, logs: Any = None) -> None:
        """Comes at the end of `fit`, with loss and metrics."""

    def on_eval_begin(self, logs: Any = None) -> None:
        """Comes at the start of an evaluation, with the number of steps and the metrics' names."""

    def on_eval_end(self, logs: Any = None) -> None:
        """Comes at the end of an evaluation, with loss and metrics."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Comes at the start of `predict`."""

    def on_predict_end(self, logs: Any = None) -> None:
        """Comes at the end of `predict`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Comes before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Comes after an epoch, with loss and metrics."""

    def on_train_batch_begin(self, step: int, logs: Any = None) -> None:
        """Comes before a batch in `fit`."""

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Comes after a batch in `fit`, with its loss, and the metrics so far."""

    def on_eval_batch_begin(self, step: int, logs: Any = None) -> None:
        """Comes before a batch of an evaluation."""

    def on_eval_batch_end(self, step: int, logs: Any = None) -> None:
        """Comes after a batch of an evaluation, with its loss, and the metrics so far."""

    def on_predict_batch_begin(self, step: int, logs: Any = None) -> None:
        """Comes before a batch in `predict`."""

    def on_predict_batch_end(self, step: int, logs: Any = None) -> None:
        """Comes after a batch in `predict`."""


class CallbackList:
    """Calls all callbacks with the same events, one after another."""

    def __init__(self, callbacks: Any = ()) -> None:
        self.callbacks = list(callbacks)

    def append(self, callback: Callback) -> None:
        """Adds a callback."""
        self.callbacks.append(callback)

    def __iter__(self) -> _Iterator[Callback]:
        return iter(self.callbacks)

    def set_params(self, params: dict[str, Any]) -> None:
        """Gives all callbacks the parameters of the call."""
        for one in self.callbacks:
            one.set_params(params)

    def set_model(self, model: Any) -> None:
        """Tells all the model."""
        for one in self.callbacks:
            one.set_model(model)

    def _tell(self, name: str, *arguments: Any) -> None:
        for one in self.callbacks:
            getattr(one, name)(*arguments)

    def on_begin(self, mode: str, logs: Any = None) -> None:
        """Tells all that "train", "eval" or "predict" begins."""
        self._tell(f"on_{mode}_begin", logs)

    def on_end(self, mode: str, logs: Any = None) -> None:
        """Tells all that "train", "eval" or "predict" is over."""
        self._tell(f"on_{mode}_end", logs)

    def on_epoch_begin(self, epoch: int | None = None, logs: Any = None) -> None:
        """Tells all that an epoch begins."""
        self._tell("on_epoch_begin", epoch, logs)

    def on_epoch_end(self, epoch: int | None = None, logs: Any = None) -> None:
        """Tells all that an epoch is over."""
        self._tell("on_epoch_end", epoch, logs)

    def on_batch_begin(self, mode: str, step: int | None = None, logs: Any = None) -> None:
        """Tells all that a batch begins."""
        self._tell(f"on_{mode}_batch_begin", step, logs)

    def on_batch_end(self, mode: str, step: int | None = None, logs: Any = None) -> None:
        """Tells all that a batch is over."""
        self._tell(f"on_{mode}_batch_end", step, logs)


class ProgBarLogger(Callback):
    """Prints loss and metrics every `log_freq` steps; a model adds one unless `verbose` is 0."""

    def __init__(self, log_freq: int = 1, verbose: int = 2) -> None:
        super().__init__()
        self.log_freq, self.verbose = log_freq, verbose
        self._bar = _ProgressBar(None, verbose=0)
        self._steps: int | None = None
        self._step = self._samples = 0
        self._names: Any = ()

    def _begin(self, steps: int | None, names: Any) -> None:
        self._steps, self._names, self._step, self._samples = steps, names, 0, 0
        self._bar = _ProgressBar(steps, verbose=self.verbose)

    def _show(self, logs: dict[str, Any]) -> None:
        self._bar.update(self._step, [(name, logs[name]) for name in self._names if name in logs])

    def _batch(self, logs: Any) -> None:
        logs = logs or {}
        self._step += 1
        self._samples += logs.get("batch_size", 1)
        is_last = self._steps is not None and self._step >= self._steps
        if self.verbose and self._step % self.log_freq == 0 and not is_last:
            self._show(logs)

    def wants_logs(self) -> bool:
        """Returns whether the present batch will be printed."""
        return bool(self.verbose) and (self._step + 1) % self.log_freq == 0

    def on_train_begin(self, logs: Any = None) -> None:
        """Prints an explanation of the numbers."""
        if self.verbose:
            print(
                "The loss value printed in the log is the current step, and the metric is the average value "
                "of previous steps."
            )

    def on_epoch_begin(self, epoch: int | None = None, logs: Any = None) -> None:
        """Begins an epoch."""
        if self.params["epochs"] and self.verbose:
            print(f"Epoch {(epoch or 0) + 1}/{self.params['epochs']}")
        self._begin(self.params["steps"], self.params["metrics"])

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Prints now and then."""
        self._batch(logs)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Prints the results of the epoch."""
        if self.verbose and self._steps is not None:
            self._show(logs or {})

    def on_eval_begin(self, logs: Any = None) -> None:
        """Begins an evaluation."""
        logs = logs or {}
        self._begin(logs.get("steps"), logs.get("metrics", []))
        if self.verbose:
            print("Eval begin...")

    def on_eval_batch_end(self, step: int, logs: Any = None) -> None:
        """Prints now and then."""
        self._batch(logs)

    def on_eval_end(self, logs: Any = None) -> None:
        """Prints the results of the evaluation."""
        if self.verbose and self._steps is not None:
            self._show(logs or {})
            print(f"Eval samples: {self._samples}")

    def on_predict_begin(self, logs: Any = None) -> None:
        """Begins a prediction."""
        logs = logs or {}
        self._begin(logs.get("steps"), logs.get("metrics", []))
        if self.verbose:
            print("Predict begin...")

    def on_predict_batch_end(self, step: int, logs: Any = None) -> None:
        """Prints now and then."""
        self._batch(logs)

    def on_predict_end(self, logs: Any = None) -> None:
        """Prints how many rows there were."""
        if self.verbose:
            if self._step % self.log_freq != 0 or self.verbose == 1:
                self._show(logs or {})
            print(f"Predict samples: {self._samples}")


class ModelCheckpoint(Callback):
    """Saves the model every `save_freq` epochs, and at the end; a model with `save_dir` adds one."""

    def __init__(self, save_freq: int = 1, save_dir: str | None = None) -> None:
        super().__init__()
        self.save_freq, self.save_dir = save_freq, save_dir

    def _save(self, name: Any) -> None:
        path = f"{self.save_dir}/{name}"
        print(f"save checkpoint at {_os.path.abspath(path)}")
        self.model.save(path)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Saves."""
        if self.save_dir and epoch % self.save_freq == 0:
            self._save(epoch)

    def on_train_end(self, logs: Any = None) -> None:
        """Saves."""
        if self.save_dir:
            self._save("final")


class LRScheduler(Callback):
    """Steps the scheduler of the learning rate after each batch, or each epoch; a model adds one."""

    def __init__(self, by_step: bool = True, by_epoch: bool = False) -> None:
        super().__init__()
        if by_step and by_epoch:
            raise _InvalidValueError(
                "by_step option is mutually exclusive with by_epoch",
                remedy="For epochs: LRScheduler(by_step=False, by_epoch=True).",
                site=_here(),
            )
        self.by_step, self.by_epoch = by_step, by_epoch

    def _turn(self) -> None:
        from penstock.paddle.optimizer import lr

        rate = getattr(self.model._optimizer, "_learning_rate", None)
        if isinstance(rate, lr.LRScheduler):
            rate.step()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Steps, where epochs are counted."""
        if self.by_epoch:
            self._turn()

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Steps, where batches are counted."""
        if self.by_step:
            self._turn()


def _monitored(callback: Any, logs: Any) -> Any:
    """Returns the number that a callback follows; None, with a warning, if there is none."""
    if logs is None or callback.monitor not in logs:
        _warn_once(f"Monitor of {type(callback).__name__} should be loss or metric name.")
        return None
    value = logs[callback.monitor]
    if isinstance(value, list | tuple):
        return value[0]
    return value if isinstance(value, _numbers.Number) else None


class EarlyStopping(Callback):
    """Stops training once a number of the evaluations has not become better for `patience` of them.

    The best model is saved where `fit` has a `save_dir`.
    """

    def __init__(
        self, monitor: str = "loss", mode: str = "auto", patience: int = 0, verbose: int = 1,
        min_delta: float = 0, baseline: float | None = None, save_best_model: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.monitor, self.patience, self.verbose, self.baseline = monitor, patience, verbose, baseline
        self.wait_epoch = self.stopped_epoch = 0
        self.save_best_model = save_best_model
        self.save_dir: str | None = None
        self.best_value = 0.0
        self.best_weights = None
        if mode not in ("auto", "min", "max"):
            _warn_once(f"EarlyStopping mode {mode} is unknown, fallback to auto mode.")
            mode = "auto"
        up = mode == "max" or (mode == "auto" and "acc" in monitor)
        self.monitor_op: Any = _np.greater if up else _np.less
        self.min_delta = abs(min_delta) if up else -abs(min_delta)

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins afresh."""
        self.wait_epoch = 0
        worst = _np.inf if self.monitor_op is _np.less else -_np.inf
        self.best_value = worst if self.baseline is None else self.baseline

    def on_eval_end(self, logs: Any = None) -> None:
        """Compares with the best, and stops the training when it is time."""
        current = _monitored(self, logs)
        if current is None:
            return
        path = None
        if self.save_best_model and self.save_dir is not None:
            path = _os.path.join(self.save_dir, "best_model")
        if self.monitor_op(current - self.min_delta, self.best_value):
            self.best_value, self.wait_epoch = current, 0
            if path is not None:
                self.model.save(path)
        else:
            self.wait_epoch += 1
        if self.wait_epoch >= self.patience:
            self.model.stop_training = True
            if self.verbose > 0:
                print(f"Epoch {self.stopped_epoch + 1}: Early stopping.")
                if path is not None:
                    print(f"Best checkpoint has been saved at {_os.path.abspath(path)}")
        self.stopped_epoch += 1


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate by `factor` once a number of the evaluations has not become better."""

    def __init__(
        self, monitor: str = "loss", factor: float = 0.1, patience: int = 10, verbose: int = 1,
        mode: str = "auto", min_delta: float = 1e-4, cooldown: int = 0, min_lr: float = 0,
    ) -> None:  # fmt: skip
        super().__init__()
        if factor >= 1.0:
            raise _InvalidValueError("ReduceLROnPlateau does not support a factor >= 1.0.", site=_here())
        if mode not in ("auto", "min", "max"):
            _warn_once(f"Learning rate reduction mode {mode} is unknown, fallback to auto mode.")
            mode = "auto"
        self.monitor, self.factor, self.patience, self.verbose = monitor, factor, patience, verbose
        self.mode, self.min_delta, self.cooldown, self.min_lr = mode, min_delta, cooldown, min_lr
        self.epoch = 0
        self._down = mode == "min" or (mode == "auto" and "acc" not in monitor)
        self.on_train_begin()

    def on_train_begin(self, logs: Any = None) -> None:
        """Begins afresh."""
        self.best = _np.inf if self._down else -_np.inf
        self.cooldown_counter = self.wait = 0

    def in_cooldown(self) -> bool:
        """Returns whether it is too soon after a change."""
        return self.cooldown_counter > 0

    def _is_better(self, value: Any) -> bool:
        if self._down:
            return bool(value < self.best - self.min_delta)
        return bool(value > self.best + self.min_delta)

    def on_eval_end(self, logs: Any = None) -> None:
        """Compares with the best, and lowers the learning rate when it is time."""
        optimizer = self.model._optimizer
        if logs is not None and self.monitor in logs and not isinstance(optimizer._learning_rate, float):
            _warn_once(f"Expected learning_rate be float, bug got {type(optimizer._learning_rate)}.")
            return
        current = _monitored(self, logs)
        if current is None:
            return
        if self.in_cooldown():
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(current):
            self.best, self.wait = current, 0
        elif not self.in_cooldown():
            self.wait += 1
            if self.wait >= self.patience:
                self._lower(optimizer)
        self.epoch += 1

    def _lower(self, optimizer: Any) -> None:
        before = optimizer.get_lr()
        if before <= _np.float32(self.min_lr):
            return
        rate = max(before * self.factor, self.min_lr)
        optimizer.set_lr(rate)
        if self.verbose > 0:
            print(f"\nEpoch {self.epoch + 1}: ReduceLROnPlateau reducing learning rate to {rate}.")
        self.cooldown_counter, self.wait = self.cooldown, 0


class VisualDL(Callback):
    """Writes loss and metrics for VisualDL, through the library `visualdl`, if it is installed."""

    def __init__(self, log_dir: str) -> None:
        super().__init__()
        self.log_dir = log_dir
        self._writer: Any = None
        self._step = self._epoch = 0
        self._names: Any = ()

    def _write(self, mode: str, names: Any, step: int, logs: dict[str, Any]) -> None:
        if self._writer is None:
            return
        for name in names:
            value = logs.get(name)
            value = value[0] if isinstance(value, list | tuple) else value
            if isinstance(value, _numbers.Number):
                self._writer.add_scalar(tag=f"{mode}/{name}", step=step, value=value)

    def on_train_begin(self, logs: Any = None) -> None:
        """Opens the log; warns if it will write none."""
        try:
            self._writer = _importlib.import_module("visualdl").LogWriter(self.log_dir)
        except ImportError:
            _warn_once(
                f"VisualDL(log_dir={self.log_dir!r}): the library visualdl is not installed: nothing is "
                "written. pip install visualdl",
            )

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Notes the epoch."""
        self._epoch = epoch

    def on_train_batch_end(self, step: int, logs: Any = None) -> None:
        """Writes."""
        self._step += 1
        self._write("train", self.params.get("metrics", ()), self._step, logs or {})

    def on_eval_end(self, logs: Any = None) -> None:
        """Writes."""
        self._write("eval", self.params.get("metrics", ()), self._epoch, logs or {})

    def on_train_end(self, logs: Any = None) -> None:
        """Closes the log."""
        if self._writer is not None:
            self._writer.close()


__getattr__, __dir__, __all__ = _namespace("paddle.callbacks", globals())
