"""Sessions of TensorFlow 1 that start, save and end by themselves, and the hooks that they call."""

from __future__ import annotations

import contextlib
import os
import time
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _checkpoints as checkpoints
from penstock.tensorflow._coordinator import Coordinator
from penstock.tensorflow._errors import OutOfRangeError
from penstock.tensorflow._graphs.functions import (
    global_variables_initializer,
    group,
    local_variables_initializer,
)
from penstock.tensorflow._graphs.graph import GraphKeys, mode
from penstock.tensorflow._graphs.saver import Saver
from penstock.tensorflow._session import Session
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


@named("tf.compat.v1.train.Scaffold")
class Scaffold:
    """How a session starts: what it runs first, and the saver of its variables.

    `ready_op`, `ready_for_local_init_op` and `summary_op` do nothing.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        other = copy_from_scaffold
        self.init_op = init_op or getattr(other, "init_op", None)
        self.init_feed_dict = init_feed_dict or getattr(other, "init_feed_dict", None)
        self.init_fn = init_fn or getattr(other, "init_fn", None)
        self.local_init_op = local_init_op or getattr(other, "local_init_op", None)
        self.local_init_feed_dict = local_init_feed_dict
        self.saver = saver or getattr(other, "saver", None)
        self.summary_op = summary_op

    def finalize(self) -> Scaffold:
        """Adds what is missing to the graph, which is finalized; returns the scaffold."""
        if self.init_op is None:
            self.init_op = _once(GraphKeys.INIT_OP, lambda: group(global_variables_initializer()))
        if self.local_init_op is None:
            self.local_init_op = _once("local_init_op", lambda: group(local_variables_initializer()))
        if self.saver is None and mode.default().get_collection(GraphKeys.GLOBAL_VARIABLES):
            self.saver = _once("savers", Saver)
        mode.default().finalize()
        return self


def _once(collection: str, make: Any) -> Any:
    """Returns what is in a collection of the default graph, or makes it."""
    graph = mode.default()
    if not graph.get_collection(collection):
        graph.add_to_collection(collection, make())
    return graph.get_collection(collection)[0]


class _Creator:
    """Makes the session of a monitored one.

    `master`, `config` and `max_wait_secs` do nothing: there is one process.
    """

    def __init__(
        self,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
        max_wait_secs: Any = None,
    ) -> None:
        self._scaffold = scaffold or Scaffold()
        self._folder, self._file = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Session:
        """Returns a session that has started, from the latest checkpoint if there is one."""
        scaffold = self._scaffold.finalize()
        session = Session()
        path = self._file or (
            checkpoints.latest_checkpoint(os.fspath(self._folder)) if self._folder is not None else None
        )
        if path is not None and scaffold.saver is not None:
            scaffold.saver.restore(session, path)
        else:
            session.run(scaffold.init_op, feed_dict=scaffold.init_feed_dict)
            if scaffold.init_fn is not None:
                _called(scaffold.init_fn, scaffold, session)
        session.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
        return session


def _called(function: Any, scaffold: Scaffold, session: Session) -> None:
    try:
        function(scaffold, session)
    except TypeError:
        function(session)


@named("tf.compat.v1.train.SessionCreator", "tf.compat.v1.train.ChiefSessionCreator")
class ChiefSessionCreator(_Creator):
    """Makes the session of a monitored one, from the latest checkpoint of a folder if there is one."""


@named("tf.compat.v1.train.WorkerSessionCreator")
class WorkerSessionCreator(_Creator):
    """Makes the session of a monitored one; there is one process, so it waits for no other."""


@named("tf.compat.v1.train.MonitoredSession", "tf.compat.v1.train.SingularMonitoredSession")
class MonitoredSession:
    """A session that starts by itself and calls hooks; the end of the data ends it without an error.

    `stop_grace_period_secs` does nothing.
    """

    def __init__(
        self,
        session_creator: Any = None,
        hooks: Any = None,
        stop_grace_period_secs: Any = 120,
        scaffold: Any = None,
        checkpoint_dir: Any = None,
        **options: Any,
    ) -> None:
        if isinstance(session_creator, list | tuple):
            # What a SingularMonitoredSession is given first.
            session_creator, hooks = None, session_creator
        self._hooks = list(hooks or ())
        for one in self._hooks:
            one.begin()
        creator = session_creator or ChiefSessionCreator(scaffold, checkpoint_dir=checkpoint_dir)
        self._coordinator = Coordinator()
        self._session: Any = creator.create_session()
        self._scope: Any = None
        self._stopped = False
        for one in self._hooks:
            one.after_create_session(self._session, self._coordinator)

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._session.graph

    def raw_session(self) -> Any:
        """Returns the session without hooks."""
        return self._session

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Returns the values of the fetches, and calls the hooks before and after."""
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict, options), self._session)
        asked: dict[Any, Any] = {"caller": fetches}
        fed = dict(feed_dict or {})
        for number, one in enumerate(self._hooks):
            wanted = one.before_run(context)
            if wanted is None:
                continue
            if wanted.fetches is not None:
                asked[str(number)] = wanted.fetches
            fed.update(wanted.feed_dict or {})
        values = self._session.run(asked, feed_dict=fed or None)
        for number, one in enumerate(self._hooks):
            one.after_run(context, SessionRunValues(values.get(str(number)), options, run_metadata))
        self._stopped = self._stopped or context.stop_requested
        return values["caller"]

    def run_step_fn(self, step_fn: Any) -> Any:
        """Returns what a function of a context with `session` and `run_with_hooks` returns."""
        context = _StepContext(self)
        return step_fn(context)

    def should_stop(self) -> bool:
        """Returns whether a hook has asked to stop, or the session is closed."""
        return self._session is None or self._stopped

    def close(self) -> None:
        """Calls the hooks for the last time, and gives up the values."""
        if self._session is None:
            return
        try:
            for one in self._hooks:
                one.end(self._session)
        finally:
            self._session.close()
            self._session = None

    def __enter__(self) -> MonitoredSession:
        self._scope = self._session.as_default()
        self._scope.__enter__()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        ended = kind is not None and issubclass(kind, OutOfRangeError | StopIteration)
        try:
            if kind is None or ended:
                self.close()
        finally:
            self._scope.__exit__(None, None, None)
        return ended


