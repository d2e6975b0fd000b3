"""Checkpoints under TensorFlow's names: arrays by name in a safetensors file, and the file that lists
them."""

from __future__ import annotations

import glob
import json
import os
import re
import time
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import CheckpointError
from penstock.state import files
from penstock.tensorflow._dtype import as_dtype
from penstock.tensorflow._errors import NotFoundError
from penstock.trace.source_site import here

ENDING = ".safetensors"
GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
"""The name under which a checkpoint of objects keeps their graph."""
_LINE = re.compile(r'^(\w+): "?(.*?)"?$', re.MULTILINE)


@named("tf.train.CheckpointState")
class CheckpointState:
    """The contents of the file `checkpoint` in a folder: the newest checkpoint, and all that are kept."""

    def __init__(
        self, model_checkpoint_path: str, all_model_checkpoint_paths: list[str], times: list[float]
    ) -> None:
        self.model_checkpoint_path = model_checkpoint_path
        self.all_model_checkpoint_paths = all_model_checkpoint_paths
        self.all_model_checkpoint_timestamps = times


def write(prefix: str, arrays: dict[str, Any], graph: Any = None) -> str:
    """Writes arrays by name into the file of a prefix, whole or not at all; returns the prefix.

    `graph` is what `_object_graph.described` says of the objects that hold them.
    """
    from safetensors.numpy import save_file

    kept = {name: files.stored(np.array(value, order="C")) for name, value in arrays.items()}
    dtypes = {name: np.asarray(value).dtype.name for name, value in arrays.items()}
    if graph is not None:
        dtypes[GRAPH] = json.dumps(graph)
    # Without any, an empty note would make a file that cannot be read.
    files.replace(prefix + ENDING, lambda partial: save_file(kept, partial, dtypes or None), make=True)
    return prefix


@named("tf.compat.v1.train.checkpoint_exists")
def exists(prefix: Any) -> bool:
    """Returns whether there is a checkpoint of this prefix."""
    return os.path.isfile(os.fspath(prefix) + ENDING)


def read(prefix: Any) -> dict[str, Any]:
    """Returns the arrays of a checkpoint by name.

    Raises NotFoundError where there is none, and CheckpointError for a file that is damaged.
    """
    path = os.fspath(prefix)
    if not exists(path):
        if os.path.exists(f"{path}.index"):
            raise CheckpointError(
                f"{path!r} is a checkpoint that TensorFlow wrote, which penstock.tensorflow does not read.",
                why="Checkpoints here are safetensors files.",
                remedy="Write the weights as .weights.h5 with Keras, and call model.load_weights(path).",
                site=here(),
            )
        raise NotFoundError(
            f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {path}",
            origin=f"looked for {path + ENDING} in {os.getcwd()}",
            remedy="Check the path; tf.train.latest_checkpoint(folder) returns the newest one.",
            site=here(),
        )
    arrays, _ = files.read(path + ENDING)
    for name, dtype in _notes(path).items():
        if dtype == "complex128" and name in arrays:
            arrays[name] = np.ascontiguousarray(arrays[name]).view(np.complex128)[..., 0]
    return arrays


def graph(prefix: Any) -> list[dict[str, Any]] | None:
    """Returns the graph of objects in a checkpoint; None for one that only holds arrays by name."""
    text = _notes(os.fspath(prefix)).get(GRAPH)
    return None if text is None else json.loads(text)


def _notes(path: str) -> dict[str, str]:
    from safetensors import safe_open

    with safe_open(path + ENDING, framework="np") as file:
        return file.metadata() or {}


def remove(prefix: str) -> None:
    """Deletes a checkpoint, if it is there."""
    if exists(prefix):
        os.remove(prefix + ENDING)


