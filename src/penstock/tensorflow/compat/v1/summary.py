"""tf.summary: programs that write summaries run; nothing is written, and a warning says so."""

from __future__ import annotations

import os as _os
import sys as _sys
import warnings as _warnings
from collections.abc import Sequence
from typing import Any

from penstock.tensorflow._graphs.graph import GraphKeys as _GraphKeys
from penstock.tensorflow._graphs.graph import Operation as _Operation
from penstock.tensorflow._graphs.graph import mode as _mode
from penstock.tensorflow._names import namespace as _namespace
from penstock.trace.structure import flat as _flat

_frame = _sys._getframe


def _nothing(runner: Any, operation: _Operation, values: Sequence[Any]) -> None:
    return None


def _summary(kind: str) -> Any:
    def function(name: str, tensor: Any = None, *options: Any, collections: Any = None, **more: Any) -> Any:
        graph = _mode.default()
        operation = graph.add(f"{kind.capitalize()}Summary", name, _nothing, (), _frame(1))
        for one in collections or [_GraphKeys.SUMMARIES]:
            graph.add_to_collection(one, operation)
        return operation

    function.__name__ = function.__qualname__ = kind
    function.__doc__ = f"Returns an operation that stands for a summary ({kind}); it writes nothing."
    return function


scalar, histogram, image, audio, text = map(_summary, ("scalar", "histogram", "image", "audio", "text"))


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Any:
    """Returns an operation that merges several summaries, which run with it."""
    graph = _mode.default()
    with graph.control_dependencies(_flat(inputs)):
        made = graph.add("MergeSummary", name or "Merge/MergeSummary", _nothing, (), _frame(1))
    for one in collections or ():
        graph.add_to_collection(one, made)
    return made


def merge_all(key: Any = _GraphKeys.SUMMARIES, scope: Any = None, name: str | None = None) -> Any:
    """Returns an operation that merges all summaries of the graph; None if there are none."""
    found = _mode.default().get_collection(key, scope)
    return merge(found, name=name) if found else None


class Summary:
    """Values under tags, which a writer is given.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> summary = tf.summary.Summary()
    >>> made = summary.value.add(tag="reward", simple_value=1.5)
    >>> summary.value[0].tag, summary.value[0].simple_value
    ('reward', 1.5)
    """

    class Value:
        """One value under a tag."""

        def __init__(self, **fields: Any) -> None:
            self.tag, self.simple_value = "", 0.0
            self.__dict__.update(fields)

    class Image(Value):
        """A picture as bytes, with its size."""

    class Audio(Value):
        """A sound as bytes."""

    def __init__(self, value: Any = ()) -> None:
        self.value = _Values(value)

    def ParseFromString(self, serialized: Any) -> int:
        """Forgets its values. `serialized` does nothing: what a session gives for summaries is empty here."""
        self.value.clear()
        return 0


class _Values(list[Any]):
    """The values of a summary."""

    def add(self, **fields: Any) -> Summary.Value:
        """Adds a value, and returns it."""
        self.append(Summary.Value(**fields))
        return self[-1]  # type: ignore[no-any-return]


class FileWriter:
    """Writes nothing: Penstock has no event files. `penstock check` reports the changes of a run.

    The folder is made, as programs save into it or beside it. `graph` does nothing: nothing is drawn, as a
    warning says.
    """

    def __init__(self, logdir: str, graph: Any = None, **options: Any) -> None:
        self._logdir = str(logdir)
        _warnings.warn(
            f"tf.summary.FileWriter({logdir!r}): penstock.tensorflow writes no event files.", stacklevel=2
        )
        _os.makedirs(self._logdir, exist_ok=True)

    @classmethod
    def _of_supervisor(cls, logdir: str) -> FileWriter:
        """Returns the writer that a program has not asked for, without a warning."""
        with _warnings.catch_warnings(action="ignore"):
            return cls(logdir)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Does nothing."""

    def add_graph(self, graph: Any, global_step: Any = None) -> None:
        """Does nothing."""

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Does nothing."""

    def add_event(self, event: Any) -> None:
        """Does nothing."""

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Does nothing."""

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Does nothing."""

    def get_logdir(self) -> str:
        """Returns the folder it was made with."""
        return self._logdir

    def reopen(self) -> None:
        """Does nothing."""

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def flush(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


class FileWriterCache:
    """One writer for each folder."""

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """Returns the writer of a folder, which is made at the first call."""
        if logdir not in _cached:
            _cached[logdir] = FileWriter(logdir)
        return _cached[logdir]

    @staticmethod
    def clear() -> None:
        """Forgets all writers."""
        _cached.clear()


_cached: dict[str, FileWriter] = {}


__getattr__, __dir__, __all__ = _namespace("tf.compat.v1.summary", globals())
