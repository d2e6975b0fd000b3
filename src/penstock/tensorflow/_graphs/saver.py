"""tf.train.Saver: the variables of a session in a file, by name."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _checkpoints as checkpoints
from penstock.tensorflow._errors import ArgumentError, NotFoundError
from penstock.tensorflow._graphs.graph import GraphKeys, default_graph, mode
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell


@named("tf.compat.v1.train.Saver")
class Saver:
    """Keeps the values that variables have in a session in a file, by their names.

    The file is one of safetensors, `path` + ".safetensors": Penstock's own format, which TensorFlow does not
    read, and checkpoints that TensorFlow wrote are not read here. It is written whole or not at all.

    `save_relative_paths` does nothing: paths in the folder of the file are always relative.

    >>> import tempfile
    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     weight = tf.get_variable("weight", initializer=[1.0, 2.0])
    ...     session.run(weight.initializer)
    ...     path = tf.train.Saver().save(session, tempfile.mkdtemp() + "/model", global_step=5)
    ...     print(path.endswith("model-5"), tf.train.list_variables(path))
    True [('weight', [2])]
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: Any = None,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: Any = None,
    ) -> None:
        if var_list is None and not defer_build and not allow_empty and not _every():
            raise ArgumentError("No variables to save", site=here())
        if saver_def is not None or builder is not None or filename is not None:
            raise ArgumentError("Saver: saver_def, builder and filename are not taken.", site=here())
        self._given, self._reshape = var_list, reshape
        self._max, self._hours, self._padded = max_to_keep, keep_checkpoint_every_n_hours, pad_step_number
        self._kept: list[tuple[str, float]] = []
        self._for_good = time.time()
        if var_list is None and not defer_build:
            # As in TensorFlow, variables that are made later are not among them.
            self._given = _every()

    def _variables(self) -> dict[str, Any]:
        """Returns the variables by the names that they have in files."""
        given = _every() if self._given is None else self._given
        if isinstance(given, Mapping):
            return {str(name): one for name, one in given.items()}
        found: dict[str, Any] = {}
        for one in given:
            name = one.name.removesuffix(":0")
            if found.setdefault(name, one) is not one:
                raise ArgumentError(f"At least two variables have the same name: {name}", site=here())
        return found

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: Any = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str:
        """Writes the values in a session; returns the path, with the number of the step if there is one.

        The oldest of more than `max_to_keep` files are deleted. The graph is not written.
        """
        path = os.fspath(save_path)
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            # TensorFlow makes one folder that is missing, and not one within another.
            with contextlib.suppress(OSError):
                os.mkdir(folder)
        if folder and not os.path.isdir(folder):
            raise ArgumentError(f"Parent directory of {path} doesn't exist, can't save.", site=here())
        if global_step is not None:
            step = global_step
            if isinstance(step, GraphVariable) or hasattr(step, "graph"):
                step = sess.run(step)
            number = int(np.asarray(step.numpy() if isinstance(step, Cell) else step))
            path = f"{path}-{number:08d}" if self._padded else f"{path}-{number}"
        variables = self._variables()
        checkpoints.write(path, dict(zip(variables, _values(sess, list(variables.values())), strict=True)))
        if write_meta_graph and getattr(sess, "graph", None) is not None:
            mode.saved[os.path.abspath(path)] = sess.graph, variables
        self._kept = [*(one for one in self._kept if one[0] != path), (path, time.time())]
        while self._max and len(self._kept) > self._max:
            oldest, written = self._kept.pop(0)
            if written > self._for_good + self._hours * 3600:
                self._for_good = written
            else:
                checkpoints.remove(oldest)
                mode.saved.pop(os.path.abspath(oldest), None)
        if write_state:
            checkpoints.update_state(folder or ".", path, self.last_checkpoints, latest_filename)
        return str(path)

    def restore(self, sess: Any, save_path: Any) -> None:
        """Gives the variables in a session the values of a file; they need no initializer then.

        Raises ArgumentError, a ValueError, where there is no such file, and NotFoundError, which names all
        variables that are not in it; nothing is changed then.
        """
        if save_path is None:
            raise ArgumentError("Can't load save_path when it is None.", site=here())
        try:
            arrays = checkpoints.read(save_path)
        except NotFoundError as error:
            raise ArgumentError(
                f"The passed save_path is not a valid checkpoint: {os.fspath(save_path)}",
                origin=error.origin,
                remedy=error.remedy,
                site=here(),
            ) from None
        variables = self._variables()
        missing = [name for name in variables if name not in arrays]
        if missing:
            raise NotFoundError(
                f"Key {missing[0]} not found in checkpoint",
                origin=f"missing: {', '.join(missing)}\nin the file: {', '.join(sorted(arrays))}",
                why="Nothing was changed.",
                remedy="Restore those that are there: tf.train.Saver(var_list).",
                site=here(),
            )
        pairs = []
        for name, variable in variables.items():
            value, shape = arrays[name], tuple(variable.shape)
            if value.shape != shape:
                if not self._reshape:
                    raise ArgumentError(
                        f"Restoring {name}: the file has shape {value.shape}, the variable {shape}.",
                        why="Nothing was changed.",
                        site=here(),
                    )
                value = value.reshape(shape)
            pairs.append((variable, value))
        for variable, value in pairs:
            if isinstance(variable, GraphVariable):
                variable.load(value, sess)
            else:
                variable.assign(value)

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the files that are kept, the oldest first."""
        return [path for path, _ in self._kept]

    def set_last_checkpoints(self, last_checkpoints: Any) -> None:
        """Says which files are there already."""
        self._kept = [(str(path), time.time()) for path in last_checkpoints]

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Takes the files that are there as written by this object."""
        self._kept = [(str(path), time.time()) for path in checkpoint_paths if checkpoints.exists(path)]

    def build(self) -> None:
        """Takes the variables that are there now."""
        self._given = _every() if self._given is None else self._given


