"""tf.train.Coordinator: threads that stop together; and names about clusters, which do not exist here."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from penstock.declared import named
from penstock.tensorflow._errors import ArgumentError, OutOfRangeError
from penstock.trace.source_site import here


@named("tf.train.Coordinator")
class Coordinator:
    """Lets threads stop together: one requests it, and the others check for the request.

    >>> from penstock import tensorflow as tf
    >>> together = tf.train.Coordinator()
    >>> together.request_stop()
    >>> together.should_stop()
    True
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        self._clean = tuple(clean_stop_exception_types or (OutOfRangeError,))
        self._stop = threading.Event()
        self._error: Any = None
        self._threads: list[Any] = []
        self._lock = threading.Lock()
        self.joined = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to stop; an exception is raised again by `join`."""
        with self._lock:
            if isinstance(ex, tuple):
                ex = ex[1]
            if ex is not None and self._error is None and not isinstance(ex, self._clean):
                self._error = ex
            self._stop.set()

    def clear_stop(self) -> None:
        """Clears the request."""
        with self._lock:
            self._stop.clear()
            self._error, self.joined = None, False

    def should_stop(self) -> bool:
        """Returns whether a stop was requested."""
        return self._stop.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """Asks to stop where the block raises an exception."""
        try:
            yield
        except Exception:
            self.request_stop(ex=sys.exc_info()[1])

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits for a request to stop; returns whether there was one."""
        return self._stop.wait(timeout)

    def register_thread(self, thread: Any) -> None:
        """Adds a thread to wait for."""
        self._threads.append(thread)

    def join(
        self, threads: Any = None, stop_grace_period_secs: float = 120, ignore_live_threads: bool = False
    ) -> None:
        """Waits for the threads; raises the exception that one of them stopped for."""
        waiting = [*self._threads, *(threads or [])]
        end = None
        while any(one.is_alive() for one in waiting):
            if self._stop.is_set():
                end = time.monotonic() + stop_grace_period_secs if end is None else end
                if time.monotonic() > end:
                    break
            time.sleep(0.005)
        self.joined = True
        self._threads.clear()
        if self._error is not None:
            raise self._error
        alive = [one.name for one in waiting if one.is_alive()]
        if alive and not ignore_live_threads:
            raise RuntimeError(f"Coordinator stopped with threads still running: {' '.join(alive)}")

    def raise_requested_exception(self) -> None:
        """Raises the exception that a thread stopped for, if there is one."""
        if self._error is not None:
            raise self._error


def _refused(name: str) -> Any:
    def refuse(self: Any, *arguments: Any, **options: Any) -> None:
        raise ArgumentError(
            f"{name}: penstock.tensorflow runs in one process ({len(arguments) + len(options)} arguments "
            f"not read).",
            remedy="Leave the cluster out; penstock.distribution spreads a step over devices.",
            site=here(),
        )

    return type(name, (), {"__init__": refuse, "__doc__": "Not there: everything runs in one process."})


ClusterDef, ClusterSpec, Server = (
    named(f"tf.train.{name}")(_refused(name)) for name in ("ClusterDef", "ClusterSpec", "Server")
)
