"""Hooks of TensorFlow 1: what a monitored session calls before and after each of its runs."""

from __future__ import annotations

import os
import time
from collections import namedtuple
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow._graphs.graph import GraphKeys, mode
from penstock.tensorflow.compat.v1 import logging

SessionRunArgs: Any = named("tf.compat.v1.train.SessionRunArgs")(
    namedtuple("SessionRunArgs", "fetches feed_dict options", defaults=(None, None))
)
SessionRunValues: Any = named("tf.compat.v1.train.SessionRunValues")(
    namedtuple("SessionRunValues", "results options run_metadata", defaults=(None, None))
)


@named("tf.compat.v1.train.SessionRunContext")
class SessionRunContext:
    """What a hook sees of a run: what is asked for, and the session; it may ask to stop."""

    def __init__(self, original_args: Any, session: Any) -> None:
        self.original_args, self.session = original_args, session
        self.stop_requested = False

    def request_stop(self) -> None:
        """Asks to make no further run."""
        self.stop_requested = True


@named("tf.compat.v1.train.SessionRunHook")
class SessionRunHook:
    """Called before and after the runs of a monitored session."""

    def begin(self) -> None:
        """Called before the session is made, when operations may still be added."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called with the new session."""

    def before_run(self, run_context: Any) -> Any:
        """Returns what else is to be fetched, as SessionRunArgs, or None."""
        return None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called with what was fetched for this hook."""

    def end(self, session: Any) -> None:
        """Called after the last run."""


def _step() -> Any:
    """Returns the variable that counts steps; raises RuntimeError if there is none."""
    found = mode.default().get_collection(GraphKeys.GLOBAL_STEP)
    if not found:
        raise RuntimeError(
            "Global step should be created to use this hook: write tf.train.get_or_create_global_step()."
        )
    return found[0]


@named("tf.compat.v1.train.StopAtStepHook")
class StopAtStepHook(SessionRunHook):
    """Asks to stop after so many steps, or at the last one."""

    def __init__(self, num_steps: Any = None, last_step: Any = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise ValueError("One of num_steps or last_step must be specified.")
        self._steps, self._last = num_steps, last_step

    def begin(self) -> None:
        """Finds the variable that counts steps."""
        self._counter = _step()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Notes at which step to stop."""
        if self._last is None:
            self._last = int(session.run(self._counter)) + self._steps

    def before_run(self, run_context: Any) -> Any:
        """Asks for the number of the step."""
        return SessionRunArgs(self._counter)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Asks to stop at the last step."""
        if (
            int(run_values.results) + 1 >= self._last
            and int(run_context.session.run(self._counter)) >= self._last
        ):
            run_context.request_stop()


@named("tf.compat.v1.train.NanLossDuringTrainingError")
class NanLossDuringTrainingError(RuntimeError):
    """The loss is NaN."""

    def __str__(self) -> str:
        return "NaN loss during training."


@named("tf.compat.v1.train.NanTensorHook")
class NanTensorHook(SessionRunHook):
    """Raises an error, or asks to stop, when a loss is NaN."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: Any) -> Any:
        """Asks for the loss."""
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Looks at it."""
        if np.isnan(run_values.results):
            if self._fails:
                raise NanLossDuringTrainingError
            run_context.request_stop()


@named("tf.compat.v1.train.SecondOrStepTimer")
class SecondOrStepTimer:
    """Tells when something is due: every so many steps, or seconds."""

    def __init__(self, every_secs: Any = None, every_steps: Any = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._seconds, self._steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets the last time."""
        self._last_step: Any = None
        self._last_time = 0.0

    def should_trigger_for_step(self, step: int) -> bool:
        """Returns whether it is due."""
        if self._last_step is None:
            return True
        if self._last_step == step:
            return False
        if self._seconds is not None:
            return bool(time.monotonic() >= self._last_time + self._seconds)
        return bool(step >= self._last_step + self._steps)

    def update_last_triggered_step(self, step: int) -> tuple[Any, Any]:
        """Notes that it was done; returns the seconds and the steps since the last time."""
        now, before = time.monotonic(), (self._last_time, self._last_step)
        self._last_time, self._last_step = now, step
        return (None, None) if before[1] is None else (now - before[0], step - before[1])

    def last_triggered_step(self) -> Any:
        """Returns the last step at which it was done."""
        return self._last_step