class _StepContext:
    """What a step function sees."""

    def __init__(self, monitored: MonitoredSession) -> None:
        self.session, self.run_with_hooks = monitored._session, monitored.run
        self._monitored = monitored

    def request_stop(self) -> None:
        """Asks to make no further run."""
        self._monitored._stopped = True


SingularMonitoredSession = MonitoredSession
_UNSET = object()


@named("tf.compat.v1.train.MonitoredTrainingSession")
def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Any = None,
    scaffold: Any = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = _UNSET,
    save_summaries_steps: Any = _UNSET,
    save_summaries_secs: Any = _UNSET,
    config: Any = None,
    stop_grace_period_secs: Any = 120,
    log_step_count_steps: Any = 100,
    max_wait_secs: Any = 7200,
    save_checkpoint_steps: Any = _UNSET,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Returns a session that starts by itself, saves to a folder if one is given, and calls hooks.

    `master`, `save_summaries_steps`, `save_summaries_secs`, `config`, `stop_grace_period_secs`,
    `log_step_count_steps`, `max_wait_secs`, `summary_dir` and `save_graph_def` do nothing: there is one
    process, and there are no event files.
    """
    scaffold = scaffold or Scaffold()
    every = list(hooks or ()) + (list(chief_only_hooks or ()) if is_chief else [])
    if checkpoint_dir is not None and is_chief:
        steps = None if save_checkpoint_steps is _UNSET else save_checkpoint_steps
        seconds = None if save_checkpoint_secs is _UNSET else save_checkpoint_secs
        if save_checkpoint_steps is _UNSET and save_checkpoint_secs is _UNSET:
            seconds = 600
        if steps or seconds:
            every.append(
                CheckpointSaverHook(checkpoint_dir, seconds or None, steps or None, scaffold=scaffold)
            )
    return MonitoredSession(ChiefSessionCreator(scaffold, checkpoint_dir=checkpoint_dir), every)


@named("tf.compat.v1.train.Supervisor")
class Supervisor:
    """Starts a session from the latest checkpoint of a folder, and writes one at the end.

    `ready_op`, `ready_for_local_init_op`, `save_summaries_secs`, `save_model_secs`, `recovery_wait_secs`,
    `stop_grace_secs`, `session_manager`, `summary_writer` and `local_init_run_options` do nothing: there is
    one process, and there are no event files.
    """

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = 0,
        ready_for_local_init_op: Any = 0,
        is_chief: bool = True,
        init_op: Any = 0,
        init_feed_dict: Any = None,
        local_init_op: Any = 0,
        logdir: Any = None,
        summary_op: Any = 0,
        saver: Any = 0,
        global_step: Any = 0,
        save_summaries_secs: Any = 120,
        save_model_secs: Any = 600,
        recovery_wait_secs: Any = 30,
        stop_grace_secs: Any = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: Any = None,
        summary_writer: Any = 0,
        init_fn: Any = None,
        local_init_run_options: Any = None,
    ) -> None:
        graph = graph or mode.default()
        with graph.as_default():
            variables = graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
            self.saver = (Saver() if variables else None) if saver == 0 else saver
            self._init = global_variables_initializer() if init_op == 0 else init_op
            self._local = local_variables_initializer() if local_init_op == 0 else local_init_op
            steps = graph.get_collection(GraphKeys.GLOBAL_STEP)
            self.global_step = (steps[0] if steps else None) if global_step == 0 else global_step
        self.graph, self._fed, self._function = graph, init_feed_dict, init_fn
        self._folder, self._name = logdir, checkpoint_basename
        self.is_chief, self.summary_op = is_chief, None if summary_op == 0 else summary_op
        self.coord = Coordinator()
        graph.finalize()

    @property
    def save_path(self) -> Any:
        """Where checkpoints are written; None without a folder."""
        return None if self._folder is None else os.path.join(os.fspath(self._folder), self._name)

    def prepare_or_wait_for_session(self, master: str = "", config: Any = None, **options: Any) -> Session:
        """Returns a session that has started. `master` and `config` do nothing."""
        session = Session(graph=self.graph)
        path = None
        if self._folder is not None:
            os.makedirs(os.fspath(self._folder), exist_ok=True)
            path = checkpoints.latest_checkpoint(os.fspath(self._folder))
        if path is not None and self.saver is not None:
            self.saver.restore(session, path)
        else:
            if self._init is not None:
                session.run(self._init, feed_dict=self._fed)
            if self._function is not None:
                self._function(session)
        if self._local is not None:
            session.run(self._local)
        return session

    PrepareSession = prepare_or_wait_for_session

    @contextlib.contextmanager
    def managed_session(self, master: str = "", config: Any = None, **options: Any) -> Iterator[Session]:
        """A session that has started, and whose variables are saved at the end."""
        session = self.prepare_or_wait_for_session(master, config)
        try:
            with session.as_default():
                yield session
        except OutOfRangeError:
            pass
        finally:
            if self.saver is not None and self.save_path is not None and self.is_chief:
                self.saver.save(session, self.save_path, global_step=self.global_step)
            self.stop()
            session.close()

    def should_stop(self) -> bool:
        """Returns whether a stop was requested."""
        return self.coord.should_stop()

    ShouldStop = should_stop

    def request_stop(self, ex: Any = None) -> None:
        """Asks to stop."""
        self.coord.request_stop(ex)

    RequestStop = request_stop

    def stop(self, threads: Any = None, close_summary_writer: bool = True, **options: Any) -> None:
        """Asks to stop. `threads` and `close_summary_writer` do nothing."""
        self.coord.request_stop()

    Stop = stop

    def start_queue_runners(self, sess: Any, queue_runners: Any = None) -> list[Any]:
        """Returns no threads: a session fills queues itself. `sess` and `queue_runners` do nothing."""
        return []

    StartQueueRunners = start_queue_runners

    def start_standard_services(self, sess: Any) -> list[Any]:
        """Returns no threads: nothing is written while the program runs. `sess` does nothing."""
        return []

    def summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Does nothing: there are no event files."""

    SummaryComputed = summary_computed