@named("tf.compat.v1.train.import_meta_graph")
def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None
) -> Saver:
    """Brings a graph back whose variables this program has saved; returns a Saver of these variables.

    The default graph has to be empty, as after `tf.reset_default_graph()`, and gets what was in the other
    one; or it is that graph still. `clear_devices` does nothing: there is one device.

    >>> import tempfile
    >>> import penstock.tensorflow.compat.v1 as tf
    >>> path = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     total = tf.add(tf.get_variable("weight", initializer=2.0), 1.0, name="total")
    ...     session.run(tf.global_variables_initializer())
    ...     path = tf.train.Saver().save(session, path)
    >>> with tf.Graph().as_default() as graph, tf.Session() as session:
    ...     tf.train.import_meta_graph(path + ".meta").restore(session, path)
    ...     print(session.run("total:0"))
    3.0
    """
    path = os.path.abspath(os.fspath(meta_graph_or_file)).removesuffix(".meta")
    if not checkpoints.exists(path):
        raise OSError(f"File does not exist. Received: {os.fspath(meta_graph_or_file)}.")
    if path not in mode.saved:
        raise NotImplementedError(
            f"The graph of {path} was built by another run, and penstock.tensorflow does not write graphs to "
            "files. Build the graph as that program does, and call tf.train.Saver().restore(session, path)."
        )
    graph, variables = mode.saved[path]
    present = default_graph()
    if present is not graph:
        if present.operations or import_scope or graph in mode.graphs:
            raise NotImplementedError(
                "tf.train.import_meta_graph adds to an empty graph only, and without import_scope: call "
                "tf.reset_default_graph() before, or use `with tf.Graph().as_default():`."
            )
        present.take(graph)
        for name, (one, those) in list(mode.saved.items()):
            if one is graph:
                mode.saved[name] = present, those
    return Saver(variables)


def _every() -> list[Any]:
    graph = default_graph()
    found = [*graph.get_collection(GraphKeys.GLOBAL_VARIABLES), *graph.get_collection("saveable_objects")]
    return list(dict.fromkeys(found))


def _values(sess: Any, variables: list[Any]) -> list[Any]:
    graph = [one for one in variables if isinstance(one, GraphVariable)]
    found = iter(sess.run(graph) if graph else [])
    return [next(found) if isinstance(one, GraphVariable) else np.asarray(one.numpy()) for one in variables]
