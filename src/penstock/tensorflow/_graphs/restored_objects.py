"""Objects of another process: what tf.saved_model.save has written of one, with its traced functions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from penstock.tensorflow._graphs import descriptions, graph_files
from penstock.tensorflow._graphs.graph import Graph
from penstock.tensorflow._graphs.plain_values import Reader
from penstock.tensorflow._graphs.traced_functions import (
    CalledGraph,
    RestoredFunction,
    RestoredSignature,
    Trace,
    Traced,
)
from penstock.tensorflow._module import Module
from penstock.tensorflow._object_graph import graph_of
from penstock.tensorflow._variable import ResourceVariable

NAME = "penstock_functions.graph"
"""The file of a folder that holds the functions, and which objects there were."""


class RestoredObject(Module):
    """An object that another process has saved: its variables, functions and other parts by name."""

    _reasons: Mapping[str, str] = {}

    def __init__(self) -> None:
        super().__init__("user_object")

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        function = vars(self).get("__call__")
        if function is None:
            raise TypeError(f"'_UserObject' object is not callable{self._missing('__call__')}")
        return function(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'_UserObject' object has no attribute {name!r}{self._missing(name)}")

    def _missing(self, name: str) -> str:
        reason = self._reasons.get(name)
        return f"\nIt was saved without {name}: {reason}." if reason else ""


def write(folder: str, obj: Any, signatures: Mapping[str, Any]) -> Traced:
    """Writes the functions of an object for the signatures that they have been called with."""
    made = Traced(graph_of(obj), signatures)
    graph_files.write(os.path.join(folder, NAME), made.description())
    return made


def is_there(folder: str) -> bool:
    """Returns whether there are objects and functions in a folder."""
    return os.path.isfile(os.path.join(folder, NAME))


def load(folder: str, arrays: Mapping[str, Any]) -> RestoredObject:
    """Returns the object in a folder, with these values of its variables."""
    path = os.path.join(folder, NAME)
    description = graph_files.read(path)
    extra = description.extra
    things = [_made(row, arrays) for row in extra["objects"]]
    for thing, row in zip(things, extra["objects"], strict=True):
        _fill(thing, row, things)
    graph = Graph()
    try:
        with graph.as_default():
            reader = descriptions.restored(graph, description, where=path)
        cells = {
            reader.variables[row["operation"]]: thing
            for thing, row in zip(things, extra["objects"], strict=True)
            if row.get("operation") is not None
        }
        called = CalledGraph(graph, cells)
        for number, name, several in extra["functions"]:
            vars(things[number])[name] = RestoredFunction(name, _traces(reader, several), called)
        signed = {name: _traces(reader, [one])[0] for name, one in extra["signed"].items()}
    except (LookupError, TypeError, ValueError, AttributeError):
        raise graph_files.broken(path) from None
    root: RestoredObject = things[0]
    vars(root)["signatures"] = {name: RestoredSignature(one, called) for name, one in signed.items()}
    vars(root)["_reasons"] = dict(extra["reasons"])
    return root


def _made(row: Mapping[str, Any], arrays: Mapping[str, Any]) -> Any:
    if "variable" in row:
        return ResourceVariable(arrays[row["value"]], trainable=row["trainable"], name=row["variable"])
    kinds: Any = {"list": list, "tuple": list, "dict": dict, "object": RestoredObject}
    kind = kinds.get(row["kind"])
    return None if kind is None else kind()


def _fill(thing: Any, row: Mapping[str, Any], things: Sequence[Any]) -> None:
    parts = {name: things[number] for name, number in row.get("parts", {}).items()}
    if isinstance(thing, list):
        thing += parts.values()
    elif isinstance(thing, dict):
        thing.update(parts)
    elif isinstance(thing, RestoredObject):
        vars(thing).update(parts)


def _traces(reader: Reader, several: Sequence[Mapping[str, Any]]) -> list[Trace]:
    return [
        Trace(
            one["name"], one["parameters"], reader.value(one["defaults"]), reader.value(one["given"]),
            reader.value(one["result"]), reader.value(one["written"]),
        )
        for one in several
    ]  # fmt: skip


__all__ = ["RestoredObject", "is_there", "load", "write"]
