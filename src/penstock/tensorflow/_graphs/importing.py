"""Graphs written to files and read back, whole or in part, into the graph that they join."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _convert
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs import descriptions, graph_files, names_in_files
from penstock.tensorflow._graphs.build import call_kernel, constant
from penstock.tensorflow._graphs.descriptions import Content, Description
from penstock.tensorflow._graphs.graph import Graph, GraphKeys, default_graph, mode
from penstock.tensorflow._graphs.graph_files import GraphDef, MetaGraphDef
from penstock.tensorflow._graphs.plain_values import Reader
from penstock.tensorflow._graphs.saver import Saver, stamp_of
from penstock.tensorflow._graphs.variable import GraphVariable, read_kernel
from penstock.trace.source_site import here, user_frame

_DAMAGED = (LookupError, TypeError, ValueError, AttributeError)


def _added(graph: Graph, description: Description, where: str, **options: Any) -> Reader:
    """Adds a description to a graph; raises GraphFileError for an inconsistent one."""
    try:
        return descriptions.restored(graph, description, where=where, **options)
    except _DAMAGED:
        raise graph_files.broken(where or "the GraphDef") from None


# -- meta graphs --------------------------------------------------------------------------------------------


@named("tf.compat.v1.train.import_meta_graph")
def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    input_map: Any = None,
) -> Saver | None:
    """Brings back a graph that a Saver has written; returns a Saver of its variables, None if it has none.

    The operations are added to the default graph, with its collections, `import_scope` before their names.
    `input_map` replaces tensors by name. What an operation of the program's own calls, such as a function of
    `tf.py_func`, is in no file: the operation is there, and an error says so when it runs. `clear_devices`
    does nothing: there is one device.

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
    if isinstance(meta_graph_or_file, MetaGraphDef):
        where, description = "", meta_graph_or_file.description
    else:
        where = os.fspath(meta_graph_or_file)
        if not os.path.isfile(where):
            raise OSError(f"File does not exist. Received: {where}.")
        description = graph_files.read(where)
        written, stamp = mode.written.get(os.path.abspath(where), (None, None))
        if written is not None and stamp == stamp_of(where):
            description.live = written.live
    return joined(default_graph(), description, where, import_scope, input_map)


def joined(
    graph: Graph, description: Description, where: str, scope: str | None, input_map: Any = None
) -> Saver | None:
    """Adds a description and its collections to a graph; returns a Saver of its variables."""
    prefix = graph.unique_name(scope, mark_as_used=False) if scope else ""
    with graph.as_default():
        reader = _added(
            graph, description, where, prefix=prefix, replaced=_replaced(description, input_map), again=True
        )
        descriptions.collect(graph, reader, description.content)
        saver = description.extra.get("saver")
        if saver is not None:
            pairs = {name: reader.variables[key] for name, key in saver["variables"]}
            return Saver(pairs, max_to_keep=saver["max_to_keep"], allow_empty=True)
        keys = (GraphKeys.GLOBAL_VARIABLES, "saveable_objects")
        return Saver() if any(graph.get_collection(key) for key in keys) else None


@named("tf.compat.v1.train.export_meta_graph")
def export_meta_graph(
    filename: Any = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Any = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
) -> MetaGraphDef:
    """Returns a graph with its collections, and writes it into a file if one is named.

    `meta_info_def`, `as_text`, `clear_devices`, `clear_extraneous_savers`, `strip_default_attrs` and
    `save_debug_info` do nothing: there is one form of the file, and one device.
    """
    if graph_def is not None or saver_def is not None:
        raise ArgumentError(
            "export_meta_graph: graph_def and saver_def are not taken.",
            remedy="Give the graph itself: tf.train.export_meta_graph(path, graph=graph).",
            site=here(),
        )
    return exported(graph or default_graph(), filename, collection_list, export_scope)


