"""GraphDef and MetaGraphDef: a graph as an object of its own, and as the bytes of a file.

The bytes are those of a safetensors file: the arrays of the graph, and in the metadata everything else as
JSON. TensorFlow does not read them, and a file that TensorFlow wrote is refused by name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from penstock.capture.plain_data import bytes_of
from penstock.declared import named
from penstock.errors import CheckpointError
from penstock.state import files
from penstock.tensorflow._graphs.descriptions import Content, Description
from penstock.trace.source_site import here

FORMAT, VERSION = "penstock graph", 1
_PARTS = ("operations", "variables", "objects", "names", "files", "collections", "left")
_NATIVE = "biuf"
"""Kinds of NumPy's own dtypes that are stored as they are; other arrays are stored as bytes."""


class GraphFileError(CheckpointError, OSError):
    """A file that holds no graph that can be read. Nothing was changed."""


class NodeDef:
    """One operation of a GraphDef: its name, type and inputs. Changes of it are not read."""

    def __init__(self, entry: Content) -> None:
        self._entry = entry
        self.name, self.op, self.device = str(entry["name"]), str(entry["type"]), ""
        self.input = [name if not number else f"{name}:{number}" for name, number in entry["inputs"]]
        self.input += [f"^{name}" for name in entry["control"]]
        self.attr: dict[str, Any] = {}

    def __repr__(self) -> str:
        inputs = "".join(f'  input: "{one}"\n' for one in self.input)
        return f'node {{\n  name: "{self.name}"\n  op: "{self.op}"\n{inputs}}}\n'


class Versions:
    """Numbers of versions in a GraphDef."""

    producer, min_consumer = VERSION, 0


@named("tf.compat.v1.GraphDef")
class GraphDef:
    """The operations of a graph, without a graph: to be written, cut, and added to one.

    `SerializeToString` returns bytes that `ParseFromString` of Penstock reads.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default() as graph:
    ...     total = tf.add(tf.placeholder(tf.float32, [], name="x"), 1.0, name="total")
    >>> again = tf.GraphDef()
    >>> size = again.ParseFromString(graph.as_graph_def().SerializeToString())
    >>> [node.name for node in again.node]
    ['x', 'total']
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     (y,) = tf.import_graph_def(again, return_elements=["total:0"], name="")
    ...     print(session.run(y, {"x:0": 2.0}))
    3.0
    """

    versions = Versions()

    def __init__(self, description: Description | None = None) -> None:
        self._description = description or _nothing()
        self._nodes: list[NodeDef] | None = None

    @property
    def node(self) -> list[NodeDef]:
        """The operations, in order. Those that are taken out of the list are left out of the graph."""
        if self._nodes is None:
            self._nodes = [NodeDef(one) for one in self._description.content["operations"]]
        return self._nodes

    @property
    def description(self) -> Description:
        """The operations as plain data."""
        own = self._description
        if self._nodes is not None and len(self._nodes) != len(own.content["operations"]):
            kept = {**own.content, "operations": [one._entry for one in self._nodes]}
            own = Description(kept, own.arrays, own.live, own.extra)
        return own

    def SerializeToString(self) -> bytes:
        """Returns the graph as bytes."""
        return packed(self.description)

    def ParseFromString(self, serialized: bytes) -> int:
        """Takes the graph that bytes hold; returns how many bytes there are."""
        self.__init__(unpacked(serialized, "ParseFromString"))  # type: ignore[misc]
        return len(serialized)

    MergeFromString = ParseFromString

    @classmethod
    def FromString(cls, serialized: bytes) -> Any:
        """Returns the graph that bytes hold."""
        made = cls()
        made.ParseFromString(serialized)
        return made

    def CopyFrom(self, other: Any) -> None:
        """Takes the operations of another one."""
        self.__init__(other.description)  # type: ignore[misc]

    def ByteSize(self) -> int:
        """Returns how many bytes the graph has in a file."""
        return len(self.SerializeToString())

    def __repr__(self) -> str:
        return "".join(map(repr, self.node))


@named("tf.compat.v1.MetaGraphDef")
class MetaGraphDef(GraphDef):
    """A graph with its collections, the variables of a saver, and signatures."""

    @property
    def graph_def(self) -> GraphDef:
        """The operations alone."""
        return GraphDef(self.description)

    @property
    def collection_def(self) -> dict[str, Any]:
        """The collections as plain data, by name."""
        return dict(self._description.content["collections"])

    @property
    def signature_def(self) -> dict[str, Any]:
        """The signatures by name."""
        return signatures_in(self._description.extra)


