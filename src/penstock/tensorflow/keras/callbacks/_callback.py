"""The events that callbacks receive while a model is trained, and the list that sends them."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow.keras._progress import Progbar, say
from penstock.trace.tensor import Cell, Tensor


def plain(logs: Any) -> dict[str, Any]:
    """Returns logs by sorted names, numbers as Python's."""
    found: dict[str, Any] = {}
    for name in sorted(logs or ()):
        value = logs[name]
        if isinstance(value, dict):
            found.update(plain(value))
            continue
        if isinstance(value, Tensor | Cell):
            value = value.numpy()
        with contextlib.suppress(TypeError, ValueError):
            value = float(value)
        found[name] = value
    return found


@named("tf.keras.callbacks.Callback")
class Callback:
    """Receives the events of `fit`, `evaluate` and `predict`; a subclass overrides those it needs.

    `self.model` is the model, `self.params` the settings of the run: "verbose", "epochs" and "steps".

    >>> from penstock import tensorflow as tf
    >>> class Loud(tf.keras.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(epoch, sorted(logs))
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile("sgd", "mse")
    >>> history = model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0, callbacks=[Loud()])
    0 ['loss']
    """

    params: Any = None
    _model: Any = None

    def __init__(self) -> None:
        self.validation_data = None

    @property
    def model(self) -> Any:
        """The model that is trained."""
        return self._model

    def set_params(self, params: dict[str, Any]) -> None:
        """Receives the settings of the run."""
        self.params = params

    def set_model(self, model: Any) -> None:
        """Receives the model."""
        self._model = model

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Comes before a batch in `fit`; an older name of `on_train_batch_begin`."""

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        """Comes after a batch in `fit`; an older name of `on_train_batch_end`."""

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Comes before an epoch."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Comes after an epoch, with the values of losses and metrics."""

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Comes before a batch in `fit`."""
        self.on_batch_begin(batch, logs=logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Comes after a batch in `fit`, with the values of losses and metrics so far."""
        self.on_batch_end(batch, logs=logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Comes before a batch in `evaluate`, and in the validation of `fit`."""

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Comes after a batch in `evaluate`, and in the validation of `fit`."""

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Comes before a batch in `predict`."""

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Comes after a batch in `predict`, with its outputs."""

    def on_train_begin(self, logs: Any = None) -> None:
        """Comes at the start of `fit`."""

    def on_train_end(self, logs: Any = None) -> None:
        """Comes at the end of `fit`, with the logs of the last epoch."""

    def on_test_begin(self, logs: Any = None) -> None:
        """Comes at the start of `evaluate`, and of the validation in `fit`."""

    def on_test_end(self, logs: Any = None) -> None:
        """Comes at the end of `evaluate`, and of the validation in `fit`."""

    def on_predict_begin(self, logs: Any = None) -> None:
        """Comes at the start of `predict`."""

    def on_predict_end(self, logs: Any = None) -> None:
        """Comes at the end of `predict`."""


@named("tf.keras.callbacks.History")
class History(Callback):
    """Keeps the values of losses and metrics in each epoch; `fit` returns one.

    `epoch` lists the epochs, and `history` has for each name the numbers, one an epoch.
    """

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Any = None) -> None:
        """Forgets the epochs before."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Keeps an epoch."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)
        self.model.history = self


@named("tf.keras.callbacks.ProgbarLogger")
class ProgbarLogger(Callback):
    """Shows the progress of each epoch on the terminal; `fit` adds one unless `verbose` is 0."""

    def __init__(self) -> None:
        super().__init__()
        self.verbose, self.epochs = 1, 1
        self.target: int | None = None
        self.seen = 0
        self.progbar: Progbar | None = None
        self._is_fitting = False

    def set_params(self, params: dict[str, Any]) -> None:
        """Receives the settings, which say how much to print."""
        self.params = params
        verbose = params.get("verbose", 1)
        self.verbose = 1 if verbose == "auto" else int(verbose)
        self.epochs, self.target = params.get("epochs", 1), params.get("steps")

    def _begin(self) -> Progbar:
        self.seen = 0
        self.progbar = Progbar(self.target, verbose=self.verbose, stateless_metrics=())
        return self.progbar

    def _end(self, logs: Any) -> None:
        bar = self.progbar or self._begin()
        if self.target is None:
            bar.target = self.target = self.seen
        bar.update(self.target, list((logs or {}).items()), finalize=True)

    def wants_logs(self) -> bool:
        """Returns whether the bar will be drawn after the present batch."""
        return self.progbar is not None and self.progbar.is_due

    def _step(self, batch: int, logs: Any) -> None:
        self.seen = batch + 1
        bar = self.progbar or self._begin()
        if self.verbose == 1:
            bar.update(self.seen, list((logs or {}).items()), finalize=False)

    def on_train_begin(self, logs: Any = None) -> None:
        """Is silent in validations from now on."""
        self._is_fitting = True

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Begins a bar."""
        self._begin()
        if self.verbose and self.epochs > 1:
            say(f"Epoch {epoch + 1}/{self.epochs}")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Fills the bar."""
        self._end(logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Moves the bar."""
        self._step(batch, logs)

    def on_test_begin(self, logs: Any = None) -> None:
        """Begins a bar, outside of `fit`."""
        if not self._is_fitting:
            self._begin()

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """Moves the bar, outside of `fit`."""
        if not self._is_fitting:
            self._step(batch, logs)

    def on_test_end(self, logs: Any = None) -> None:
        """Fills the bar, outside of `fit`."""
        if not self._is_fitting:
            self._end(logs)

    def on_predict_begin(self, logs: Any = None) -> None:
        """Begins a bar."""
        self._begin()

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """Moves the bar."""
        self._step(batch, None)

    def on_predict_end(self, logs: Any = None) -> None:
        """Fills the bar."""
        self._end(logs)


