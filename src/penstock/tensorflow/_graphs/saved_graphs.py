"""Graphs in a folder, with the values of their variables: what the savers of models of TensorFlow 1 write."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from penstock.tensorflow import _checkpoints as checkpoints
from penstock.tensorflow._convert import constant
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs import descriptions, graph_files
from penstock.tensorflow._graphs.graph import Graph, GraphKeys, Operation
from penstock.tensorflow._graphs.graph_files import MetaGraphDef, plain_signatures
from penstock.tensorflow._graphs.importing import joined
from penstock.tensorflow._graphs.saver import Saver
from penstock.tensorflow._session import Session
from penstock.trace.source_site import here

NAME = "penstock_graph_{}.meta"
"""The file of each graph in a folder, by its number."""


def values_in(folder: str) -> str:
    """Returns the prefix of the file with the values of the variables."""
    return os.path.join(folder, "variables", "variables")


def is_there(folder: str) -> bool:
    """Returns whether there are graphs in a folder."""
    return os.path.isfile(os.path.join(folder, NAME.format(0)))


def write(
    folder: str, number: int, graph: Graph, tags: Any, signatures: Mapping[str, Any], first: Any, saver: Any
) -> None:
    """Writes a graph; `first` is the operation that runs when it is loaded."""
    made = descriptions.described(graph)
    if first is not None and not isinstance(first, Operation):
        raise TypeError(f"main_op needs to be an Operation: {first!r}")
    extra = {
        "tags": [str(one) for one in tags], "signatures": plain_signatures(signatures),
        "first": None if first is None else first.name,
        "saver": None if saver is None else saver._described(),
    }  # fmt: skip
    graph_files.write(os.path.join(folder, NAME.format(number)), made.beside(**extra))
    descriptions.warn_of_left(made.content)


def saver_of(graph: Graph) -> Saver | None:
    """Returns a Saver of the variables of a graph; None if it has none."""
    with graph.as_default():
        keys = (GraphKeys.GLOBAL_VARIABLES, "saveable_objects")
        return Saver() if any(graph.get_collection(key) for key in keys) else None


def found(folder: str, tags: Any) -> Any:
    """Returns the graph of these tags in a folder; raises RuntimeError if there is none."""
    if not is_there(folder):
        if os.path.exists(os.path.join(folder, "saved_model.pb")):
            raise ArgumentError(
                f"{folder!r} holds a graph that TensorFlow wrote, which penstock.tensorflow does not read.",
                remedy="Run the program that wrote it on Penstock, too: what it writes then is read.",
                site=here(),
            )
        raise OSError(f"SavedModel file does not exist at: {folder}/{{saved_model.pbtxt|saved_model.pb}}")
    wanted = {tags} if isinstance(tags, str) else set(tags)
    known = []
    number = 0
    while os.path.isfile(path := os.path.join(folder, NAME.format(number))):
        description = graph_files.read(path)
        own = description.extra.get("tags", [])
        if set(own) == wanted:
            return description
        known.append(set(own))
        number += 1
    raise RuntimeError(
        f"MetaGraphDef associated with tags {str(sorted(wanted)).strip('[]')} could not be found in "
        f"SavedModel, with available tags '{known}'. To inspect available tag-sets in the SavedModel, please "
        "use the SavedModel CLI: `saved_model_cli`."
    )


def load(session: Any, tags: Any, folder: str, scope: str | None) -> MetaGraphDef:
    """Adds the graph of these tags to that of a session, with the values of its variables."""
    description = found(folder, tags)
    saver = joined(session.graph, description, folder, scope)
    if saver is not None and checkpoints.exists(values_in(folder)):
        saver.restore(session, values_in(folder))
    first = description.extra.get("first")
    if first is not None:
        session.run(f"{scope}/{first}" if scope else first)
    return MetaGraphDef(description)


class GraphSignature:
    """A function of a graph in a folder: it takes arrays or tensors by name, and returns tensors by name."""

    def __init__(self, session: Session, signature: Any) -> None:
        self._session, self._signature = session, signature

    def __call__(self, *arguments: Any, **options: Any) -> dict[str, Any]:
        inputs, outputs = self._signature.inputs, self._signature.outputs
        given = {**dict(zip(sorted(inputs), arguments, strict=False)), **options}
        if set(given) != set(inputs):
            raise TypeError(f"The signature takes {sorted(inputs)}, and was given {sorted(given)}.")
        fed = {inputs[key].name: value for key, value in given.items()}
        values = self._session.run({key: one.name for key, one in outputs.items()}, fed)
        return {key: constant(value) for key, value in values.items()}


class LoadedGraph:
    """A graph of a folder, as a program of TensorFlow 2 loads it: `signatures` are functions by name."""

    def __init__(self, folder: str, tags: Any) -> None:
        self.graph = Graph()
        session = Session(graph=self.graph)
        with self.graph.as_default():
            made = load(session, ["serve"] if tags is None else tags, folder, None)
            self.variables = self.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
        self.signatures = {key: GraphSignature(session, one) for key, one in made.signature_def.items()}


__all__ = ["LoadedGraph", "found", "is_there", "load", "saver_of", "values_in", "write"]