@named("tf.compat.v1.train.LoggingTensorHook")
class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors every so many runs or seconds, or at the end."""

    def __init__(
        self,
        tensors: Any,
        every_n_iter: Any = None,
        every_n_secs: Any = None,
        at_end: bool = False,
        formatter: Any = None,
    ) -> None:
        if every_n_iter is None and every_n_secs is None and not at_end:
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be provided."
            )
        self._named = isinstance(tensors, dict)
        names = list(tensors)
        self._tensors = dict(tensors) if self._named else {getattr(one, "name", one): one for one in names}
        self._formatter, self._at_end = formatter, at_end
        only_at_end = every_n_iter is None and every_n_secs is None
        self._timer = None if only_at_end else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._runs = 0

    def before_run(self, run_context: Any) -> Any:
        """Asks for the values when they are due."""
        self._due = self._timer is not None and self._timer.should_trigger_for_step(self._runs)
        return SessionRunArgs(self._tensors) if self._due else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs them."""
        if self._due:
            self._log(run_values.results)
        self._runs += 1

    def _log(self, values: Any) -> None:
        seconds = None
        if self._timer is not None:
            seconds, _ = self._timer.update_last_triggered_step(self._runs)
        if self._formatter:
            logging.info(self._formatter(values))
            return
        text = ", ".join(f"{name} = {value}" for name, value in values.items())
        logging.info(text if seconds is None else f"{text} ({seconds:.3f} sec)")

    def end(self, session: Any) -> None:
        """Logs the last values if asked to."""
        if self._at_end:
            self._log(session.run(self._tensors))


@named("tf.compat.v1.train.CheckpointSaverHook")
class CheckpointSaverHook(SessionRunHook):
    """Writes checkpoints every so many steps or seconds, and at the end. `save_graph_def` does nothing."""

    def __init__(
        self,
        checkpoint_dir: Any,
        save_secs: Any = None,
        save_steps: Any = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Any = None,
        save_graph_def: bool = True,
    ) -> None:
        self._path = os.path.join(os.fspath(checkpoint_dir), checkpoint_basename)
        self._saver, self._scaffold = saver, scaffold
        self._listeners = list(listeners or ())
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        """Finds the variable that counts steps."""
        self._counter = _step()
        for one in self._listeners:
            one.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Writes the first checkpoint."""
        self._save(session, int(session.run(self._counter)))

    def before_run(self, run_context: Any) -> Any:
        """Asks for the number of the step."""
        return SessionRunArgs(self._counter)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes a checkpoint where one is due."""
        step = int(run_context.session.run(self._counter))
        if self._timer.should_trigger_for_step(step):
            self._save(run_context.session, step)

    def end(self, session: Any) -> None:
        """Writes the last checkpoint."""
        step = int(session.run(self._counter))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for one in self._listeners:
            one.end(session, step)

    def _save(self, session: Any, step: int) -> None:
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        self._timer.update_last_triggered_step(step)
        for one in self._listeners:
            one.before_save(session, step)
        saver = self._saver or self._scaffold.saver
        saver.save(session, self._path, global_step=step)
        for one in self._listeners:
            one.after_save(session, step)


@named("tf.compat.v1.train.CheckpointSaverListener")
class CheckpointSaverListener:
    """Called when a checkpoint is written."""

    def begin(self) -> None:
        """Called before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> None:
        """Called after a checkpoint is written."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called after the last run."""


@named("tf.compat.v1.train.FinalOpsHook")
class FinalOpsHook(SessionRunHook):
    """Runs some tensors after the last run, and keeps their values."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._wanted, self._fed = final_ops, final_ops_feed_dict
        self.final_ops_values: Any = None

    def end(self, session: Any) -> None:
        """Runs them."""
        if self._wanted is not None:
            self.final_ops_values = session.run(self._wanted, feed_dict=self._fed)


@named("tf.compat.v1.train.FeedFnHook")
class FeedFnHook(SessionRunHook):
    """Feeds what a function returns."""

    def __init__(self, feed_fn: Any) -> None:
        self._function = feed_fn

    def before_run(self, run_context: Any) -> Any:
        """Asks for nothing, and feeds."""
        return SessionRunArgs(fetches=None, feed_dict=self._function())


def _quiet_hook(name: str, purpose: str) -> Any:
    def start(self: Any, *arguments: Any, **options: Any) -> None:
        pass

    made = type(name, (SessionRunHook,), {"__init__": start, "__doc__": purpose, "__module__": __name__})
    return named(f"tf.compat.v1.train.{name}")(made)


SummarySaverHook = _quiet_hook("SummarySaverHook", "Writes nothing: there are no event files.")
StepCounterHook = _quiet_hook("StepCounterHook", "Writes nothing: there are no event files.")
ProfilerHook = _quiet_hook("ProfilerHook", "Writes nothing: `penstock check` reports on a run.")
GlobalStepWaiterHook = _quiet_hook("GlobalStepWaiterHook", "Does not wait: there is one process.")
