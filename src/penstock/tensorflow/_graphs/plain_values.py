"""What the operations of a graph hold, as plain data for a file, and back.

Numbers, strings and lists are themselves; anything else is a dictionary whose first key says what it is. What
has no such form, as a function of the program's own, raises UnwritableError. Reading calls nothing that the
file names: functions and classes are looked up in Penstock, and only objects of a few classes are made.
"""

from __future__ import annotations

import base64
import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from penstock.capture.calls import Construction, Input
from penstock.optimizers.rules import Rule
from penstock.tensorflow._dtype import DType, as_dtype, numpy_dtype
from penstock.tensorflow._graphs import names_in_files
from penstock.tensorflow._graphs.cond import Branch
from penstock.tensorflow._graphs.graph import Operation, on_first_use
from penstock.tensorflow._graphs.infer import Place
from penstock.tensorflow._graphs.initializers import Initializer
from penstock.tensorflow._graphs.optimizers import Optimizer
from penstock.tensorflow._graphs.sparse import SymbolicSparse
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor
from penstock.tensorflow._graphs.texts import Seen, SeenSparse
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._string_type import STRING
from penstock.tensorflow._strings import StringTensor
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._tensor_shape import TensorShape
from penstock.tensorflow.lookup import LookUp, StaticHashTable, StaticVocabularyTable
from penstock.tensorflow.sparse import SparseTensor
from penstock.trace.lengths import Length
from penstock.trace.polynomials import Name, Part
from penstock.trace.source_site import Site
from penstock.trace.tensor import concrete

MADE = (
    Optimizer, Rule, Initializer, Seen, SeenSparse, SymbolicSparse, LookUp, StaticHashTable,
    StaticVocabularyTable,
)  # fmt: skip
"""Classes whose objects a file may hold, field by field."""
_LEFT_OUT = ("_at_once",)
"""Fields of such objects that belong to the process."""
_TYPES = {one.__name__: one for one in (bool, int, float, str, bytes, complex)}
_SPARSE = "penstock.tensorflow._graphs.sparse"
_LARGE = 64
"""The number of elements from which a repeated one is written once, as the zeros that slots start with."""


