"""What the operations of a graph hold, as plain data for a file, and back: capture/plain_data.py, and more.

What has no such form, as a function of the program's own, raises UnwritableError. Reading calls nothing that
the file names: functions and classes are looked up in Penstock, and only objects of a few classes are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any, ClassVar

import numpy as np

from penstock.capture import plain_data
from penstock.capture.calls import Construction
from penstock.capture.plain_data import UnwritableError, words_for
from penstock.optimizers.rules import Rule
from penstock.tensorflow._dtype import DType, as_dtype
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
from penstock.trace.tensor import concrete

MADE = (
    Optimizer, Rule, Initializer, Seen, SeenSparse, SymbolicSparse, LookUp, StaticHashTable,
    StaticVocabularyTable,
)  # fmt: skip
"""Classes whose objects a file may hold, field by field."""
_LEFT_OUT = ("_at_once",)
"""Fields of such objects that belong to the process."""
_SPARSE = "penstock.tensorflow._graphs.sparse"


class Writer(plain_data.Writer):
    """Makes plain data of values; `keys` are the names of operations."""

    forms: ClassVar[dict[type, Callable[[Any, Any], Any]]] = {
        **plain_data.Writer.forms,
        Place: lambda writer, one: {"place": one.number},
        DType: lambda writer, one: {"DType": one.name},
        EagerTensor: lambda writer, one: {"eager": writer.array(np.asarray(one._value))},
        StringTensor: lambda writer, one: {"text": writer.array(one._array)},
        Operation: lambda writer, one: {"operation": writer.key(one)},
        Construction: lambda writer, one: {
            "construction": writer.value(one.call),
            "arguments": writer.value(one.arguments),
            "options": writer.value(one.options),
        },
        Branch: lambda writer, one: {
            "branch": {name: writer.value(value) for name, value in vars(one).items()}
        },
        ModuleType: lambda writer, one: _module(one),
    }

    def __init__(self, keys: Mapping[Operation, str]) -> None:
        super().__init__()
        self.keys = keys
        self.variables: dict[GraphVariable, None] = {}

    def key(self, operation: Operation) -> str:
        """Returns the name of an operation; raises UnwritableError for one of another graph."""
        if operation not in self.keys:
            raise UnwritableError(f"the operation {operation.name!r} of another graph")
        return self.keys[operation]

    def function_name(self, one: Any) -> str:
        """Returns the name of a function of Penstock."""
        name = names_in_files.name_of(one)
        if name is None:
            raise UnwritableError(words_for(one))
        return name

    class_name = function_name

    def fields(self, one: Any) -> Mapping[str, Any]:
        """Returns the fields of an object that a file holds."""
        kept = {key: value for key, value in vars(one).items() if key not in _LEFT_OUT}
        if "given_numbers" in kept:
            # What a function gives was asked when the operation was built.
            numbers = kept["given_numbers"].items()
            kept["given_numbers"] = {
                name: None if isinstance(each, FunctionType) else each for name, each in numbers
            }
        return kept

    def other(self, one: Any) -> Any:
        """Returns tensors, variables, shapes and objects of the dialect as plain data."""
        if isinstance(one, SymbolicTensor):
            return {"tensor": [self.key(one.op), one.value_index]}
        own = getattr(one, "_in_graph", None)
        if isinstance(one, GraphVariable) or isinstance(own, GraphVariable):
            return self._variable(one if own is None else own)
        if isinstance(one, MADE):
            return self.object(one)
        if one is STRING:
            return {"DType": "string"}
        if isinstance(one, SparseTensor):
            return {"sparse": self.values([one.indices, one.values, one.dense_shape])}
        if one is UNKNOWN:
            return {"shape": None}
        if isinstance(one, TensorShape):
            return {"open": True} if one.rank is None else {"shape": self.values(one)}
        if type(one).__module__.startswith(("penstock.tensorflow.keras", "penstock.layers")):
            return on_first_use("keras_in_files").written(self, one)
        return super().other(one)

    def _variable(self, one: GraphVariable) -> Any:
        key = self.key(one.op)
        self.variables.setdefault(one)
        return {"variable": key}


def _module(one: ModuleType) -> Any:
    if one.__name__ != _SPARSE:
        raise UnwritableError(f"the module {one.__name__}")
    return {"module": one.__name__}


class Reader(plain_data.Reader):
    """Makes values of plain data; `operations` and `tensors` are those of the graph that is being read.

    `live` are the objects of this process for what the file does not hold.
    """

    tags: ClassVar[dict[str, Callable[[Any, Any, Any], Any]]] = {
        **plain_data.Reader.tags,
        "place": lambda reader, number, _: Place(number),
        "DType": lambda reader, name, _: as_dtype(name),
        "shape": lambda reader, items, _: UNKNOWN if items is None else TensorShape(reader.value(items)),
        "open": lambda reader, *_: TensorShape(None),
        "eager": lambda reader, form, _: concrete(reader.value(form), EagerTensor),
        "text": lambda reader, form, _: StringTensor(reader.value(form)),
        "sparse": lambda reader, parts, _: SparseTensor(*reader.value(parts)),
        "tensor": lambda reader, place, _: reader.tensor(place),
        "operation": lambda reader, key, _: reader.operations[key],
        "variable": lambda reader, key, _: reader.variables[key],
        "construction": lambda reader, call, form: Construction(
            reader.value(call), reader.value(form["arguments"]), reader.value(form["options"])
        ),
        "branch": lambda reader, fields, _: _branch(reader, fields),
        "module": lambda reader, name, _: _module_named(name),
        "keras": lambda reader, _, form: on_first_use("keras_in_files").read(reader, form),
        "lost": lambda reader, number, _: reader.live[number],
    }

    def __init__(
        self, content: Mapping[str, Any], arrays: Sequence[np.ndarray[Any, Any]], live: Sequence[Any] = ()
    ) -> None:
        super().__init__(content, arrays)
        self.live = live
        self.operations: dict[str, Operation] = {}
        self.tensors: dict[tuple[str, int], Any] = {}
        self.variables: dict[str, GraphVariable] = {}
        self.present: tuple[Operation, Any] | None = None

    def function_named(self, name: str) -> Any:
        """Returns a function or class of Penstock."""
        return names_in_files.found(name)

    class_named = function_named

    def class_of_objects(self, name: str) -> Any:
        """Returns one of the classes MADE."""
        return self.subclass(name, MADE)

    def tensor(self, place: Sequence[Any]) -> Any:
        """Returns a tensor by the name of its operation and its number."""
        key, number = place
        found = self.tensors.get((key, number))
        return self.operations[key].outputs[number] if found is None else found

    def made(self, number: int) -> Any:
        """Returns an object that several operations may share, made once."""
        form = self._objects[number]
        if number not in self._made and "class" not in form:
            return on_first_use("keras_in_files").made(self, number, form, self._made)
        return super().made(number)


def _branch(reader: Reader, fields: Any) -> Branch:
    made = Branch.__new__(Branch)
    vars(made).update({name: reader.value(value) for name, value in fields.items()})
    return made


def _module_named(name: str) -> Any:
    if name != _SPARSE:
        raise LookupError(name)
    return import_module(name)


__all__ = ["Reader", "Writer"]
