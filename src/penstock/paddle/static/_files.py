"""Programs as data: operations, and layers of Paddle's own, as JSON that another process can read.

A function is written by its name, and found by it among the functions that a program may call: a file can
make nothing else run.
"""

from __future__ import annotations

import base64
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from penstock import declared
from penstock.capture.calls import Input, site_code
from penstock.functions import scratch
from penstock.functions.scratch import shown_shape
from penstock.paddle._dtype import dtype as Dtype
from penstock.paddle._dtype import numpy_dtype
from penstock.paddle._errors import NotThereError
from penstock.paddle._mode import mode
from penstock.paddle._saving import load as load_file
from penstock.paddle._saving import save as save_file
from penstock.paddle._tensor import Leaf, Parameter
from penstock.paddle.nn._layer import Layer
from penstock.paddle.static import _building, _control
from penstock.paddle.static._program import Operation, Program
from penstock.paddle.static._variable import OPERATORS, Variable, method_named
from penstock.state import files
from penstock.trace.source_site import here, user_frame
from penstock.trace.spec import spec
from penstock.trace.tensor import Tensor

_OURS = "penstock.paddle."
_VERSION = 1
_CONTROLS = {"choice": _control._Choice, "loop": _control._Loop}


class UnwritableError(Exception):
    """A call that a file cannot hold; the text says which."""


# -- writing -----------------------------------------------------------------------------------------------


class _Writer:
    """Turns operations into data; tensors, results, layers and other objects are numbered as they come."""

    def __init__(self) -> None:
        self.values: dict[Any, int] = {}
        self.leaves: dict[int, tuple[int, Any]] = {}
        self.objects: dict[int, tuple[int, Any]] = {}
        self.written_objects: list[Any] = []

    def value(self, one: Variable) -> int:
        """Returns the number of a result, or of data."""
        return self.values.setdefault(one, len(self.values))

    def leaf(self, one: Any) -> int:
        """Returns the number of a tensor with a value of its own."""
        return self.leaves.setdefault(id(one), (len(self.leaves), one))[0]

    def object(self, one: Any) -> int:
        """Returns the number of a layer or another object, and writes it if it is new."""
        if id(one) not in self.objects:
            number = len(self.objects)
            self.objects[id(one)] = number, one
            self.written_objects.append(None)
            state = {name: self.data(kept) for name, kept in vars(one).items()}
            items = [self.data(each) for each in one] if isinstance(one, list | tuple) else None
            self.written_objects[number] = {
                "class": _name_of_class(type(one)), "state": state, "items": items
            }  # fmt: skip
        return self.objects[id(one)][0]

    def operation(self, one: Operation) -> dict[str, Any]:
        """Returns an operation as data."""
        made: dict[str, Any] = {
            "kind": one.kind,
            "inputs": [self.value(each) for each in one.inputs],
            "outputs": [self.value(each) for each in one.outputs],
        }
        for word, control in _CONTROLS.items():
            if type(one) is control:
                made["control"] = word
                made["parts"] = [
                    {
                        "operations": [self.operation(each) for each in part.operations],
                        "results": [self.value(each) for each in part.results],
                    }
                    for part in one.parts
                ]
                for name in ("starts", "counters"):
                    made[name] = [self.value(each) for each in getattr(one, name, ())]
                return made
        if type(one) is not Operation:
            raise UnwritableError(f"the loop written at {one.site}")
        try:
            made["call"] = self.call(one.call)
            made["arguments"], made["options"] = self.data(one.arguments), self.data(one.options)
            made["layers"] = [[self.object(layer), training] for layer, training in one.layers]
        except UnwritableError as error:
            raise UnwritableError(f"{error}, in {one.kind} at {one.site}") from None
        return made

    def call(self, call: Any) -> dict[str, Any]:
        """Returns a function as data: its name, by which it is found again."""
        if isinstance(call, MethodType) and isinstance(call.__self__, Layer):
            return {"layer": self.object(call.__self__)}
        for name, known in OPERATORS.items():
            if call is known:
                return {"operator": name}
        method = getattr(call, "method", None)
        if method is not None and call is method_named(method):
            return {"method": method}
        return {"function": _name_of_function(call)}

    def data(self, one: Any) -> Any:
        """Returns a value as data; raises UnwritableError if there is no form for it."""
        if one is None or type(one) in (bool, int, float, str):
            return one
        if type(one) is list:
            return [self.data(each) for each in one]
        if type(one) in (tuple, set, frozenset):
            return {type(one).__name__: [self.data(each) for each in one]}
        if type(one) in (dict, OrderedDict):
            pairs = [[self.data(name), self.data(value)] for name, value in one.items()]
            return {"dict" if type(one) is dict else "ordered": pairs}
        if isinstance(one, Input):
            return {"input": one.number}
        if isinstance(one, Leaf) or id(one) in self.leaves:
            return {"leaf": self.leaf(one)}
        if isinstance(one, Layer):
            return {"object": self.object(one)}
        if isinstance(one, Tensor):
            return {"tensor": _array(np.asarray(one.numpy()))}
        return self._rarer(one)

    def _rarer(self, one: Any) -> Any:
        if isinstance(one, np.ndarray):
            return {"array": _array(one)}
        if isinstance(one, np.generic):
            return {"scalar": _array(np.asarray(one))}
        if isinstance(one, complex):
            return {"complex": [one.real, one.imag]}
        if isinstance(one, slice):
            return {"slice": [self.data(each) for each in (one.start, one.stop, one.step)]}
        if one is Ellipsis:
            return {"ellipsis": True}
        if isinstance(one, Dtype):
            return {"dtype": numpy_dtype(one).name}
        if isinstance(one, np.dtype):
            return {"numpy_dtype": one.name}
        if isinstance(one, type):
            if issubclass(one, np.generic):
                return {"scalar_type": np.dtype(one).name}
            return {"class": _name_of_class(one)}
        if isinstance(one, FunctionType):
            return {"function": _name_of_function(one)}
        if isinstance(one, MethodType) and isinstance(one.__self__, Layer):
            return {"method_of": [self.object(one.__self__), one.__name__]}
        if type(one).__module__.startswith(_OURS) and hasattr(one, "__dict__"):
            return {"object": self.object(one)}
        raise UnwritableError(f"an object of class {type(one).__qualname__}")


