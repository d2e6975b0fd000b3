"""Graphs of objects, as `tf.train.Checkpoint` finds them: those of a program, and those in a file."""

from __future__ import annotations

import os
from typing import Any

from penstock.declared import named
from penstock.tensorflow import _checkpoints as checkpoints
from penstock.tensorflow import _object_graph as graphs
from penstock.tensorflow._errors import ArgumentError
from penstock.trace.source_site import here


@named("tf.train.TrackableView")
class TrackableView:
    """The objects below one, by the names that lead to them.

    >>> from penstock import tensorflow as tf
    >>> module = tf.Module()
    >>> module.weight = tf.Variable(2.0)
    >>> list(tf.train.TrackableView(module).children(module))
    ['weight']
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        """The first object."""
        return self._root

    @classmethod
    def children(cls, obj: Any, save_type: Any = None) -> dict[str, Any]:
        """Returns the objects that an object holds, by name. `save_type` does nothing."""
        return dict(graphs.parts_of(obj))

    def descendants(self) -> list[Any]:
        """Returns the object and all objects below it, the nearest first."""
        return [node.thing for node in graphs.graph_of(self._root)]


@named("tf.train.CheckpointView")
class CheckpointView:
    """The objects that a checkpoint holds, by number; 0 is the one that was saved.

    Raises NotFoundError if there is no such file.

    >>> import tempfile
    >>> from penstock import tensorflow as tf
    >>> path = tf.train.Checkpoint(step=tf.Variable(3)).write(tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.CheckpointView(path).children(0)
    {'step': 1}
    """

    def __init__(self, save_path: Any, options: Any = None) -> None:
        path = os.fspath(save_path)
        checkpoints.read(path)
        rows = checkpoints.graph(path)
        if rows is None:
            raise ArgumentError(
                f"{path!r} holds arrays by name, and no graph of objects.",
                why="A Saver of TensorFlow 1 has written it.",
                remedy="Read it with tf.train.load_checkpoint(path).",
                site=here(),
            )
        self._rows = rows

    def children(self, node_id: int) -> dict[str, int]:
        """Returns the numbers of the objects that an object holds, by name."""
        return dict(self._rows[int(node_id)]["parts"])

    def descendants(self) -> list[int]:
        """Returns the numbers of all objects, the nearest first."""
        found = [0]
        for number in found:  # The list grows meanwhile.
            found.extend(one for one in self._rows[number]["parts"].values() if one not in found)
        return found

    def match(self, obj: Any) -> dict[int, Any]:
        """Returns by number the objects of a program that a checkpoint of `obj` would restore."""
        pairs = graphs.corresponding(self._rows, graphs.graph_of(obj))
        return {number: node.thing for number, node in pairs}

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """Returns what `match` does, the numbers that are left, and the objects that are left."""
        found = self.match(obj)
        held = {id(one) for one in found.values()}
        return (
            found,
            [one for one in self.descendants() if one not in found],
            [one for one in TrackableView(obj).descendants() if id(one) not in held],
        )


__all__ = ["CheckpointView", "TrackableView"]
