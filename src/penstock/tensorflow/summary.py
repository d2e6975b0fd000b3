"""tf.summary: programs that write summaries run; nothing is written, and a warning says so."""

from __future__ import annotations

import warnings as _warnings
from typing import Any

from penstock.tensorflow._names import absent as _absent


class _Writer:
    """What `create_file_writer` returns: a context in which nothing is written."""

    def as_default(self, step: Any = None) -> _Writer:
        """Returns itself."""
        return self

    set_as_default = as_default

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *exception: object) -> None:
        return None

    def flush(self) -> None:
        """Does nothing."""

    close = init = flush


def create_file_writer(logdir: Any, *arguments: Any, **options: Any) -> _Writer:
    """Returns a writer that writes nothing: Penstock has no event files. `ps.ledger` keeps what moved."""
    _warnings.warn(
        f"tf.summary.create_file_writer({logdir!r}): penstock.tensorflow writes no event files.", stacklevel=2
    )
    return _Writer()


def create_noop_writer() -> _Writer:
    """Returns a writer that writes nothing."""
    return _Writer()


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


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.summary", name, __all__)


__all__ = [
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "flush",
    "histogram",
    "image",
    "scalar",
    "should_record_summaries",
    "text",
    "write",
]
