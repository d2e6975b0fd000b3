"""Functions that were traced before the watch began, or loaded: what their graphs still show."""

from __future__ import annotations

from typing import Any

from tensorflow.python.framework import tensor_util

from penstock.frameworks.places import is_installed_file
from penstock.frameworks.tensorflow import operations
from penstock.frameworks.tensorflow.entries import Assigned, Entry, Operation, bodies_of, type_of
from penstock.frameworks.tensorflow.lines import GENERATED
from penstock.trace.source_site import Site


def before_watch(graph: Any) -> list[Entry]:
    """Returns the operations and writes of a graph; its tapes and optimizers have left no trace in it."""
    entries: list[Entry] = []
    for one in graph.get_operations():
        kind = one.type
        inputs, outputs = list(one.inputs), list(one.outputs)
        keys, made = tuple([each.name for each in inputs]), tuple([each.name for each in outputs])
        if kind in operations.ASSIGNS:
            value = keys[-1] if len(keys) > 1 else None
            entries.append(Assigned(operations.ASSIGNS[kind], _site(one), keys[0], value, ("assign",)))
        elif kind == "Const":
            tensor = one.get_attr("value")
            if not tensor.tensor_shape.dim:
                literal = tensor_util.MakeNdarray(tensor)
                entries.append(Operation(kind, keys, made, (type_of(outputs[0]),), None, 0, literal=literal))
        elif kind not in operations.UNSEEN:
            bodies = bodies_of(one.node_def.attr)
            if outputs or bodies:
                types = tuple([type_of(each) for each in (*inputs, *outputs)])
                found = Operation(kind, keys, made, types, _site(one), one.name)
                found.bodies = bodies
                entries.append(found)
    return entries


def _site(operation: Any) -> Site | None:
    """Returns the user's line in the traceback that TensorFlow keeps of an operation."""
    for frame in reversed(list(operation.traceback or ())):
        file = frame.filename
        if GENERATED not in file and not is_installed_file(file) and file.endswith((".py", ".ipynb")):
            return Site(file, frame.lineno, frame.name)
    return None


__all__ = ["before_watch"]