def _array(one: np.ndarray[Any, Any]) -> dict[str, Any]:
    if one.dtype == object:
        raise UnwritableError("an array of objects")
    content = base64.b64encode(np.ascontiguousarray(one).tobytes()).decode()
    return {"dtype": one.dtype.name, "shape": list(one.shape), "content": content}


def _name_of_class(kind: type) -> str:
    name = f"{kind.__module__}:{kind.__qualname__}"
    if _found_class(name) is not kind:
        raise UnwritableError(f"an object of class {kind.__qualname__}")
    return name


def _name_of_function(function: Any) -> str:
    name = f"{function.__module__}:{getattr(function, '__qualname__', '?')}"
    found = _found_function(name) if function.__module__.startswith(_OURS) else None
    if found is None or (found is not function and _building.computing(found) is not function):
        raise UnwritableError(f"the function {function.__qualname__}")
    return name


def write(
    path: str, program: Program, feed: Sequence[Variable], fetch: Sequence[Variable],
    names: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Writes a program to `path.json`, and the values of its tensors to `path.pdiparams`.

    `names` are the names of tensors in the state of a layer. Raises UnwritableError if a call has no form in
    a file; then nothing is written.
    """
    writer = _Writer()
    for one in (names or {}).values():
        writer.leaf(one)
    inputs = [writer.value(one) for one in feed]
    operations = [writer.operation(one) for one in program.operations]
    outputs = [writer.value(one) for one in fetch]
    for one in program.leaves.values():
        writer.leaf(one)
    leaves = [one for _, one in writer.leaves.values()]
    called = _distinct([one.name for one in leaves])
    made = {
        "penstock": _VERSION,
        "inputs": inputs,
        "outputs": outputs,
        "values": [_described(one) for one in writer.values],
        "leaves": [_described_leaf(one, name) for one, name in zip(leaves, called)],
        "objects": writer.written_objects,
        "operations": operations,
        "testing": program.testing,
        "names": {name: writer.leaves[id(one)][0] for name, one in (names or {}).items()},
    }
    arrays = {name: np.asarray(one.numpy()) for one, name in zip(leaves, called)}
    save_file(arrays, f"{path}.pdiparams")
    _replace_json(path, made)


def _distinct(names: Sequence[str]) -> list[str]:
    """Returns names of which no two are equal."""
    counts: dict[str, int] = {}
    found = []
    for name in names:
        count = counts[name] = counts.get(name, -1) + 1
        found.append(f"{name}#{count}" if count else name)
    return found


def _described(one: Variable) -> dict[str, Any]:
    return {
        "name": one.name,
        "word": one.word,
        "shape": list(shown_shape(one.spec.shape)),
        "dtype": one.spec.dtype.name,
        "stopped": one._stops,
        "cut": one.is_stopped,
        "watched": one.is_watched,
    }


def _described_leaf(one: Any, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "trainable": not one.stop_gradient,
    }


# -- reading -----------------------------------------------------------------------------------------------


class Written:
    """A program that was read: its data, its outputs, and its tensors by name."""

    def __init__(
        self, program: Program, feed: list[Variable], fetch: list[Variable], names: dict[str, Any]
    ) -> None:
        self.program, self.feed, self.fetch, self.names = program, feed, fetch, names

    def values(self, inputs: Sequence[Any], testing: bool) -> list[Any]:
        """Makes the calls on these inputs; returns the outputs."""
        values = dict(zip(self.feed, inputs, strict=True))
        with mode.running():
            for one in self.program.operations:
                one.run(values, testing)
        return [values[one] for one in self.fetch]


class _Reader:
    def __init__(self, made: dict[str, Any], arrays: dict[str, Any]) -> None:
        self.made = made
        self.leaves = [_leaf(one, arrays[one["name"]]) for one in made["leaves"]]
        self.values = [_variable(one) for one in made["values"]]
        self.objects: dict[int, Any] = {}
        self.codes: dict[Any, Any] = {}

    def read(self) -> Written:
        program = Program()
        program.operations[:] = [self.operation(one) for one in self.made["operations"]]
        program.testing = self.made["testing"]
        program.leaves = {one.path: one for one in self.leaves}
        feed = [self.values[number] for number in self.made["inputs"]]
        program.data = {one.name: one for one in feed}
        fetch = [self.values[number] for number in self.made["outputs"]]
        names = {name: self.leaves[number] for name, number in self.made["names"].items()}
        return Written(program, feed, fetch, names)

    def operation(self, made: dict[str, Any]) -> Operation:
        inputs = [self.values[number] for number in made["inputs"]]
        code = site_code(user_frame(1), self.codes)
        operation: Any
        if "control" in made:
            operation = object.__new__(_CONTROLS[made["control"]])
            Operation.__init__(operation, made["kind"], _control._never, [], {}, inputs, code)
            operation.parts = [_part(self, one) for one in made["parts"]]
            operation.blocks = [one.operations for one in operation.parts]
            operation.starts = [self.values[number] for number in made["starts"]]
            operation.counters = [self.values[number] for number in made["counters"]]
        else:
            call = self.call(made["call"])
            arguments, options = self.data(made["arguments"]), self.data(made["options"])
            operation = Operation(made["kind"], call, arguments, options, inputs, code)
            operation.layers = [(self.object(number), training) for number, training in made["layers"]]
        operation.outputs = [self.values[number] for number in made["outputs"]]
        return operation  # type: ignore[no-any-return]

    def call(self, made: dict[str, Any]) -> Callable[..., Any]:
        ((kind, what),) = made.items()
        if kind == "layer":
            return _building.calling(self.object(what))
        if kind == "operator":
            return OPERATORS[what]
        if kind == "method":
            return method_named(what)
        return self._function(what)

    def _function(self, name: str) -> Callable[..., Any]:
        found = _found_function(name)
        if found is None:
            raise _not_ours(f"{name} is not among the functions that a program may call")
        return found  # type: ignore[no-any-return]

    def object(self, number: int) -> Any:
        if number not in self.objects:
            written = self.made["objects"][number]
            kind, items = _class_named(written["class"]), written["items"]
            made = self.objects[number] = kind.__new__(kind) if items is None else kind(self.data(items))
            made.__dict__.update({name: self.data(one) for name, one in written["state"].items()})
        return self.objects[number]

    def data(self, made: Any) -> Any:
        if isinstance(made, list):
            return [self.data(one) for one in made]
        if not isinstance(made, dict):
            return made
        ((kind, what),) = made.items()
        match kind:
            case "tuple" | "set" | "frozenset":
                return {"tuple": tuple, "set": set, "frozenset": frozenset}[kind](map(self.data, what))
            case "dict" | "ordered":
                pairs = [(self.data(name), self.data(one)) for name, one in what]
                return dict(pairs) if kind == "dict" else OrderedDict(pairs)
            case "input":
                return Input(what)
            case "leaf":
                return self.leaves[what]
            case "object":
                return self.object(what)
            case "tensor":
                return Leaf(_read_only(_of_array(what)))
            case "array":
                return _of_array(what)
            case "scalar":
                return _of_array(what)[()]
            case "complex":
                return complex(*what)
            case "slice":
                return slice(*map(self.data, what))
            case "ellipsis":
                return Ellipsis
            case "dtype":
                from penstock.paddle._dtype import shown

                return shown(np.dtype(_dtype_named(what)))
            case "numpy_dtype":
                return _dtype_named(what)
            case "scalar_type":
                return _dtype_named(what).type
            case "class":
                return _class_named(what)
            case "function":
                return self._function(what)
            case "method_of":
                return getattr(self.object(what[0]), what[1])
        raise _not_ours(f"{kind!r} is no form of a value")


def _part(reader: _Reader, made: dict[str, Any]) -> Any:
    part = object.__new__(_control._Part)
    part.operations = [reader.operation(one) for one in made["operations"]]
    part.results = [reader.values[number] for number in made["results"]]
    return part


def _dtype_named(name: str) -> Any:
    return numpy_dtype(name) if name == "bfloat16" else np.dtype(name)


def _of_array(made: dict[str, Any]) -> np.ndarray[Any, Any]:
    content = base64.b64decode(made["content"])
    return np.frombuffer(content, _dtype_named(made["dtype"])).reshape(made["shape"]).copy()


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


def _leaf(made: dict[str, Any], array: Any) -> Any:
    # A buffer is a parameter that nothing trains, too, where a layer is loaded in Paddle.
    return Parameter(_read_only(np.array(array)), made["trainable"], made["name"])


def _variable(made: dict[str, Any]) -> Variable:
    shape = scratch.open_shape(made["shape"], made["name"])
    own = spec(shape, _dtype_named(made["dtype"]))
    found = Variable(own, made["word"], name=made["name"], stopped=made["stopped"])
    found.is_stopped, found.is_watched = made["cut"], made["watched"]
    return found


def _found_class(name: str) -> Any:
    """Returns a class of the dialect by its module and name, or None."""
    module, _, own = name.partition(":")
    if not module.startswith(_OURS):
        return None
    found: Any = import_module(module)
    for part in own.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def _class_named(name: str) -> Any:
    found = _found_class(name)
    if found is None:
        raise _not_ours(f"{name} is no class")
    return found


def _found_function(name: str) -> Any:
    """Returns a function that a program may call by its module and name, or None."""
    module, _, own = name.partition(":")
    if module.removeprefix(_OURS) not in _building.CALLABLE or not module.startswith(_OURS):
        return None
    found = getattr(import_module(module), own, None)
    if not isinstance(found, FunctionType):
        file = import_module(module).__name__
        known = (one for home, one in declared.every_name().values() if home == file)
        found = next((one for one in known if getattr(one, "__name__", None) == own), None)
    return found if isinstance(found, FunctionType) else None


def _not_ours(why: str) -> NotThereError:
    return NotThereError(
        "This file does not hold a program of Penstock's.", why=f"{why[:1].upper()}{why[1:]}.", site=here()
    )


def write_weights(path: str, weights: Mapping[str, Any], reason: str) -> None:
    """Writes weights alone to `path.pdiparams`, and to `path.json` the reason why the calls are not there."""
    save_file(dict(weights), f"{path}.pdiparams")
    _replace_json(path, {"penstock": _VERSION, "without": reason})


def _replace_json(path: str, made: dict[str, Any]) -> None:
    """Writes `path.json` whole, or leaves the old file as it is."""
    text = json.dumps(made)
    files.replace(f"{path}.json", lambda partial: Path(partial).write_text(text, encoding="utf-8"), make=True)


def read(path: str, values: str | None = None) -> Written | str | None:
    """Reads what `write` has written; None if there is no such file, the reason where only weights are there.

    `values` is the path of the file with the values of tensors. Raises NotImplementedError for a program that
    PaddlePaddle has written.
    """
    file = Path(f"{path}.json")
    if not file.is_file():
        return None
    made = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(made, dict) or "penstock" not in made:
        raise NotThereError(
            f"{file} holds a program of PaddlePaddle's own, which Penstock does not read.",
            remedy="Save it again by the same script under Penstock, or load the weights: "
            "paddle.load(path + '.pdparams') of a state_dict.",
            site=here(),
        )
    if made["penstock"] != _VERSION:
        raise _not_ours(f"it is of version {made['penstock']}, and this Penstock reads {_VERSION}")
    if "without" in made:
        return str(made["without"])
    arrays: Any = load_file(values or f"{path}.pdiparams", return_numpy=True)
    return _Reader(made, arrays).read()


__all__ = ["UnwritableError", "Written", "read", "write", "write_weights"]