class TensorInfo:
    """The name, dtype and shape of a tensor that a signature takes or gives."""

    def __init__(self, name: str = "", dtype: Any = None, tensor_shape: Any = None) -> None:
        self.name, self.dtype, self.tensor_shape = name, dtype, tensor_shape

    def __repr__(self) -> str:
        return f'name: "{self.name}"\ndtype: {self.dtype}\ntensor_shape: {self.tensor_shape}\n'


class SignatureDef:
    """The tensors that a graph takes and gives, by name."""

    def __init__(self, inputs: Any = None, outputs: Any = None, method_name: str = "") -> None:
        self.inputs, self.outputs = dict(inputs or {}), dict(outputs or {})
        self.method_name = method_name or ""

    def __repr__(self) -> str:
        return f"inputs: {self.inputs}\noutputs: {self.outputs}\nmethod_name: {self.method_name!r}\n"


def signatures_in(extra: Mapping[str, Any]) -> dict[str, SignatureDef]:
    """Returns the signatures of a graph from plain data."""
    return {
        key: SignatureDef(_infos(inputs), _infos(outputs), method)
        for key, (inputs, outputs, method) in extra.get("signatures", {}).items()
    }


def _infos(plain: Mapping[str, Any]) -> dict[str, TensorInfo]:
    from penstock.tensorflow._dtype import as_dtype
    from penstock.tensorflow._tensor_shape import TensorShape

    return {
        key: TensorInfo(name, as_dtype(dtype), TensorShape(shape))
        for key, (name, dtype, shape) in plain.items()
    }


def plain_signatures(signatures: Mapping[str, Any]) -> dict[str, Any]:
    """Returns signatures as plain data."""

    def plain(infos: Mapping[str, Any]) -> dict[str, Any]:
        found = {}
        for key, one in infos.items():
            shape = one.tensor_shape
            known = (
                None
                if shape is None or shape.rank is None
                else [None if n is None else int(n) for n in shape]
            )
            found[key] = [one.name, one.dtype.name, known]
        return found

    return {key: [plain(one.inputs), plain(one.outputs), one.method_name] for key, one in signatures.items()}


def _nothing() -> Description:
    return Description({**{part: [] for part in _PARTS}, "collections": {}}, [], [])


# -- parts of graphs ----------------------------------------------------------------------------------------


def needed(content: Content, names: Sequence[str]) -> set[str]:
    """Returns the names of the operations that some need, these included."""
    entries = {one["name"]: one for one in content["operations"]}
    variables = {one["operation"]: one for one in content["variables"]}
    found: set[str] = set()
    waiting: list[Any] = [["operation", name] for name in names]
    seen: set[Any] = set()
    while waiting:
        kind, name = waiting.pop()
        if (kind, name) in seen:
            continue
        seen.add((kind, name))
        if kind == "object":
            waiting += _references(content["objects"][name])
            continue
        found.add(name)
        entry = entries[name]
        waiting += [["operation", one] for one, _ in entry["inputs"]]
        waiting += [["operation", one] for one in entry["control"]]
        waiting += _references(entry["details"])
        if kind == "variable":
            own = variables[name]
            waiting += [["operation", own["initializer"]], ["operation", own["initial_value"][0]]]
    return found


def _references(plain: Any) -> Iterator[list[Any]]:
    """Yields the operations, variables and objects in plain data."""
    if isinstance(plain, list):
        for one in plain:
            yield from _references(one)
    elif isinstance(plain, dict):
        for tag, one in plain.items():
            if tag == "tensor":
                yield ["operation", one[0]]
            elif tag in ("operation", "variable", "object") and isinstance(one, str | int):
                yield [tag, one]
            else:
                yield from _references(one)


def cut(description: Description, names: Sequence[str]) -> Description:
    """Returns the part of a description that some operations need."""
    content = description.content
    wanted = needed(content, names)
    operations = [one for one in content["operations"] if one["name"] in wanted]
    used = {name for one in operations for kind, name in _references(one["details"]) if kind == "variable"}
    variables = []
    for one in content["variables"]:
        if one["operation"] in used:
            reads = [read for read in one["reads"] if read[1][0] in wanted and wanted.issuperset(read[0])]
            load = one["load"] if one["load"] is not None and one["load"][0] in wanted else None
            variables.append({**one, "reads": reads, "load": load})
    kept = {**content, "operations": operations, "variables": variables, "collections": {}, "left": []}
    return Description(kept, description.arrays, description.live, description.extra)


# -- bytes --------------------------------------------------------------------------------------------------