@named("tf.compat.v1.train.update_checkpoint_state")
def update_state(
    save_dir: Any,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Any = None,
    latest_filename: Any = None,
) -> None:
    """Writes which checkpoint is the newest, and which are kept, into a file of the folder."""
    every = list(all_model_checkpoint_paths or [])
    if model_checkpoint_path not in every:
        every.append(model_checkpoint_path)

    def shown(path: str) -> str:
        inside = os.path.dirname(os.path.abspath(path)) == os.path.abspath(save_dir)
        return os.path.basename(path) if inside else os.path.abspath(path)

    lines = [f'model_checkpoint_path: "{shown(model_checkpoint_path)}"']
    lines += [f'all_model_checkpoint_paths: "{shown(path)}"' for path in every]
    lines += [f"all_model_checkpoint_timestamps: {_time(path)}" for path in every]

    def put(partial: str) -> None:
        with open(partial, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    files.replace(os.path.join(save_dir, latest_filename or "checkpoint"), put, make=True)


def _time(path: str) -> float:
    return os.path.getmtime(path + ENDING) if exists(path) else time.time()


@named("tf.train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir: Any, latest_filename: Any = None) -> CheckpointState | None:
    """Returns the newest checkpoint of a folder and all that are kept; None without such a file."""
    folder = os.fspath(checkpoint_dir)
    try:
        with open(os.path.join(folder, latest_filename or "checkpoint"), encoding="utf-8") as file:
            found = _LINE.findall(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return None

    def whole(path: str) -> str:
        return path if os.path.isabs(path) else os.path.join(folder, path)

    newest = [whole(path) for name, path in found if name == "model_checkpoint_path"]
    every = [whole(path) for name, path in found if name == "all_model_checkpoint_paths"]
    times = [float(text) for name, text in found if name == "all_model_checkpoint_timestamps"]
    return CheckpointState(newest[0], every, times) if newest else None


@named("tf.train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir: Any, latest_filename: Any = None) -> str | None:
    """Returns the newest checkpoint of a folder; None if there is none."""
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    known = exists(state.model_checkpoint_path) or glob.glob(
        f"{glob.escape(state.model_checkpoint_path)}.index"
    )
    return state.model_checkpoint_path if known else None


@named("tf.train.list_variables")
def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Returns the names and shapes in a checkpoint; the graph of the objects is one of them."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


@named("tf.train.load_variable")
def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """Returns one array of a checkpoint."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


@named("tf.train.CheckpointReader")
class CheckpointReader:
    """Reads the arrays of a checkpoint; `load_checkpoint` makes one."""

    def __init__(self, filename: Any) -> None:
        self._arrays = read(filename)
        text = _notes(os.fspath(filename)).get(GRAPH)
        self._graph = {} if text is None else {GRAPH: np.asarray(text.encode())}

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Returns the shapes by name."""
        return {name: list(value.shape) for name, value in (self._arrays | self._graph).items()}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """Returns the dtypes by name."""
        dtypes = {name: as_dtype(value.dtype) for name, value in self._arrays.items()}
        return dtypes | dict.fromkeys(self._graph, as_dtype("string"))

    def has_tensor(self, tensor_str: str) -> bool:
        """Returns whether there is an array of this name."""
        return tensor_str in self._arrays or tensor_str in self._graph

    def get_tensor(self, tensor_str: str) -> Any:
        """Returns an array, or the text in JSON of the graph of the objects.

        Raises NotFoundError for a name that is not in the checkpoint.
        """
        if tensor_str in self._graph:
            return self._graph[tensor_str].item()
        if tensor_str not in self._arrays:
            raise NotFoundError(
                f"Key {tensor_str} not found in checkpoint",
                origin=f"it has {sorted(self._arrays)}",
                site=here(),
            )
        return self._arrays[tensor_str]


@named("tf.train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """Returns a reader of a checkpoint, or of the newest in a folder."""
    return CheckpointReader(_resolved(ckpt_dir_or_file))


def _resolved(where: Any) -> Any:
    return (latest_checkpoint(where) or where) if os.path.isdir(where) else where
