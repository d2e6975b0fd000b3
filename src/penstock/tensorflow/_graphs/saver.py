"""tf.train.Saver: the variables of a session in a file by name, and beside them the graph."""

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
from penstock.tensorflow._graphs.graph import Graph, GraphKeys, default_graph, mode, on_first_use
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

        The oldest of more than `max_to_keep` files are deleted. The graph is written beside the values, into
        a file that ends in `meta_graph_suffix`, for `tf.train.import_meta_graph`.

        `strip_default_attrs` and `save_debug_info` do nothing: there is one form of the file.
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
        graph = getattr(sess, "graph", None)
        if write_meta_graph and graph is not None:
            self._write_graph(f"{path}.{meta_graph_suffix}", graph, variables)
        self._kept = [*(one for one in self._kept if one[0] != path), (path, time.time())]
        while self._max and len(self._kept) > self._max:
            oldest, written = self._kept.pop(0)
            if written > self._for_good + self._hours * 3600:
                self._for_good = written
            else:
                checkpoints.remove(oldest)
                self._remove_graph(f"{oldest}.{meta_graph_suffix}")
        if write_state:
            checkpoints.update_state(folder or ".", path, self.last_checkpoints, latest_filename)
        return str(path)

    def _write_graph(self, path: str, graph: Graph, variables: Mapping[str, Any]) -> None:
        """Writes a graph, with these variables by their names in the file of values."""
        from penstock.tensorflow._graphs import descriptions, graph_files

        described = descriptions.described(graph)
        made = described.beside(saver=self._described(variables))
        own = os.path.abspath(path)
        before, stamp = mode.written.get(own, (None, None))
        unchanged = before is not None and before.stored is made.stored and before.extra == made.extra
        if unchanged and stamp == stamp_of(path):
            return
        graph_files.write(path, made)
        descriptions.warn_of_left(described.content)
        mode.written[own] = made, stamp_of(path)

    def _described(self, variables: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Returns the names of the variables, in files and in the graph, as plain data."""
        every = self._variables() if variables is None else variables
        names = [[name, one.op.name] for name, one in every.items() if isinstance(one, GraphVariable)]
        return {"variables": names, "max_to_keep": self._max}

    def _remove_graph(self, path: str) -> None:
        mode.written.pop(os.path.abspath(path), None)
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)

    def export_meta_graph(
        self,
        filename: Any = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """Returns the default graph with the variables of this saver, and writes it if a file is named.

        `as_text`, `clear_devices`, `clear_extraneous_savers`, `strip_default_attrs` and `save_debug_info` do
        nothing: there is one form of the file, and one device.
        """
        return on_first_use("importing").exported(
            default_graph(), filename, collection_list, export_scope, self
        )

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


def _every() -> list[Any]:
    graph = default_graph()
    found = [*graph.get_collection(GraphKeys.GLOBAL_VARIABLES), *graph.get_collection("saveable_objects")]
    return list(dict.fromkeys(found))


def stamp_of(path: str) -> Any:
    """Returns what tells whether a file is the one that was written."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _values(sess: Any, variables: list[Any]) -> list[Any]:
    graph = [one for one in variables if isinstance(one, GraphVariable)]
    found = iter(sess.run(graph) if graph else [])
    return [next(found) if isinstance(one, GraphVariable) else np.asarray(one.numpy()) for one in variables]
