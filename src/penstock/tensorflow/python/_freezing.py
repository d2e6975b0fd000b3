"""The tool of TensorFlow that makes one file of a graph and the values of its variables."""

from __future__ import annotations

import os
from typing import Any

from penstock.tensorflow import _checkpoints as _checkpoints
from penstock.tensorflow._errors import ArgumentError as _ArgumentError
from penstock.tensorflow._errors import NotFoundError as _NotFoundError
from penstock.tensorflow._graphs import graph_files as _graph_files
from penstock.tensorflow._graphs import importing as _importing
from penstock.tensorflow._graphs import saved_graphs as _saved_graphs
from penstock.trace.source_site import here as _here


def freeze_graph(
    input_graph: Any,
    input_saver: Any,
    input_binary: Any,
    input_checkpoint: Any,
    output_node_names: str,
    restore_op_name: Any,
    filename_tensor_name: Any,
    output_graph: Any,
    clear_devices: Any,
    initializer_nodes: Any,
    variable_names_whitelist: str = "",
    variable_names_denylist: str = "",
    input_meta_graph: Any = None,
    input_saved_model_dir: Any = None,
    saved_model_tags: str = "serve",
    checkpoint_version: Any = None,
) -> Any:
    """Writes the part of a graph that outputs need, with a checkpoint's values in place of its variables.

    Returns its GraphDef. `input_binary`, `restore_op_name`, `filename_tensor_name`, `clear_devices`,
    `initializer_nodes` and `checkpoint_version` do nothing: a file has one form, and there is one device.
    """
    if input_saver:
        raise _ArgumentError("freeze_graph: input_saver is not taken.", site=_here())
    if input_saved_model_dir:
        folder = os.fspath(input_saved_model_dir)
        description = _saved_graphs.found(folder, saved_model_tags.split(","))
        input_checkpoint = _saved_graphs.values_in(folder)
    else:
        path = os.fspath(input_meta_graph or input_graph)
        if not os.path.exists(path):
            raise OSError(f"Input graph file '{path}' does not exist!")
        description = _graph_files.read(path)
    arrays = _checkpoints.read(input_checkpoint)

    def values(keys: list[str]) -> list[Any]:
        missing = [one for one in keys if one not in arrays]
        if missing:
            raise _NotFoundError(
                f"Key {missing[0]} not found in checkpoint",
                origin=f"missing: {', '.join(missing)}\nin the file: {', '.join(sorted(arrays))}",
                site=_here(),
            )
        return [arrays[one] for one in keys]

    def listed(names: str) -> list[str]:
        return [one.strip() for one in names.split(",") if one.strip()]

    made = _importing.frozen(
        description, listed(output_node_names), values, listed(variable_names_whitelist) or None,
        listed(variable_names_denylist),
    )  # fmt: skip
    if output_graph:
        _graph_files.write(os.fspath(output_graph), made.description)
    return made
