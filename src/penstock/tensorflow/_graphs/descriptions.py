"""A graph as plain data: its operations in order, with all that a run or another program needs of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from penstock.capture.calls import code_at
from penstock.capture.plain_data import UnwritableError, words_for
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import InvalidArgumentError
from penstock.tensorflow._graphs import names_in_files
from penstock.tensorflow._graphs.build import call_kernel
from penstock.tensorflow._graphs.graph import Graph, Operation
from penstock.tensorflow._graphs.plain_values import Reader, Writer
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor
from penstock.tensorflow._graphs.texts import OBJECTS, SymbolicText
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.trace.source_site import warn
from penstock.trace.spec import spec

Content = dict[str, Any]
_OWN = ("queue_runners", "savers")
"""Collections of objects that the program makes anew."""


class Description:
    """A graph, or a part of one, as plain data and arrays.

    `live` are the objects of this process that no file holds, such as functions of the program's own: as long
    as the description stays in the process, its operations have them. `extra` is what a saver or a signature
    adds.
    """

    def __init__(
        self, content: Content, arrays: list[np.ndarray[Any, Any]], live: list[Any],
        extra: Content | None = None, stored: list[Any] | None = None,
    ) -> None:  # fmt: skip
        self.content, self.arrays, self.live = content, arrays, live
        self.extra: Content = extra or {}
        self.stored: list[Any] = [] if stored is None else stored

    def beside(self, **extra: Any) -> Description:
        """Returns the same graph with something added; it is made into bytes once for all of them."""
        return Description(self.content, self.arrays, self.live, {**self.extra, **extra}, self.stored)


# -- writing ------------------------------------------------------------------------------------------------


def described(graph: Graph) -> Description:
    """Returns a graph as plain data; made again only if the graph has changed since."""
    counts = {name: tuple(map(id, those)) for name, those in graph._collections.items()}
    state = len(graph.operations), tuple(counts.items())
    if graph.described is None or graph.described[0] != state:
        graph.described = state, _described(graph)
    return graph.described[1]


def _described(graph: Graph) -> Description:
    keys = dict(keys_of(graph))
    writer, live = Writer(keys), list[Any]()
    files: dict[str, int] = {}
    operations = [_operation(writer, one, files, live) for one in graph.operations]
    collections, left = {}, []
    for name, those in graph._collections.items():
        if isinstance(name, str) and name not in _OWN:
            try:
                collections[name] = writer.values(those)
            except UnwritableError:
                left.append(name)
    variables = [_variable(writer, one) for one in writer.variables]
    content = {
        "operations": operations, "variables": variables, "objects": writer.objects, "names": writer.names,
        "files": list(files), "collections": collections, "left": left,
    }  # fmt: skip
    return Description(content, writer.arrays, live)


def keys_of(graph: Graph) -> Iterator[tuple[Operation, str]]:
    """Yields operations with their names, which a number makes unique where two have one."""
    taken: set[str] = set()
    for one in graph.operations:
        key = one.name if one.name not in taken else f"{one.name}\n{one.number}"
        taken.add(key)
        yield one, key


def _operation(writer: Writer, one: Operation, files: dict[str, int], live: list[Any]) -> Content:
    code = one.code
    place = files.setdefault(code.co_filename, len(files))
    made: Content = {
        "name": writer.key(one), "type": one.type, "inputs": [_place(writer, each) for each in one.inputs],
        "control": [writer.key(each) for each in one.control_inputs],
        "outputs": [_output(writer, each) for each in one.outputs],
        "site": [place, code.co_firstlineno, code.co_name, code.co_qualname],
    }  # fmt: skip
    if one.writes:
        made["writes"] = True
    if one.fresh:
        made["fresh"] = True
    kernel = names_in_files.name_of(one.kernel)
    if kernel is None:
        live.append(one.kernel)
        made["kernel"], made["lost"] = {"lost": len(live) - 1}, words_for(one.kernel)
    else:
        made["kernel"] = kernel
    details = one.details
    if one.constants is not None:
        made["constants"] = writer.values(one.constants)
        if one.kernel is call_kernel:
            # They are what the call gives.
            details = {**details, "arguments": [], "options": {}}
    made["details"] = kept = {}
    for key, value in details.items():
        try:
            kept[key] = writer.value(value)
        except UnwritableError as error:
            live.append(value)
            kept[key] = {"lost": len(live) - 1}
            made["lost"] = error.what
    return made


def _place(writer: Writer, one: SymbolicTensor) -> list[Any]:
    return [writer.key(one.op), one.value_index]


def _output(writer: Writer, one: SymbolicTensor) -> list[Any]:
    if isinstance(one, SymbolicText):
        return ["string", None if one.shape is UNKNOWN else writer.values(one.shape)]
    shape = None if one.spec is None else [writer.length(n) for n in one.spec.shape]
    if one.known is None:
        return [one._dtype.name, shape]
    return [one._dtype.name, shape, writer.array(np.asarray(one.known))]


def _variable(writer: Writer, one: GraphVariable) -> Content:
    reads = [[[writer.key(each) for each in key], _place(writer, read)] for key, read in one._reads.items()]
    return {
        "operation": writer.key(one.op), "initial_value": _place(writer, one.initial_value),
        "initializer": writer.key(one.initializer), "trainable": one.trainable,
        "by_reference": one.by_reference, "reads": reads,
        "load": None if one._load is None else _place(writer, one._load),
    }  # fmt: skip


# -- reading ------------------------------------------------------------------------------------------------


def restored(
    graph: Graph,
    description: Description,
    prefix: str = "",
    replaced: Mapping[tuple[str, int], Any] | None = None,
    where: str = "",
    again: bool = False,
) -> Reader:
    """Adds a description to a graph, all of it or nothing; returns the reader, which knows its operations.

    With `again`, nothing is added to a graph that has all these operations, by their names.
    `prefix` stands before the names. `replaced` are tensors that take the place of others; `where` names the
    file. Raises LookupError, TypeError, ValueError or AttributeError for a description that is damaged.
    """
    if graph.finalized:
        raise RuntimeError("Graph is finalized and cannot be modified.")
    content = description.content
    reader = Reader(content, description.arrays, description.live)
    reader.tensors.update(replaced or {})
    if again and not prefix and _has(graph, reader, content):
        return reader
    names, scope = dict(graph._names), graph._scope
    graph._scope = ""
    try:
        with graph.control_dependencies(None):
            for entry in content["operations"]:
                _restore(graph, reader, entry, content["files"], prefix)
        for entry in content["variables"]:
            _restore_variable(reader, entry)
        for entry in content["operations"]:
            _restore_details(reader, entry, where)
    except BaseException:
        graph._names = names
        raise
    finally:
        graph._scope = scope
    for one in reader.operations.values():
        graph.operations.append(one)
        graph._by_name[one.name] = one
    return reader


def _has(graph: Graph, reader: Reader, content: Content) -> bool:
    """Lets a reader know the operations of a graph by the names in a description, if they are all there."""
    names = [entry["name"] for entry in content["operations"]]
    found = {name: graph._by_name[name] for name in names if name in graph._by_name}
    variables = {entry["operation"] for entry in content["variables"]}
    if len(found) < len(names) or not all("variable" in found[name].details for name in variables):
        return False
    reader.operations.update(found)
    reader.variables.update({name: found[name].details["variable"] for name in variables})
    return bool(names)


def _restore(graph: Graph, reader: Reader, entry: Content, files: list[str], prefix: str) -> None:
    key = entry["name"]
    file, line, function, qualified = entry["site"]
    name = key.partition("\n")[0]
    name = f"{prefix}/{name}" if prefix else name
    # As in TensorFlow, the name is taken, and the scopes in it are not.
    if name.lower() in graph._names:
        name = graph.unique_name(name)
    else:
        graph._names[name.lower()] = 1
    one = Operation(
        graph,
        name,
        entry["type"],
        _refused,
        [reader.tensor(each) for each in entry["inputs"]],
        code_at(files[file], line, function, qualified),
        writes=entry.get("writes", False),
        fresh=entry.get("fresh", False),
    )
    one.number = len(graph.operations) + len(reader.operations)
    one.control_inputs = [reader.operations[each] for each in entry["control"]]
    one.outputs = [
        _restored_output(reader, one, number, form) for number, form in enumerate(entry["outputs"])
    ]
    if "constants" in entry:
        one.constants = reader.value(entry["constants"])
    reader.operations[key] = one


def _restored_output(reader: Reader, one: Operation, number: int, form: list[Any]) -> SymbolicTensor:
    name, shape, *known = form
    if name == "string":
        return SymbolicText(one, number, shape)
    # The handle of an array of strings has the lengths of its elements, and numbers in their place.
    texts = name == OBJECTS.name
    dtype = OBJECTS if texts else numpy_dtype(name)
    own = None if shape is None else spec(tuple(map(reader.length, shape)), np.int64 if texts else dtype)
    return SymbolicTensor(one, number, dtype, own, reader.value(known[0]) if known else None)


def _restore_variable(reader: Reader, entry: Content) -> None:
    reader.variables[entry["operation"]] = GraphVariable._restored(
        reader.operations[entry["operation"]],
        reader.tensor(entry["initial_value"]),
        reader.operations[entry["initializer"]],
        entry["trainable"],
        entry["by_reference"],
        {tuple(map(reader.operations.__getitem__, key)): reader.tensor(one) for key, one in entry["reads"]},
        None if entry["load"] is None else reader.tensor(entry["load"]),
    )


def _restore_details(reader: Reader, entry: Content, where: str) -> None:
    one = reader.operations[entry["name"]]
    if "lost" in entry and not reader.live:
        one.details = {"lost": entry["lost"], "where": where, "host": True}
        return
    kernel = entry["kernel"]
    one.kernel = names_in_files.found(kernel) if isinstance(kernel, str) else reader.value(kernel)
    reader.present = one, entry["details"]
    one.details = {key: reader.value(value) for key, value in entry["details"].items()}


def _refused(runner: Any, operation: Operation, values: Any) -> Any:
    """Says what an operation that was read from a file lacks."""
    what, where = operation.details["lost"], operation.details["where"]
    raise InvalidArgumentError(
        f"Operation {operation.name!r} was read from {where or 'a file'}, without what it calls: {what}.",
        origin=f"{operation.name!r} was built at {operation.site}",
        why="A file holds names of Penstock's functions, and no code of a program.",
        remedy="Build the graph as that program does, and call tf.train.Saver().restore(session, path). Or "
        "feed what the operation would give.",
        site=operation.site,
    )


def collect(graph: Graph, reader: Reader, content: Content) -> None:
    """Adds what was in the collections of a description to those of a graph."""
    for name, those in content["collections"].items():
        present = list(map(id, graph.get_collection(name)))
        for one in map(reader.value, those):
            # As TensorFlow keeps them.
            one = one.encode() if isinstance(one, str) else int(one) if isinstance(one, bool) else one
            if id(one) not in present or isinstance(one, bytes | int | float):
                graph.add_to_collection(name, one)


def warn_of_left(content: Content) -> None:
    """Says which collections are not in a file."""
    if content["left"]:
        warn(
            f"The collections {', '.join(map(repr, content['left']))} are not in the file of the graph: a "
            "file holds tensors, operations, variables, strings and numbers."
        )


__all__ = ["Description", "collect", "described", "keys_of", "restored", "warn_of_left"]