def _stored(description: Description) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, str]]:
    """Returns the arrays by name, and the metadata of a file."""
    if not description.stored:
        used: set[int] = set()
        _arrays_in(description.content, used)
        arrays = {str(number): _as_stored(description.arrays[number]) for number in sorted(used)}
        description.stored[:] = arrays, _json(description.content)
    arrays, text = description.stored
    notes = {"format": FORMAT, "version": str(VERSION), "graph": text, "extra": _json(description.extra)}
    return arrays, notes


def _json(plain: Any) -> str:
    return json.dumps(plain, separators=(",", ":"))


def _arrays_in(plain: Any, found: set[int]) -> None:
    if isinstance(plain, list):
        for one in plain:
            if isinstance(one, list | dict):
                _arrays_in(one, found)
    elif isinstance(plain, dict):
        if isinstance(plain.get("array"), int) and "dtype" in plain:
            found.add(plain["array"])
        for one in plain.values():
            if isinstance(one, list | dict):
                _arrays_in(one, found)


def _as_stored(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype.kind in _NATIVE and array.dtype.isbuiltin == 1 and array.dtype.itemsize <= 8:
        return np.asarray(array, order="C")
    return bytes_of(array)


def packed(description: Description) -> bytes:
    """Returns a description as bytes."""
    from safetensors.numpy import save

    return bytes(save(*_stored(description)))


def write(path: str, description: Description) -> None:
    """Writes a description into a file, whole or not at all."""
    from safetensors.numpy import save_file

    arrays, notes = _stored(description)
    files.replace(path, lambda partial: save_file(arrays, partial, notes))


def read(path: Any) -> Description:
    """Returns the description in a file; raises GraphFileError for one that cannot be read."""
    name = os.fspath(path)
    with open(name, "rb") as file:
        return unpacked(file.read(), name)


def unpacked(data: Any, where: str) -> Description:
    """Returns the description in bytes; `where` names them. Raises GraphFileError for any others."""
    data = bytes(data)
    try:
        length = int.from_bytes(data[:8], "little")
        header = json.loads(data[8 : 8 + length]) if 2 <= length <= len(data) else None
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise _unread(data, where)
    notes = header.get("__metadata__") or {}
    if notes.get("format") != FORMAT:
        raise GraphFileError(
            f"{where} is a safetensors file without a graph.",
            remedy="Give the file that tf.train.Saver().save wrote beside the values: path + '.meta'.",
            site=here(),
        )
    if notes.get("version") != str(VERSION):
        raise GraphFileError(
            f"{where} holds a graph in version {notes.get('version')} of the format, and this Penstock reads "
            f"version {VERSION}.",
            remedy="Install a newer Penstock, or write the file again with this one.",
            site=here(),
        )
    try:
        from safetensors.numpy import load

        content, extra = json.loads(notes["graph"]), json.loads(notes["extra"])
        arrays = load(data)
        several = [np.zeros(0, np.uint8)] * (1 + max(map(int, arrays), default=-1))
        for name, array in arrays.items():
            several[int(name)] = array
        if not set(content) >= set(_PARTS):
            raise KeyError
    except Exception:
        raise broken(where) from None
    return Description(content, several, [], extra)


def broken(where: str) -> GraphFileError:
    """Returns the error for a graph that is damaged."""
    return GraphFileError(
        f"{where} holds a graph that is damaged.",
        why="It ends too early, or was changed. Nothing was added to the graph of this program.",
        remedy="Write it again: tf.train.Saver().save(session, path).",
        site=here(),
    )


def _unread(data: bytes, where: str) -> GraphFileError:
    if data[:1] == b"\n" or data.lstrip()[:4] in (b"node", b"meta"):
        return GraphFileError(
            f"{where} looks like a graph that TensorFlow wrote, which penstock.tensorflow does not read.",
            why="Graphs here are in a format of Penstock's own.",
            remedy="Run the program that wrote it on Penstock, too, python -m penstock run --as tensorflow "
            "program.py: the file that it writes then is read.",
            site=here(),
        )
    return GraphFileError(
        f"{where} holds no graph: it does not begin as a file of Penstock does.",
        remedy="Give a file that Penstock wrote: tf.train.Saver().save(session, path) writes path + '.meta'.",
        site=here(),
    )


__all__ = [
    "GraphDef",
    "GraphFileError",
    "MetaGraphDef",
    "SignatureDef",
    "TensorInfo",
    "broken",
    "cut",
    "needed",
    "packed",
    "read",
    "unpacked",
    "write",
]