class UnwritableError(Exception):
    """A value that no file holds; `what` says in words what it is."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def words_for(one: Any) -> str:
    """Returns words for an object of a program that no file holds."""
    inner = getattr(one, "__func__", one)
    code = getattr(inner, "__code__", None)
    if code is not None:
        name = "a lambda" if inner.__name__ == "<lambda>" else f"the function {inner.__qualname__!r}"
        return f"{name} ({code.co_filename}:{code.co_firstlineno})"
    if isinstance(one, type):
        return f"the class {one.__qualname__!r}"
    return f"an object of class {type(one).__qualname__!r}"


def base64_of(text: bytes) -> str:
    """Returns bytes as text."""
    return base64.b64encode(text).decode("ascii")


# -- writing ------------------------------------------------------------------------------------------------


class Writer:
    """Makes plain data of values; `keys` are the names of operations.

    It collects the arrays, the names of unknown lengths, and the objects that several operations share.
    """

    def __init__(self, keys: Mapping[Operation, str]) -> None:
        self.keys = keys
        self.arrays: list[np.ndarray[Any, Any]] = []
        self.names: list[Any] = []
        self.objects: list[Any] = []
        self.variables: dict[GraphVariable, None] = {}
        self._numbers: dict[Any, int] = {}
        self._failed: dict[int, str] = {}
        self._held: list[Any] = []

    def value(self, one: Any) -> Any:
        """Returns a value as plain data; raises UnwritableError for one that has no such form."""
        kind = type(one)
        if one is None or kind in _PLAIN:
            return one
        write = _WRITERS.get(kind)
        return _other(self, one) if write is None else write(self, one)

    def values(self, several: Any) -> list[Any]:
        """Returns several values as plain data."""
        return [self.value(one) for one in several]

    def key(self, operation: Operation) -> str:
        """Returns the name of an operation; raises UnwritableError for one of another graph."""
        if operation not in self.keys:
            raise UnwritableError(f"the operation {operation.name!r} of another graph")
        return self.keys[operation]

    def number(self, one: Any, put: Callable[[int], None]) -> int:
        """Returns the number of an object that may be met again; `put` writes a new one."""
        number = self._numbers.get(id(one))
        if number is None:
            self._held.append(one)
            number = self._numbers[id(one)] = len(self.objects)
            self.objects.append(None)
            try:
                put(number)
            except UnwritableError as error:
                self._failed[id(one)] = error.what
                raise
        elif id(one) in self._failed:
            raise UnwritableError(self._failed[id(one)])
        return number

    def array(self, one: np.ndarray[Any, Any]) -> Any:
        """Returns an array by its number, or with its strings."""
        if one.dtype.kind == "O":
            if any(type(each) is Length for each in one.ravel().tolist()):
                return {"lengths": self.values(one.ravel().tolist()), "shape": list(one.shape)}
            return {"strings": [_text(each) for each in one.ravel().tolist()], "shape": list(one.shape)}
        if one.dtype.kind in "USMmV" and one.dtype.isbuiltin != 2:
            raise UnwritableError(f"an array of {one.dtype}")
        kept = _one_of(one) if _is_one(one) else one
        self.arrays.append(kept)
        form = {"array": len(self.arrays) - 1, "dtype": one.dtype.name, "shape": list(one.shape)}
        return form if kept is one else {**form, "repeated": True}

    def length(self, one: Any) -> Any:
        """Returns a length that is not known: its terms, with the names in it by number."""
        if type(one) is not Length:
            return int(one)
        return [[factor, [[self._part(part), n] for part, n in own]] for own, factor in one.terms.items()]

    def _part(self, part: Any) -> Any:
        if isinstance(part, Part):
            return [part.kind, self.length(part.a), self.length(part.b)]
        number = self._numbers.get(part)
        if number is None:
            number = self._numbers[part] = len(self.names)
            self.names.append([part.label, part.least])
        return number


def _is_one(array: np.ndarray[Any, Any]) -> bool:
    """Returns whether a larger array has one number everywhere, to the last bit."""
    if array.size < _LARGE or array.dtype.itemsize not in (1, 2, 4, 8):
        return False
    bits = np.ascontiguousarray(array).reshape(-1).view(f"u{array.dtype.itemsize}")
    return bool((bits == bits[0]).all())


def _one_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.array(array.reshape(-1)[:1]).reshape(())


def _text(one: Any) -> str:
    if not isinstance(one, bytes | str):
        raise UnwritableError(f"an array of objects of class {type(one).__name__!r}")
    return base64_of(one if isinstance(one, bytes) else one.encode())


def _function(writer: Writer, one: Any) -> Any:
    name = names_in_files.name_of(one)
    if name is None:
        raise UnwritableError(words_for(one))
    return {"function": name}


def _class(writer: Writer, one: type) -> Any:
    if one in _TYPES.values():
        return {"type": one.__name__}
    if issubclass(one, np.generic) and getattr(np, one.__name__, None) is one:
        return {"type": f"numpy.{one.__name__}"}
    return _function(writer, one)


def _branch(writer: Writer, one: Branch) -> Any:
    fields = {name: writer.value(value) for name, value in vars(one).items()}
    return {"branch": fields}


def _variable(writer: Writer, one: GraphVariable) -> Any:
    key = writer.key(one.op)
    writer.variables.setdefault(one)
    return {"variable": key}


def _object(writer: Writer, one: Any) -> Any:
    name = names_in_files.name_of(type(one))
    if name is None:
        raise UnwritableError(words_for(one))

    def put(number: int) -> None:
        fields = {key: writer.value(value) for key, value in _fields(one) if key not in _LEFT_OUT}
        writer.objects[number] = {"class": name, "fields": fields}

    return {"object": writer.number(one, put)}


def _fields(one: Any) -> Iterator[tuple[str, Any]]:
    for key, value in vars(one).items():
        if key == "given_numbers":
            # What a function gives was asked when the operation was built.
            value = {name: None if isinstance(each, FunctionType) else each for name, each in value.items()}
        yield key, value


def _module(writer: Writer, one: ModuleType) -> Any:
    if one.__name__ != _SPARSE:
        raise UnwritableError(f"the module {one.__name__}")
    return {"module": one.__name__}


def _other(writer: Writer, one: Any) -> Any:
    if isinstance(one, SymbolicTensor):
        return {"tensor": [writer.key(one.op), one.value_index]}
    own = getattr(one, "_in_graph", None)
    if isinstance(one, GraphVariable) or isinstance(own, GraphVariable):
        return _variable(writer, one if own is None else own)
    if isinstance(one, enum.Enum):
        return {"member": one.name, "of": _function(writer, type(one))["function"]}
    if isinstance(one, MADE):
        return _object(writer, one)
    if isinstance(one, int | float | str) and not isinstance(one, np.generic):
        return next(kind for kind in (int, float, str) if isinstance(one, kind))(one)
    if one is STRING:
        return {"DType": "string"}
    if isinstance(one, SparseTensor):
        return {"sparse": writer.values([one.indices, one.values, one.dense_shape])}
    if one is UNKNOWN:
        return {"shape": None}
    if isinstance(one, TensorShape):
        return {"open": True} if one.rank is None else {"shape": writer.values(one)}
    if isinstance(one, tuple) and hasattr(one, "_fields"):
        return {"named": _function(writer, type(one))["function"], "items": writer.values(one)}
    if isinstance(one, np.generic):
        return {"number": writer.array(np.asarray(one))}
    if isinstance(one, np.dtype):
        return {"dtype": one.name}
    if isinstance(one, np.ndarray):
        return writer.array(one)
    if isinstance(one, type):
        return _class(writer, one)
    if isinstance(one, Mapping) and type(one) is not dict:
        raise UnwritableError(words_for(one))
    if type(one).__module__.startswith(("penstock.tensorflow.keras", "penstock.layers")):
        return _of_keras(writer, one)
    raise UnwritableError(words_for(one))


def _of_keras(writer: Writer, one: Any) -> Any:
    return on_first_use("keras_in_files").written(writer, one)


_PLAIN = (bool, int, float, str)
_WRITERS: dict[type, Callable[[Writer, Any], Any]] = {
    list: lambda writer, one: writer.values(one),
    tuple: lambda writer, one: {"tuple": writer.values(one)},
    dict: lambda writer, one: {"dict": [[writer.value(a), writer.value(b)] for a, b in one.items()]},
    set: lambda writer, one: {"set": writer.values(one)},
    Input: lambda writer, one: {"input": one.number},
    Place: lambda writer, one: {"place": one.number},
    np.ndarray: lambda writer, one: writer.array(one),
    DType: lambda writer, one: {"DType": one.name},
    Length: lambda writer, one: {"length": writer.length(one)},
    slice: lambda writer, one: {"slice": writer.values([one.start, one.stop, one.step])},
    type(Ellipsis): lambda writer, one: {"ellipsis": True},
    bytes: lambda writer, one: {"bytes": base64_of(one)},
    complex: lambda writer, one: {"complex": [one.real, one.imag]},
    EagerTensor: lambda writer, one: {"eager": writer.array(np.asarray(one._value))},
    StringTensor: lambda writer, one: {"text": writer.array(one._array)},
    Site: lambda writer, one: {"site": [one.file, one.line, one.function]},
    Operation: lambda writer, one: {"operation": writer.key(one)},
    Construction: lambda writer, one: {
        "construction": writer.value(one.call), "arguments": writer.value(one.arguments),
        "options": writer.value(one.options),
    },
    FunctionType: _function,
    Branch: _branch,
    ModuleType: _module,
}  # fmt: skip


# -- reading ------------------------------------------------------------------------------------------------


class Reader:
    """Makes values of plain data; `operations` and `tensors` are those of the graph that is being read.

    `live` are the objects of this process for what the file does not hold.
    """

    def __init__(
        self, content: Mapping[str, Any], arrays: Sequence[np.ndarray[Any, Any]], live: Sequence[Any] = ()
    ) -> None:
        self.arrays, self.live = arrays, live
        self.names = [Name(str(label), least) for label, least in content["names"]]
        self.operations: dict[str, Operation] = {}
        self.tensors: dict[tuple[str, int], Any] = {}
        self.variables: dict[str, GraphVariable] = {}
        self.present: tuple[Operation, Any] | None = None
        self._objects: list[Any] = list(content["objects"])
        self._made: dict[int, Any] = {}

    def value(self, one: Any) -> Any:
        """Returns the value of plain data."""
        kind = type(one)
        if kind is list:
            return [self.value(each) for each in one]
        if kind is not dict:
            return one
        tag = next(iter(one))
        return _READERS[tag](self, one[tag], one)

    def tensor(self, place: Sequence[Any]) -> Any:
        """Returns a tensor by the name of its operation and its number."""
        key, number = place
        found = self.tensors.get((key, number))
        return self.operations[key].outputs[number] if found is None else found

    def array(self, number: int, form: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        """Returns an array by its number."""
        found = self.arrays[number].view(numpy_dtype(form["dtype"]))
        if form.get("repeated"):
            return np.full(form["shape"], found.reshape(())[()], found.dtype)
        return found.reshape(form["shape"])

    def length(self, terms: Any) -> Any:
        """Returns a length by its terms."""
        if type(terms) is not list:
            return int(terms)
        return Length({frozenset((self._part(part), n) for part, n in own): factor for factor, own in terms})

    def _part(self, part: Any) -> Any:
        if type(part) is list:
            kind, a, b = part
            return Part(str(kind), self.length(a), self.length(b))
        return self.names[part]

    def made(self, number: int) -> Any:
        """Returns an object that several operations may share, made once."""
        if number not in self._made:
            form = self._objects[number]
            if "class" not in form:
                return on_first_use("keras_in_files").made(self, number, form, self._made)
            kind = names_in_files.found(form["class"])
            if not issubclass(kind, MADE):
                raise LookupError(form["class"])
            self._made[number] = one = kind.__new__(kind)
            for name, value in form["fields"].items():
                setattr(one, name, self.value(value))
        return self._made[number]


def _read_branch(reader: Reader, fields: Any, _: Any) -> Branch:
    made = Branch.__new__(Branch)
    vars(made).update({name: reader.value(value) for name, value in fields.items()})
    return made


def _read_type(reader: Reader, name: str, _: Any) -> Any:
    if name.startswith("numpy."):
        found = getattr(np, name.removeprefix("numpy."))
        if not (isinstance(found, type) and issubclass(found, np.generic)):
            raise LookupError(name)
        return found
    return _TYPES[name]


def _read_named(reader: Reader, name: str, form: Any) -> Any:
    kind = names_in_files.found(name)
    if not (isinstance(kind, type) and issubclass(kind, tuple)):
        raise LookupError(name)
    return tuple.__new__(kind, reader.value(form["items"]))


def _read_member(reader: Reader, name: str, form: Any) -> Any:
    kind = names_in_files.found(form["of"])
    if not (isinstance(kind, type) and issubclass(kind, enum.Enum)):
        raise LookupError(form["of"])
    return kind[name]


def _objects(shape: Sequence[int], values: Sequence[Any]) -> np.ndarray[Any, Any]:
    flat = np.empty(len(values), object)
    flat[:] = values
    return flat.reshape(shape)


def _read_module(reader: Reader, name: str, _: Any) -> Any:
    if name != _SPARSE:
        raise LookupError(name)
    return import_module(name)


def _read_of_keras(reader: Reader, _: Any, form: Any) -> Any:
    return on_first_use("keras_in_files").read(reader, form)


_READERS: dict[str, Callable[[Reader, Any, Any], Any]] = {
    "tuple": lambda reader, items, _: tuple(reader.value(items)),
    "dict": lambda reader, pairs, _: {reader.value(a): reader.value(b) for a, b in pairs},
    "set": lambda reader, items, _: set(reader.value(items)),
    "input": lambda reader, number, _: Input(number),
    "place": lambda reader, number, _: Place(number),
    "array": lambda reader, number, form: reader.array(number, form),
    "lengths": lambda reader, items, form: _objects(form["shape"], reader.value(items)),
    "strings": lambda reader, items, form: _objects(form["shape"], [base64.b64decode(one) for one in items]),
    "number": lambda reader, form, _: reader.value(form)[()],
    "dtype": lambda reader, name, _: numpy_dtype(name),
    "DType": lambda reader, name, _: as_dtype(name),
    "type": _read_type,
    "shape": lambda reader, items, _: UNKNOWN if items is None else TensorShape(reader.value(items)),
    "open": lambda reader, *_: TensorShape(None),
    "length": lambda reader, terms, _: reader.length(terms),
    "slice": lambda reader, ends, _: slice(*reader.value(ends)),
    "ellipsis": lambda reader, *_: Ellipsis,
    "bytes": lambda reader, text, _: base64.b64decode(text),
    "complex": lambda reader, parts, _: complex(*parts),
    "eager": lambda reader, form, _: concrete(reader.value(form), EagerTensor),
    "text": lambda reader, form, _: StringTensor(reader.value(form)),
    "sparse": lambda reader, parts, _: SparseTensor(*reader.value(parts)),
    "site": lambda reader, parts, _: Site(*parts),
    "tensor": lambda reader, place, _: reader.tensor(place),
    "operation": lambda reader, key, _: reader.operations[key],
    "variable": lambda reader, key, _: reader.variables[key],
    "construction": lambda reader, call, form: Construction(
        reader.value(call), reader.value(form["arguments"]), reader.value(form["options"])
    ),
    "function": lambda reader, name, _: names_in_files.found(name),
    "branch": _read_branch,
    "object": lambda reader, number, _: reader.made(number),
    "named": _read_named,
    "member": _read_member,
    "module": _read_module,
    "keras": _read_of_keras,
    "lost": lambda reader, number, _: reader.live[number],
}


__all__ = ["Reader", "UnwritableError", "Writer", "words_for"]