@named("tf.keras.callbacks.LambdaCallback")
class LambdaCallback(Callback):
    """A callback of functions: `LambdaCallback(on_epoch_end=lambda epoch, logs: print(logs["loss"]))`.

    >>> from penstock import tensorflow as tf
    >>> heard = []
    >>> callback = tf.keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: heard.append(epoch))
    >>> callback.on_epoch_begin(3, None)
    >>> heard
    [3]
    """

    def __init__(
        self, on_epoch_begin: Any = None, on_epoch_end: Any = None, on_train_begin: Any = None,
        on_train_end: Any = None, on_train_batch_begin: Any = None, on_train_batch_end: Any = None,
        **more: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        given = {
            "on_epoch_begin": on_epoch_begin, "on_epoch_end": on_epoch_end, "on_train_begin": on_train_begin,
            "on_train_end": on_train_end, "on_train_batch_begin": on_train_batch_begin,
            "on_train_batch_end": on_train_batch_end, **more,
        }  # fmt: skip
        for name, function in given.items():
            if function is not None:
                setattr(self, name, function)


def hears(callback: Any, *names: str) -> bool:
    """Returns whether a callback overrides one of these methods."""
    return any(
        name in vars(callback) or getattr(type(callback), name, None) is not getattr(Callback, name)
        for name in names
    )


@named("tf.keras.callbacks.CallbackList")
class CallbackList(Callback):
    """Callbacks that all receive the same events, one after another.

    >>> from penstock import tensorflow as tf
    >>> callbacks = tf.keras.callbacks.CallbackList([], add_history=True)
    >>> [type(one).__name__ for one in callbacks.callbacks]
    ['History']
    """

    def __init__(
        self, callbacks: Any = None, add_history: bool = False, add_progbar: bool = False, model: Any = None,
        **params: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.callbacks: list[Any] = list(_flat(callbacks))
        history = next((one for one in self.callbacks if isinstance(one, History)), None)
        progress = next((one for one in self.callbacks if isinstance(one, ProgbarLogger)), None)
        if history is None and add_history:
            history = History()
            self.callbacks.append(history)
        if progress is None and add_progbar:
            progress = ProgbarLogger()
            self.callbacks.append(progress)
        self._history, self._progress = history, progress
        self._hearing = {
            kind: any(
                hears(one, *names) for one in self.callbacks if type(one) not in (ProgbarLogger, History)
            )
            for kind, names in (
                ("train", ("on_train_batch_end", "on_batch_end")), ("test", ("on_test_batch_end",)),
            )
        }  # fmt: skip
        if model is not None:
            self.set_model(model)
        self.set_params(params)

    def append(self, callback: Any) -> None:
        """Adds a callback."""
        self.callbacks.append(callback)

    def wants_logs(self, kind: str) -> bool:
        """Returns whether a callback receives the values of each batch, in "train" or "test"."""
        return self._hearing[kind]

    def shows_now(self) -> bool:
        """Returns whether the progress bar will be drawn after the present batch."""
        return self._progress is not None and self._progress.wants_logs()

    def set_params(self, params: dict[str, Any]) -> None:
        """Passes the settings of the run to all."""
        self.params = params
        if params:
            for one in self.callbacks:
                one.set_params(params)

    def set_model(self, model: Any) -> None:
        """Tells all the model."""
        self._model = model
        if self._history is not None:
            model.history = self._history
        for one in self.callbacks:
            one.set_model(model)


def _flat(callbacks: Any) -> Any:
    if isinstance(callbacks, list | tuple):
        for one in callbacks:
            yield from _flat(one)
    elif callbacks is not None:
        yield callbacks


def _told(name: str) -> Any:
    numbered = "batch" in name or "epoch" in name

    def tell(self: CallbackList, *arguments: Any, **options: Any) -> None:
        logs = options.get("logs", arguments[1] if numbered and len(arguments) > 1 else None)
        if not numbered:
            logs = options.get("logs", arguments[0] if arguments else None)
        logs = plain(logs)
        for one in self.callbacks:
            if numbered:
                getattr(one, name)(arguments[0], logs)
            else:
                getattr(one, name)(logs)

    tell.__name__ = tell.__qualname__ = name
    tell.__doc__ = f"Tells all, by their `{name}`."
    return tell


for _name in list(vars(Callback)):
    if _name.startswith("on_"):
        setattr(CallbackList, _name, _told(_name))


def number(value: Any) -> float:
    """Returns a learning rate, or the value of a metric, as Python's number."""
    return float(np.asarray(value.numpy() if isinstance(value, Tensor | Cell) else value))
