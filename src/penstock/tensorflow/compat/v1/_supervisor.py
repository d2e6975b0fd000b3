"""The supervisor of TensorFlow 1, which starts a session and saves its variables at the end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from penstock.declared import named
from penstock.tensorflow import _checkpoints as checkpoints
from penstock.tensorflow._coordinator import Coordinator
from penstock.tensorflow._errors import OutOfRangeError
from penstock.tensorflow._graphs.functions import (
    global_variables_initializer,
    local_variables_initializer,
)
from penstock.tensorflow._graphs.graph import GraphKeys, mode
from penstock.tensorflow._graphs.saver import Saver
from penstock.tensorflow._session import Session
from penstock.tensorflow.compat.v1 import summary


@named("tf.compat.v1.train.Supervisor")
class Supervisor:
    """Starts a session from the latest checkpoint of a folder, and writes one at the end.

    `ready_op`, `ready_for_local_init_op`, `save_summaries_secs`, `save_model_secs`, `recovery_wait_secs`,
    `stop_grace_secs`, `session_manager` and `local_init_run_options` do nothing: there is one process, and
    there are no event files. `summary_op` merges all summaries of the graph, and `summary_writer` is one for
    `logdir`, unless they are given.
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
            self.summary_op = summary.merge_all() if summary_op == 0 else summary_op
        self.graph, self._fed, self._function = graph, init_feed_dict, init_fn
        self._folder, self._name = logdir, checkpoint_basename
        self.is_chief, self.coord = is_chief, Coordinator()
        made = summary_writer == 0 and logdir is not None
        self.summary_writer = (
            summary.FileWriter._of_supervisor(os.fspath(logdir)) if made else summary_writer or None
        )
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
