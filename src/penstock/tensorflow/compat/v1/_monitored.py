"""Sessions of TensorFlow 1 that start, save and end by themselves, and call hooks."""

from __future__ import annotations

import os
from typing import Any

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
from penstock.tensorflow.compat.v1._session_hooks import (
    CheckpointSaverHook,
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
)


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
                scaffold.init_fn(scaffold, session)
        session.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
        return session


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
