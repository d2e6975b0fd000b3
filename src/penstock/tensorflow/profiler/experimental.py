"""tf.profiler.experimental: the profiler starts and stops, and writes no files."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import errors as _errors
from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.source_site import warn as _warn

_running: list[Any] = []


def start(logdir: Any, options: Any = None) -> None:
    """Counts as started, and says that nothing is written.

    `options` does nothing: there is no trace to be written. Raises AlreadyExistsError if it runs already.
    """
    if _running:
        raise _errors.AlreadyExistsError(None, None, "Another profiler is running.")
    _running.append(logdir)
    _warn(
        f"tf.profiler: penstock.tensorflow takes no profile, and writes nothing to {logdir!r}. "
        "penstock.ledger shows what a step records, and Python's cProfile where time goes."
    )


def stop(save: bool = True) -> None:
    """Counts as stopped; raises UnavailableError if it does not run.

    `save` does nothing: there is no file.
    """
    if not _running:
        raise _errors.UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
    _running.clear()


class Profile:
    """Is a context in which the profiler runs. `options` does nothing: there is no trace to be written."""

    def __init__(self, logdir: Any, options: Any = None) -> None:
        self._logdir = logdir

    def __enter__(self) -> None:
        start(self._logdir)

    def __exit__(self, *error: object) -> None:
        stop()


class Trace:
    """Is a context that a profile would name. The arguments do nothing: there is no profile."""

    def __init__(self, name: str, **options: Any) -> None:
        self.name = name

    def set_metadata(self, **options: Any) -> None:
        """Does nothing: there is no profile."""

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *error: object) -> None:
        pass


class ProfilerOptions:
    """The settings of a profile. The arguments do nothing: there is no profile."""

    def __init__(self, **options: Any) -> None:
        self.options = options


__getattr__, __dir__, __all__ = _namespace("tf.profiler.experimental", globals())