def exported(
    graph: Graph, filename: Any, collection_list: Any, export_scope: str | None, saver: Any = None
) -> MetaGraphDef:
    """Returns a graph as a MetaGraphDef, with the variables of a saver; writes it if a file is named."""
    if export_scope is not None:
        raise ArgumentError(
            f"export_meta_graph: export_scope={export_scope!r} is not taken.",
            why="A graph is written as a whole.",
            remedy="Write the whole graph, and bring it back with import_scope.",
            site=here(),
        )
    made = descriptions.described(graph)
    if collection_list is not None:
        kept = {key: made.content["collections"].get(key, []) for key in collection_list}
        made = Description({**made.content, "collections": kept, "left": []}, made.arrays, made.live)
    if saver is not None:
        made = made.beside(saver=saver._described())
    if filename is not None:
        graph_files.write(os.fspath(filename), made)
        descriptions.warn_of_left(made.content)
        mode.written[os.path.abspath(filename)] = made, stamp_of(filename)
    return MetaGraphDef(made)


# -- graphs without collections -----------------------------------------------------------------------------


@named(
    "tf.compat.v1.import_graph_def",
    "tf.compat.v1.graph_util.import_graph_def",
    "tf.graph_util.import_graph_def",
    "tf.import_graph_def",
)
def import_graph_def(
    graph_def: Any,
    input_map: Any = None,
    return_elements: Any = None,
    name: Any = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> Any:
    """Adds the operations of a GraphDef to the default graph; returns those asked for, by their names in it.

    The names get `name` before them, "import" unless it is given; "" adds nothing. `input_map` replaces
    tensors of the GraphDef, by name, with tensors of the graph. `op_dict` and `producer_op_list` do nothing.
    """
    if not isinstance(graph_def, GraphDef):
        raise TypeError(f"Argument `graph_def` must be a GraphDef proto. Received: {graph_def!r}.")
    graph, description = mode.default(), graph_def.description
    replaced = _replaced(description, input_map)
    if name == "":
        prefix = ""
    else:
        with graph.name_scope(name or "import") as scope:
            prefix = scope[:-1]
    reader = _added(graph, description, "", prefix=prefix, replaced=replaced)
    if return_elements is None:
        return None
    return [_element(reader, str(one)) for one in return_elements]


def _element(reader: Reader, name: str) -> Any:
    key, colon, number = name.partition(":")
    found = reader.operations.get(key)
    if found is None or (colon and int(number) >= len(found.outputs)):
        raise ValueError(f"Requested return tensor {name!r} not found in graph def")
    return found.outputs[int(number)] if colon else found


def _replaced(description: Description, input_map: Any) -> dict[tuple[str, int], Any]:
    """Returns the tensors that take the place of others, by the names and numbers of those."""
    found: dict[tuple[str, int], Any] = {}
    names = {one["name"] for one in description.content["operations"]} if input_map else set()
    missing = []
    for name, value in (input_map or {}).items():
        key, _, number = str(name).partition(":")
        if key not in names:
            missing.append(str(name))
        found[key, int(number or 0)] = constant(value, "input_map", user_frame(1))
    if missing:
        raise ValueError(f"Attempted to map inputs that were not found in graph_def: [{', '.join(missing)}]")
    return found


@named("tf.compat.v1.train.write_graph", "tf.compat.v1.io.write_graph", "tf.io.write_graph")
def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph or GraphDef into a file of a folder; returns the path.

    `as_text` does nothing: there is one form of the file, which `GraphDef.ParseFromString` of Penstock reads.
    """
    given = graph_or_graph_def
    made = descriptions.described(given) if isinstance(given, Graph) else given.description
    os.makedirs(os.fspath(logdir), exist_ok=True)
    path = os.path.join(os.fspath(logdir), name)
    graph_files.write(
        path, Description({**made.content, "collections": {}, "left": []}, made.arrays, made.live)
    )
    return path


def graph_def_of(graph: Graph) -> GraphDef:
    """Returns the operations of a graph as a GraphDef."""
    made = descriptions.described(graph)
    kept = {**made.content, "collections": {}, "left": []}
    return GraphDef(Description(kept, made.arrays, made.live))


# -- parts of graphs ----------------------------------------------------------------------------------------


@named("tf.compat.v1.graph_util.extract_sub_graph")
def extract_sub_graph(graph_def: Any, dest_nodes: Any) -> GraphDef:
    """Returns the part of a GraphDef that some of its operations need, these included."""
    if isinstance(dest_nodes, str):
        raise TypeError("Argument `dest_nodes` must be an iterable of strings.")
    names = [str(one) for one in dest_nodes]
    _require(graph_def.description.content, names)
    return GraphDef(graph_files.cut(graph_def.description, names))


def _require(content: Content, names: Iterable[str]) -> None:
    known = {one["name"] for one in content["operations"]}
    for one in names:
        if one not in known:
            raise AssertionError(f"{one} is not in graph")


@named("tf.compat.v1.graph_util.remove_training_nodes")
def remove_training_nodes(input_graph: Any, protected_nodes: Any = None) -> GraphDef:
    """Returns the GraphDef as it is: what TensorFlow leaves out costs nothing here.

    `protected_nodes` does nothing.
    """
    return GraphDef(input_graph.description)


@named("tf.compat.v1.graph_util.convert_variables_to_constants")
def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Any,
    variable_names_whitelist: Any = None,
    variable_names_blacklist: Any = None,
) -> GraphDef:
    """Returns the part of a GraphDef that outputs need, with the values of a session in place of variables.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default() as graph, tf.Session() as session:
    ...     total = tf.add(tf.get_variable("weight", initializer=2.0), 1.0, name="total")
    ...     session.run(tf.global_variables_initializer())
    ...     frozen = tf.graph_util.convert_variables_to_constants(session, graph.as_graph_def(), ["total"])
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     nothing = tf.import_graph_def(frozen, name="")
    ...     print(session.run("total:0"))
    3.0
    """

    def values(keys: list[str]) -> list[Any]:
        variables = [_variable_of(sess.graph, one) for one in keys]
        return list(sess.run(variables)) if variables else []

    return frozen(
        input_graph_def.description,
        output_node_names,
        values,
        variable_names_whitelist,
        variable_names_blacklist,
    )


def frozen(
    description: Description, outputs: Any, values_of: Callable[[list[str]], list[Any]], allowed: Any = None,
    denied: Any = None,
) -> GraphDef:  # fmt: skip
    """Returns the part of a description that outputs need, with values in the place of its variables."""
    names = [str(one) for one in outputs]
    _require(description.content, names)
    part = graph_files.cut(description, names)
    reading = names_in_files.name_of(read_kernel)
    reads = [one for one in part.content["operations"] if one["kernel"] == reading]
    keys = list(dict.fromkeys(one["details"]["variable"]["variable"] for one in reads))
    keys = [one for one in keys if (allowed is None or one in allowed) and one not in (denied or ())]
    values = dict(zip(keys, values_of(keys), strict=True))
    arrays = list(part.arrays)
    operations = []
    for one in part.content["operations"]:
        name = one["details"].get("variable", {}).get("variable")
        if one["name"] in values:
            one = _constant(one, np.asarray(values[one["name"]]), arrays)
        elif one["kernel"] == reading and name in values:
            one = _same(one, name)
        operations.append(one)
    left = [one for one in part.content["variables"] if one["operation"] not in values]
    made = Description({**part.content, "operations": operations, "variables": left}, arrays, part.live)
    return GraphDef(graph_files.cut(made, names))


def _variable_of(graph: Graph, name: str) -> GraphVariable:
    return graph.get_operation_by_name(name).details["variable"]  # type: ignore[no-any-return]


def _call(entry: Content, kind: str, function: Any, inputs: Sequence[Any]) -> Content:
    """Returns an operation that calls a function, in the place of another one."""
    return {
        "name": entry["name"], "type": kind, "inputs": list(inputs), "control": [], "site": entry["site"],
        "kernel": names_in_files.name_of(call_kernel),
        "details": {
            "call": {"function": names_in_files.name_of(function)},
            "arguments": [{"input": number} for number in range(len(inputs))], "options": {"dict": []},
        },
    }  # fmt: skip


def _constant(entry: Content, value: np.ndarray[Any, Any], arrays: list[Any]) -> Content:
    arrays.append(value)
    form = {"array": len(arrays) - 1, "dtype": value.dtype.name, "shape": list(value.shape)}
    made = _call(entry, "Const", _convert.constant, [])
    return {**made, "outputs": [[value.dtype.name, list(value.shape)]], "constants": [{"eager": form}]}


def _same(entry: Content, name: str) -> Content:
    made = _call(entry, "Identity", _arrays.identity, [[name, 0]])
    return {**made, "outputs": entry["outputs"]}


__all__ = [
    "export_meta_graph",
    "exported",
    "frozen",
    "graph_def_of",
    "import_graph_def",
    "import_meta_graph",
    "joined",
]
