"""Callbacks for the trainers of other packages: they watch the first steps of a run."""

from __future__ import annotations

import importlib
from typing import Any

from penstock.errors import PenstockError
from penstock.frameworks.places import here as user_here
from penstock.trace.source_site import here
from penstock.watching import Watch

STEPS = 8
"""The default number of watched steps."""


class FirstSteps:
    """A watch over the first steps of a run: `begin` opens it, `follow` ends it after enough updates.

    `report` is the watch, complete when it has ended. With `fail`, findings that need mending end the run.
    `framework` is the one in which it runs.
    """

    def __init__(self, steps: int = STEPS, fail: bool = False, framework: str = "torch") -> None:
        if type(steps) is not int or steps < 1:
            raise PenstockError(
                f"A callback was given steps={steps!r}.",
                remedy="Give a whole number of at least 1.",
                site=here(),
            )
        self.steps, self.fail, self.framework = steps, fail, framework
        self.report: Watch | None = None
        self._open = False
        self._begun = 0

    def begin(self, updates: int, model: Any, optimizers: Any) -> None:
        """Opens the watch, after this many updates of a resumed run; ends that of a run that has failed."""
        self.end(speak=False, error=RuntimeError("The run before this one did not reach its end."))
        given = {"model": model, "optimizer": optimizers}
        given = {name: one for name, one in given.items() if one is not None}
        self.report = Watch(given, self.framework, self.steps, user_here())
        self.report.__enter__()
        self._open, self._begun = True, updates

    def follow(self, updates: int, speak: bool = True) -> None:
        """Ends the watch if it has seen enough."""
        if self._open and updates - self._begun >= self.steps:
            self.end(speak)

    def end(self, speak: bool = True, error: BaseException | None = None) -> None:
        """Ends the watch, prints the report if `speak` is true, and raises for findings if `fail` is true."""
        if not self._open or self.report is None:
            return
        self._open = False
        self.report.__exit__(type(error) if error is not None else None, error, None)
        if speak:
            print(self.report)
        if self.fail and error is None and self.report.status:
            found = ", ".join(dict.fromkeys(one.code for one in self.report.findings))
            raise PenstockError(
                f"Training stopped after {self.report.steps} steps: the report on them has {found}.",
                remedy="Fix what the report shows, or omit fail=True to continue training.",
                site=self.report.site,
            )


def for_lightning(steps: int = STEPS, fail: bool = False) -> Any:
    """Returns a callback for the Trainer of Lightning that watches the first steps and prints the report.

    `Trainer(callbacks=[penstock.callbacks.for_lightning(steps=8, fail=True)])`. With `fail`, training stops
    with a PenstockError after these steps if the report has more than notes. The callback's `first.report` is
    the report of `ps.watch`. Raises PenstockError if neither `lightning` nor `pytorch_lightning` is
    installed.

    >>> from penstock import callbacks
    >>> callbacks.FirstSteps(steps=3).steps
    3
    """
    base = _class("Callback", "lightning.pytorch", "pytorch_lightning")
    first = FirstSteps(steps, fail)

    def begin(_self: Any, trainer: Any, module: Any) -> None:
        first.begin(trainer.global_step, module, trainer.optimizers)

    def follow(_self: Any, trainer: Any, _module: Any, *_batch: Any) -> None:
        first.follow(trainer.global_step, trainer.is_global_zero)

    def end(_self: Any, trainer: Any, _module: Any) -> None:
        first.end(trainer.is_global_zero)

    def fail_too(_self: Any, trainer: Any, _module: Any, error: BaseException) -> None:
        first.end(trainer.is_global_zero, error)

    hooks = {
        "on_train_start": begin,
        "on_train_batch_end": follow,
        "on_train_end": end,
        "on_exception": fail_too,
        "first": first,
    }
    return type("PenstockCallback", (base,), hooks)()


def for_transformers(steps: int = STEPS, fail: bool = False) -> Any:
    """Returns a callback for the Trainer of Hugging Face Transformers, like `for_lightning`.

    `Trainer(..., callbacks=[penstock.callbacks.for_transformers(steps=8, fail=True)])`. The callback's
    `first.report` is the report of `ps.watch`. A run that ends with an exception has no report. Raises
    PenstockError if `transformers` is not installed.

    >>> from penstock import callbacks
    >>> callbacks.FirstSteps(fail=True).fail
    True
    """
    base = _class("TrainerCallback", "transformers")
    first = FirstSteps(steps, fail)

    def begin(_self: Any, _arguments: Any, state: Any, _control: Any, **held: Any) -> None:
        first.begin(state.global_step, held.get("model"), held.get("optimizer"))

    def follow(_self: Any, _arguments: Any, state: Any, _control: Any, **_held: Any) -> None:
        first.follow(state.global_step, state.is_world_process_zero)

    def end(_self: Any, _arguments: Any, state: Any, _control: Any, **_held: Any) -> None:
        first.end(state.is_world_process_zero)

    hooks = {"on_train_begin": begin, "on_step_end": follow, "on_train_end": end, "first": first}
    return type("PenstockCallback", (base,), hooks)()


def for_keras(steps: int = STEPS, fail: bool = False) -> Any:
    """Returns a callback for `fit` of Keras in TensorFlow, like `for_lightning`.

    `model.fit(x, y, callbacks=[penstock.callbacks.for_keras(steps=8, fail=True)])`. The callback's
    `first.report` is the report of `ps.watch`. A run that ends with an exception has no report. If the model
    has been fitted before without being compiled again, its step was traced without a watch: what it writes
    is counted, but nothing is known of its gradients. Raises PenstockError if Keras is not installed, or runs
    on another backend than TensorFlow.

    >>> from penstock import callbacks
    >>> callbacks.FirstSteps(steps=2, framework="tensorflow").framework
    'tensorflow'
    """
    base = _class("Callback", "keras.callbacks", "tf_keras.callbacks")
    if base.__module__.startswith("keras."):
        from penstock.frameworks.tensorflow.backends import require_tensorflow

        require_tensorflow()
    first = FirstSteps(steps, fail, "tensorflow")

    def updates(callback: Any) -> int:
        return int(getattr(callback.model.optimizer, "iterations", 0))

    def begin(callback: Any, *_: Any, **__: Any) -> None:
        first.begin(updates(callback), callback.model, callback.model.optimizer)

    def follow(callback: Any, *_: Any, **__: Any) -> None:
        first.follow(updates(callback))

    def end(_callback: Any, *_: Any, **__: Any) -> None:
        first.end()

    hooks = {"on_train_begin": begin, "on_train_batch_end": follow, "on_train_end": end, "first": first}
    return type("PenstockCallback", (base,), hooks)()


def _class(name: str, *modules: str) -> Any:
    """Returns a class of the first of these modules that is installed."""
    for module in modules:
        try:
            return getattr(importlib.import_module(module), name)
        except ImportError:
            continue
    raise PenstockError(
        f"A callback needs {' or '.join(modules)}, which this Python does not have.",
        remedy="Use the Python environment in which you train.",
        site=here(),
    )


__all__ = ["FirstSteps", "for_keras", "for_lightning", "for_transformers"]
