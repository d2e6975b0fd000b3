"""Programs as data: operations, and layers of Paddle's own, as JSON that another process can read.

A function is written by its name, and found by it among the functions that a program may call: a file can
make nothing else run.
"""

from __future__ import annotations

import base64
import enum
import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, ClassVar

import numpy as np

from penstock import declared
from penstock.capture import plain_data
from penstock.capture.calls import site_code
from penstock.capture.plain_data import UnwritableError, base64_of, bytes_of, dtype_named, words_for
from penstock.functions import scratch
from penstock.functions.scratch import shown_shape
from penstock.paddle._dtype import dtype as Dtype
from penstock.paddle._dtype import numpy_dtype, shown
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
_VERSION = 2
_CONTROLS = {"choice": _control._Choice, "loop": _control._Loop}


# -- writing -----------------------------------------------------------------------------------------------


class _Writer(plain_data.Writer):
    """Turns operations into data; tensors, results, layers and other objects are numbered as they come."""

    def __init__(self) -> None:
        super().__init__()
        self.results: dict[Any, int] = {}
        self.leaves: dict[int, tuple[int, Any]] = {}

    def result(self, one: Variable) -> int:
        """Returns the number of a result, or of data."""
        return self.results.setdefault(one, len(self.results))

    def leaf(self, one: Any) -> int:
        """Returns the number of a tensor with a value of its own."""
        return self.leaves.setdefault(id(one), (len(self.leaves), one))[0]

    def function_name(self, one: Any) -> str:
        """Returns the module and name of a function that a program may call."""
        name = f"{one.__module__}:{getattr(one, '__qualname__', '?')}"
        found = _found_function(name) if one.__module__.startswith(_OURS) else None
        if found is None or (found is not one and _building.computing(found) is not one):
            raise UnwritableError(words_for(one))
        return name

    def class_name(self, one: type) -> str:
        """Returns the module and name of a class of the dialect."""
        name = f"{one.__module__}:{one.__qualname__}"
        if _found_class(name) is not one:
            raise UnwritableError(words_for(one))
        return name

    def operation(self, one: Operation) -> dict[str, Any]:
        """Returns an operation as data."""
        made: dict[str, Any] = {
            "kind": one.kind,
            "inputs": [self.result(each) for each in one.inputs],
            "outputs": [self.result(each) for each in one.outputs],
        }
        for word, control in _CONTROLS.items():
            if type(one) is control:
                made["control"] = word
                made["parts"] = [
                    {
                        "operations": [self.operation(each) for each in part.operations],
                        "results": [self.result(each) for each in part.results],
                    }
                    for part in one.parts
                ]
                for name in ("starts", "counters"):
                    made[name] = [self.result(each) for each in getattr(one, name, ())]
                return made
        if type(one) is not Operation:
            raise UnwritableError(f"the loop written at {one.site}")
        try:
            made["call"] = self.call(one.call)
            made["arguments"], made["options"] = self.value(one.arguments), self.value(one.options)
            made["layers"] = [[self.object(layer), training] for layer, training in one.layers]
        except UnwritableError as error:
            raise UnwritableError(f"{error.what}, in {one.kind} at {one.site}") from None
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
        return {"function": self.function_name(call)}

    def other(self, one: Any) -> Any:
        """Returns tensors, layers, dtypes and other objects of the dialect as plain data."""
        if isinstance(one, Leaf) or id(one) in self.leaves:
            return {"leaf": self.leaf(one)}
        if isinstance(one, Layer):
            return self.object(one)
        if isinstance(one, Tensor):
            return {"tensor": self.array(np.asarray(one.numpy()))}
        if isinstance(one, Dtype):
            return {"paddle_dtype": numpy_dtype(one).name}
        if isinstance(one, MethodType) and isinstance(one.__self__, Layer):
            return {"method": one.__name__, "of": self.object(one.__self__)}
        if isinstance(getattr(one, "class_instance", None), Layer):  # a method given to `to_static`
            return {"method": one.__name__, "of": self.object(one.class_instance)}
        if not isinstance(one, type | enum.Enum) and type(one).__module__.startswith(_OURS):
            return self.object(one) if hasattr(one, "__dict__") else super().other(one)
        return super().other(one)


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
    inputs = [writer.result(one) for one in feed]
    operations = [writer.operation(one) for one in program.operations]
    outputs = [writer.result(one) for one in fetch]
    for one in program.leaves.values():
        writer.leaf(one)
    leaves = [one for _, one in writer.leaves.values()]
    called = _distinct([one.name for one in leaves])
    made = {
        "penstock": _VERSION,
        "inputs": inputs,
        "outputs": outputs,
        "results": [_described(one) for one in writer.results],
        "leaves": [_described_leaf(one, name) for one, name in zip(leaves, called)],
        "objects": writer.objects,
        "names": writer.names,
        "arrays": [base64_of(bytes_of(one).tobytes()) for one in writer.arrays],
        "operations": operations,
        "testing": program.testing,
        "state": {name: writer.leaves[id(one)][0] for name, one in (names or {}).items()},
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


class _Reader(plain_data.Reader):
    tags: ClassVar[dict[str, Callable[[Any, Any, Any], Any]]] = {
        **plain_data.Reader.tags,
        "leaf": lambda reader, number, _: reader.leaves[number],
        "tensor": lambda reader, form, _: Leaf(_read_only(reader.value(form))),
        "paddle_dtype": lambda reader, name, _: shown(dtype_named(name)),
        "method": lambda reader, name, form: getattr(reader.value(form["of"]), name),
    }

    def __init__(self, content: dict[str, Any], values: dict[str, Any]) -> None:
        arrays = [np.frombuffer(base64.b64decode(one), np.uint8).copy() for one in content["arrays"]]
        super().__init__(content, arrays)
        self.content = content
        self.leaves = [_leaf(one, values[one["name"]]) for one in content["leaves"]]
        self.results = [_variable(one) for one in content["results"]]
        self.codes: dict[Any, Any] = {}

    def function_named(self, name: str) -> Any:
        """Returns a function that a program may call."""
        found = _found_function(name)
        if found is None:
            raise LookupError(f"{name} is not among the functions that a program may call")
        return found

    def class_named(self, name: str) -> Any:
        """Returns a class of the dialect."""
        found = _found_class(name)
        if found is None:
            raise LookupError(f"{name} is no class")
        return found

    def read(self) -> Written:
        program = Program()
        program.operations[:] = [self.operation(one) for one in self.content["operations"]]
        program.testing = self.content["testing"]
        program.leaves = {one.path: one for one in self.leaves}
        feed = [self.results[number] for number in self.content["inputs"]]
        program.data = {one.name: one for one in feed}
        fetch = [self.results[number] for number in self.content["outputs"]]
        names = {name: self.leaves[number] for name, number in self.content["state"].items()}
        return Written(program, feed, fetch, names)

    def operation(self, made: dict[str, Any]) -> Operation:
        inputs = [self.results[number] for number in made["inputs"]]
        code = site_code(user_frame(1), self.codes)
        operation: Any
        if "control" in made:
            operation = object.__new__(_CONTROLS[made["control"]])
            Operation.__init__(operation, made["kind"], _control._never, [], {}, inputs, code)
            operation.parts = [_part(self, one) for one in made["parts"]]
            operation.blocks = [one.operations for one in operation.parts]
            operation.starts = [self.results[number] for number in made["starts"]]
            operation.counters = [self.results[number] for number in made["counters"]]
        else:
            call = self.call(made["call"])
            arguments, options = self.value(made["arguments"]), self.value(made["options"])
            operation = Operation(made["kind"], call, arguments, options, inputs, code)
            operation.layers = [(self.value(one), training) for one, training in made["layers"]]
        operation.outputs = [self.results[number] for number in made["outputs"]]
        return operation  # type: ignore[no-any-return]

    def call(self, made: dict[str, Any]) -> Callable[..., Any]:
        ((kind, what),) = made.items()
        if kind == "layer":
            return _building.calling(self.value(what))
        if kind == "operator":
            return OPERATORS[what]
        if kind == "method":
            return method_named(what)
        return self.function_named(what)  # type: ignore[no-any-return]


def _part(reader: _Reader, made: dict[str, Any]) -> Any:
    part = object.__new__(_control._Part)
    part.operations = [reader.operation(one) for one in made["operations"]]
    part.results = [reader.results[number] for number in made["results"]]
    return part


def _read_only(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    array.flags.writeable = False
    return array


def _leaf(made: dict[str, Any], array: Any) -> Any:
    # A buffer is a parameter that nothing trains, too, where a layer is loaded in Paddle.
    return Parameter(_read_only(np.array(array)), made["trainable"], made["name"])


def _variable(made: dict[str, Any]) -> Variable:
    shape = scratch.open_shape(made["shape"], made["name"])
    own = spec(shape, dtype_named(made["dtype"]))
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


def _damage(error: Exception) -> str:
    """Returns what is wrong with a file, in a clause."""
    if type(error) is LookupError:
        return str(error)
    return f"it has been changed ({type(error).__name__}: {error})"


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
    try:
        return _Reader(made, arrays).read()
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise _not_ours(_damage(error)) from error


__all__ = ["UnwritableError", "Written", "read", "write", "write_weights"]
