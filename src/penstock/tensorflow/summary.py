"""tf.summary: programs that write summaries run; nothing is written, and a warning says so."""

from __future__ import annotations

import contextlib as _contextlib
import os as _os
import warnings as _warnings
from collections.abc import Iterator as _Iterator
from typing import Any

from penstock.tensorflow._names import namespace as _namespace


class SummaryWriter:
    """The result of `create_file_writer`: a context in which nothing is written."""

    def as_default(self, step: Any = None) -> SummaryWriter:
        """Returns itself. `step` does nothing: no event files are written, as a warning says."""
        return self

    set_as_default = as_default

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def flush(self) -> None:
        """Does nothing."""

    close = init = flush


def create_file_writer(logdir: Any, *arguments: Any, **options: Any) -> SummaryWriter:
    """Returns a writer that writes nothing: Penstock has no event files. `ps.ledger` records all moves.

    The folder is made, as programs save into it or beside it. `arguments` does nothing: no event files are
    written, as a warning says.
    """
    _warnings.warn(
        f"tf.summary.create_file_writer({logdir!r}): penstock.tensorflow writes no event files.", stacklevel=2
    )
    _os.makedirs(_folder(logdir), exist_ok=True)
    return SummaryWriter()


def _folder(logdir: Any) -> str:
    """Returns the path of a folder, which may be a tensor."""
    return _os.fsdecode(logdir.numpy() if hasattr(logdir, "numpy") else logdir)


def create_noop_writer() -> SummaryWriter:
    """Returns a writer that writes nothing."""
    return SummaryWriter()


def _summary(kind: str) -> Any:
    def function(name: str, data: Any = None, *arguments: Any, **options: Any) -> bool:
        return False

    function.__name__ = function.__qualname__ = kind
    function.__doc__ = f"Writes no {kind}; returns False, as TensorFlow does without a writer."
    return function


scalar, histogram, image, audio, text, write = map(
    _summary, ("scalar", "histogram", "image", "audio", "text", "write")
)


def flush(writer: Any = None, name: Any = None) -> None:
    """Does nothing."""


def should_record_summaries() -> bool:
    """Returns False."""
    return False


@_contextlib.contextmanager
def record_if(condition: Any) -> _Iterator[None]:
    """Is a context in which nothing is written, for any condition.

    `condition` does nothing: no event files are written.
    """
    yield


def graph(graph_data: Any) -> bool:
    """Draws no graph; returns False, as TensorFlow does without a writer.

    `graph_data` does nothing: no event files are written.
    """
    return False


def trace_on(*arguments: Any, **options: Any) -> None:
    """Does nothing: no graph is drawn and no time is taken. `ps.ledger` records all moves."""


def trace_export(*arguments: Any, **options: Any) -> None:
    """Does nothing: there is no trace to be written."""


def trace_off() -> None:
    """Does nothing."""


_step: list[Any] = [None]


class experimental:
    """tf.summary.experimental: the step of summaries, and names for them."""

    @staticmethod
    def get_step() -> Any:
        """Returns the step that `set_step` was given, None at first."""
        return _step[0]

    @staticmethod
    def set_step(step: Any) -> None:
        """Keeps the step for summaries that are given none."""
        _step[0] = step

    @staticmethod
    @_contextlib.contextmanager
    def summary_scope(
        name: str, default_name: str = "summary", values: Any = None
    ) -> _Iterator[tuple[str, str]]:
        """Gives the tag of a summary, and the scope of its operations. `values` does nothing."""
        title = name or default_name
        yield title, f"{title}/"

    @staticmethod
    def write_raw_pb(tensor: Any, step: Any = None, name: Any = None) -> bool:
        """Writes nothing; returns False, as TensorFlow does without a writer.

        `tensor` and `step` do nothing: no event files are written.
        """
        return False


__getattr__, __dir__, __all__ = _namespace("tf.summary", globals())
