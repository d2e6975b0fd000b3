"""Functions of TensorFlow 2 in a graph: traced for a signature, written by name, and called on values again.

A trace calls the Python function once, on tensors of a graph. The variables of the object that it belongs to
are replaced by variables of the graph meanwhile, and what writes one runs before whatever is built after it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from penstock.capture.plain_data import UnwritableError, words_for
from penstock.functions import keys
from penstock.tensorflow import _convert, compat
from penstock.tensorflow._convert import operand
from penstock.tensorflow._dtype import as_dtype, numpy_dtype
from penstock.tensorflow._function import ConcreteFunction, Function, Method
from penstock.tensorflow._graphs import descriptions, graph_files
from penstock.tensorflow._graphs.build import constant
from penstock.tensorflow._graphs.functions import placeholder
from penstock.tensorflow._graphs.graph import Graph, Operation, mode
from penstock.tensorflow._graphs.plain_values import Writer
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor
from penstock.tensorflow._graphs.texts import SymbolicText
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._named_tensors import NamedTensor
from penstock.tensorflow._object_graph import Node
from penstock.tensorflow._session import Plan, Session
from penstock.tensorflow._strings import StringTensor, is_text
from penstock.tensorflow._tape import GradientTape
from penstock.tensorflow._traces import Relaxed
from penstock.tensorflow._type_spec import TensorSpec
from penstock.tensorflow._variable import ResourceVariable
from penstock.trace.source_site import user_frame
from penstock.trace.spec import Spec
from penstock.trace.structure import flat, mapped
from penstock.trace.tensor import Cell, Tensor

Content = dict[str, Any]


class FunctionGraph(Graph):
    """The operations of traced functions; `twins` are its variables, by the identities of eager ones."""

    def __init__(self) -> None:
        super().__init__()
        self.twins: dict[int, GraphVariable] = {}
        self.writing: list[Operation] | None = None

    def twin(self, variable: Any) -> GraphVariable:
        """Returns the variable of this graph for an eager one."""
        found = self.twins.get(id(variable))
        if found is None:
            writing, self.writing = self.writing, None
            with self.control_dependencies(None):
                start = np.zeros(variable._spec.shape, variable._spec.dtype)
                name = variable.name.partition(":")[0]
                found = GraphVariable(start, trainable=variable.trainable, name=name)
            self.twins[id(variable)], self.writing = found, writing
        return found

    def add(self, *arguments: Any, writes: bool = False, **options: Any) -> Operation:
        """Adds an operation; those added after one that writes run after it."""
        operation = super().add(*arguments, writes=writes, **options)
        if writes and self.writing is not None:
            self.writing.append(operation)
        return operation

    def present_controls(self, inputs: Sequence[SymbolicTensor]) -> list[Operation]:
        """Returns the operations that must precede those built now: the latest that writes, too."""
        found = super().present_controls(inputs)
        latest = self.writing[-1] if self.writing else None
        if latest is not None and latest not in found and all(one.op is not latest for one in inputs):
            found.append(latest)
        return found

    def captured(self, one: Any) -> Any:
        """Returns what stands in this graph for a value from outside of the function."""
        if isinstance(one, Cell):
            if id(one) not in self.twins:
                path = getattr(one, "path", "without a name")
                raise UnwritableError(f"the variable {path!r}, which no attribute of the object holds")
            return self.twin(one)._read_in(self)
        return constant(np.asarray(one.numpy()), "Const", user_frame(1))


class Trace:
    """One signature of a function: its parameters, what it is given, and what it returns in the graph.

    `given` holds a tensor of the graph for each tensor of the signature, and other arguments as they are.
    """

    def __init__(
        self, name: str, parameters: Sequence[str], defaults: Mapping[str, Any], given: Mapping[str, Any],
        result: Any, written: Sequence[Operation],
    ) -> None:  # fmt: skip
        self.name, self.parameters, self.defaults = name, list(parameters), dict(defaults)
        self.given, self.result, self.written = dict(given), result, list(written)

    def operations(self) -> list[Operation]:
        """The operations that a call needs, and those that stand for its tensors."""
        tensors = [one for one in flat([self.given, self.result]) if isinstance(one, SymbolicTensor)]
        return list(dict.fromkeys([*self.written, *(one.op for one in tensors)]))

    def plain(self, writer: Writer) -> Content:
        """Returns the trace as plain data."""
        return {
            "name": self.name, "parameters": self.parameters, "defaults": writer.value(self.defaults),
            "given": writer.value(self.given), "result": writer.value(self.result),
            "written": writer.values(self.written),
        }  # fmt: skip


# -- tracing ------------------------------------------------------------------------------------------------


def functions_of(thing: Any) -> Iterator[tuple[str, Any]]:
    """Yields the functions under tf.function in the attributes of an object, by name."""
    if isinstance(thing, list | tuple | dict | Cell):
        return
    for name in dir(thing):
        kept = inspect.getattr_static(thing, name, None)
        if isinstance(kept, Function | Method | ConcreteFunction):
            yield name, getattr(thing, name)


def signatures_of(function: Any) -> Iterator[ConcreteFunction]:
    """Yields a function for each signature with which it has been called or asked for, or for its own."""
    if isinstance(function, ConcreteFunction):
        yield function
        return
    if function.input_signature is not None:
        yield ConcreteFunction(function, (), {})
        return
    made = function.__func__._met_by(function.__self__) if isinstance(function, Method) else None
    known = function._signatures if made is None else made
    seen = set()
    called = ({name: _spec_of(kind) for name, kind in one} for one in known.traced)
    for one in itertools.chain((ConcreteFunction(function, (), each) for each in called), known.asked):
        told = repr(one.structured_input_signature)
        if told not in seen:
            seen.add(told)
            yield one


def _spec_of(kind: Any) -> Any:
    """Returns the specification of what told a trace apart, and plain values as they are."""
    if isinstance(kind, Spec | Relaxed):
        return TensorSpec(None if kind.shape is None else tuple(kind.shape), kind.dtype)
    if isinstance(kind, tuple) and kind and kind[0] in (list, tuple):
        return kind[0](map(_spec_of, kind[1:]))
    if isinstance(kind, tuple) and kind and kind[0] is dict:
        return {name: _spec_of(one) for name, one in kind[1:]}
    if kind is None or isinstance(kind, bool | int | float | str | bytes):
        return kind
    raise UnwritableError(f"an argument that is {words_for(kind)}")


def traced(graph: FunctionGraph, concrete: ConcreteFunction, nodes: Sequence[Node]) -> Trace:
    """Returns a function for one signature as operations that are added to a graph.

    `nodes` are the objects whose variables have twins. Raises UnwritableError for what no file can hold.
    """
    parameters = _parameters(concrete)
    given: dict[str, Any] = {}
    writing: list[Operation] = []
    graph.writing, tape = writing, GradientTape()
    try:
        with graph.as_default(), keys.aside(), _replaced(graph, nodes), tape:
            for name in concrete._order:
                specs = concrete._specs.get(name, concrete._fixed.get(name))
                given[name] = mapped(specs, lambda one: _given(one)) if name in concrete._specs else specs
            result = concrete.python_function(**given)
            result = mapped(result, lambda one: _returned(graph, one))
        read = [one.name for one in tape.watched_variables()]
    finally:
        graph.writing = None
    if read:
        raise UnwritableError(f"a value that is computed from {read[0]!r}, which no attribute of it holds")
    defaults = {
        one.name: one.default for one in parameters if one.default is not one.empty and one.name in given
    }
    return Trace(concrete.name, [one.name for one in parameters], defaults, given, result, writing)


def _parameters(concrete: ConcreteFunction) -> list[inspect.Parameter]:
    found = list(inspect.signature(concrete.python_function).parameters.values())
    if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY) for one in found):
        raise UnwritableError("a parameter that collects arguments or has no name")
    return found


def _given(one: Any) -> Any:
    if not isinstance(one, TensorSpec):
        if hasattr(one, "_fit"):
            raise UnwritableError(f"an argument described by {one!r}")
        return one
    return placeholder(one.dtype, one.shape, name=one.name)


def _returned(graph: FunctionGraph, one: Any) -> Any:
    """Returns a part of a result as a tensor of the graph."""
    if isinstance(one, SymbolicTensor):
        return one
    if isinstance(one, Operation):
        return None
    if isinstance(one, GraphVariable):
        return one._read_in(graph)
    if isinstance(one, Tensor | Cell):
        return graph.captured(one)
    if isinstance(one, bool | int | float | complex | np.ndarray | np.generic):
        return constant(one, "Const", user_frame(1))
    raise UnwritableError(f"a result that is {words_for(one)}")


@contextlib.contextmanager
def _replaced(graph: FunctionGraph, nodes: Sequence[Node]) -> Iterator[None]:
    """Puts the variables of a graph in the place of the eager ones that objects hold."""
    undo: list[tuple[Any, Any, Any]] = []

    def twin(one: Any) -> Any:
        if isinstance(one, ResourceVariable):
            return graph.twin(one)
        return tuple(map(twin, one)) if type(one) is tuple and any(map(_is_variable, flat(one))) else one

    try:
        for node in nodes:
            thing: Any = node.thing
            if isinstance(thing, Cell | GraphVariable):
                continue
            held = thing if isinstance(thing, list | dict) else getattr(thing, "__dict__", {})
            for key, one in list(enumerate(held) if isinstance(held, list) else held.items()):
                other = twin(one)
                if other is not one:
                    undo.append((held, key, one))
                    held[key] = other
        yield
    finally:
        for held, key, one in reversed(undo):
            held[key] = one


def _is_variable(one: Any) -> bool:
    return isinstance(one, ResourceVariable)


# -- files --------------------------------------------------------------------------------------------------


class Traced:
    """The functions of an object in a graph, by the numbers of the objects that hold them, and by name.

    `reasons` says what is missing of those that have no form in a file.
    """

    def __init__(self, nodes: Sequence[Node], signatures: Mapping[str, Any]) -> None:
        # With it, the names of TensorFlow 2 build while a graph is being built.
        _ = compat.v1
        self.graph, self.nodes = FunctionGraph(), nodes
        self.functions: dict[tuple[int, str], list[Trace]] = {}
        self.signatures: dict[str, Trace] = {}
        self.reasons: dict[str, str] = {}
        with self.graph.as_default():
            for node in nodes:
                if isinstance(node.thing, ResourceVariable):
                    self.graph.twin(node.thing)
        for number, node in enumerate(nodes):
            for name, one in functions_of(node.thing):
                found = self._traces(self._path(number, name), one)
                if found:
                    self.functions[number, name] = found
        for name, one in signatures.items():
            found = self._traces(name, one)
            if found:
                self.signatures[name] = found[0]

    def _traces(self, path: str, function: Any) -> list[Trace]:
        found: list[Trace] = []
        try:
            for one in signatures_of(function):
                found.append(traced(self.graph, one, self.nodes))
        except UnwritableError as error:
            self.reasons[path] = f"no file holds {error.what}"
            return []
        except Exception as error:
            # Whatever the program's own code says of tensors without values.
            told = str(error).strip().partition("\n")[0].rstrip(".")
            self.reasons[path] = f"on tensors without values it raised {type(error).__name__}: {told}"
            return []
        return found

    def description(self) -> Any:
        """Returns the graph as plain data, with the functions, the objects that hold them and signatures."""
        made = descriptions.described(self.graph)
        writer = Writer(dict(descriptions.keys_of(self.graph)))
        self._drop_lost(writer, made.content)
        traces = [*self.signatures.values(), *(one for each in self.functions.values() for one in each)]
        names = [writer.key(one) for trace in traces for one in trace.operations()]
        part = graph_files.cut(made, names)
        used = {one["operation"] for one in part.content["variables"]}
        functions = [
            [number, name, [one.plain(writer) for one in each]]
            for (number, name), each in self.functions.items()
        ]
        signatures = {name: one.plain(writer) for name, one in self.signatures.items()}
        if writer.arrays or writer.objects:
            raise UnwritableError("an argument that is an array")
        rows = [self._row(writer, node, used) for node in self.nodes]
        return part.beside(objects=rows, functions=functions, signed=signatures, reasons=self.reasons)

    def _drop_lost(self, writer: Writer, content: Content) -> None:
        """Leaves out functions with an operation that a file holds without what it calls."""
        lost = {one["name"]: one["lost"] for one in content["operations"] if "lost" in one}
        groups: Any = [(self.functions, key, each) for key, each in self.functions.items()] if lost else []
        groups += [(self.signatures, key, [one]) for key, one in self.signatures.items()] if lost else []
        for holder, key, each in groups:
            names = [writer.key(one) for trace in each for one in trace.operations()]
            missing = lost.keys() & graph_files.needed(content, names)
            if missing:
                del holder[key]
                path = key if isinstance(key, str) else self._path(*key)
                self.reasons[path] = f"no file holds {lost[min(missing)]}"

    def _path(self, number: int, name: str) -> str:
        path = self.nodes[number].path
        return f"{path}.{name}" if path else name

    def _row(self, writer: Writer, node: Node, used: set[str]) -> Content:
        thing: Any = node.thing
        if isinstance(thing, ResourceVariable):
            operation = writer.key(self.graph.twin(thing).op)
            return {
                "variable": thing.name.partition(":")[0], "value": node.key, "trainable": thing.trainable,
                "operation": operation if operation in used else None,
            }  # fmt: skip
        kind = next((kind.__name__ for kind in (list, tuple, dict) if isinstance(thing, kind)), "object")
        return {"kind": kind if node.value is None else "other", "parts": node.parts}


# -- calling ------------------------------------------------------------------------------------------------


class CalledGraph:
    """A graph that was read from a file, with eager variables in the place of its own."""

    def __init__(self, graph: Graph, cells: Mapping[GraphVariable, Any]) -> None:
        self.session = Session(graph=graph)
        self.session.cells.update(cells)
        self._plans: dict[Trace, tuple[Plan, list[SymbolicTensor]]] = {}

    def call(self, trace: Trace, given: Mapping[SymbolicTensor, Any]) -> Any:
        """Returns the result of a function for these values of its tensors."""
        found = self._plans.get(trace)
        if found is None:
            results = [one for one in flat([trace.result]) if isinstance(one, SymbolicTensor)]
            wanted = [*results, *(one for one in trace.written if one not in {two.op for two in results})]
            found = self._plans[trace] = Plan(self.session, wanted, list(given)), results
        plan, results = found
        with mode.computing():
            values = dict(zip(results, plan._computed(list(given.values()))[: len(results)], strict=True))
        return mapped(trace.result, lambda one: values.get(one, one) if one.__hash__ else one)


class RestoredFunction:
    """A function of an object that was saved, for the signatures that it was saved with."""

    def __init__(self, name: str, traces: Sequence[Trace], graph: CalledGraph) -> None:
        self.__name__ = self.name = name
        self._traces, self._graph = list(traces), graph

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        for trace in self._traces:
            bound = _bound(trace, arguments, options)
            if bound is not None:
                return self._graph.call(trace, bound)
        given, chosen = _in_order(self._traces[0], arguments, options)
        shown = "\n\n".join(
            f"Option {number}:\n{_shown(_specs_of(one).values(), {})}"
            for number, one in enumerate(self._traces, 1)
        )
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"{_shown(given, chosen)}\n\n Expected these arguments to match one of the following "
            f"{len(self._traces)} option(s):\n\n{shown}"
        )

    def __repr__(self) -> str:
        return f"<RestoredFunction {self.name}({', '.join(self._traces[0].parameters)})>"


class RestoredSignature:
    """A signature of an object that was saved: it takes tensors by name, and returns them by name."""

    def __init__(self, trace: Trace, graph: CalledGraph) -> None:
        self._trace, self._graph = trace, graph

    def __call__(self, *arguments: Any, **options: Any) -> dict[str, Any]:
        named = self.structured_input_signature[1]
        given = {**dict(zip(named, arguments, strict=False)), **options}
        if set(given) != set(named) or len(arguments) > len(named):
            raise TypeError(f"The signature takes {sorted(named)}, and was given {sorted(given)}.")
        bound = _bound(self._trace, (), {**_literals(self._trace), **given})
        if bound is None:
            raise TypeError(f"The arguments {given} do not fit the signature {named}.")
        return by_name(self._graph.call(self._trace, bound))

    @property
    def structured_input_signature(self) -> Any:
        """The specifications of the tensors that it takes, by name."""
        literals = _literals(self._trace)
        return (), {name: one for name, one in _specs_of(self._trace).items() if name not in literals}

    @property
    def structured_outputs(self) -> dict[str, Any]:
        """The specifications of the tensors that it returns, by name."""
        found = by_name(self._trace.result)
        return {name: TensorSpec(_shape_of(one), one.dtype, name) for name, one in found.items()}


def by_name(found: Any) -> dict[str, Any]:
    """Returns the result of a signature as tensors by name."""
    if isinstance(found, dict):
        return dict(found)
    several = list(found) if isinstance(found, list | tuple) else [] if found is None else [found]
    return {f"output_{number}": one for number, one in enumerate(several)}


def _literals(trace: Trace) -> dict[str, Any]:
    """Returns the arguments of a trace that are no tensors."""
    return {
        name: one
        for name, one in trace.given.items()
        if not any(isinstance(each, SymbolicTensor) for each in flat([one]))
    }


def _shape_of(one: SymbolicTensor) -> Any:
    return None if one.shape is UNKNOWN else one.shape


def _specs_of(trace: Trace) -> dict[str, Any]:
    """Returns what a trace takes, with the specifications of its tensors, by the names of parameters."""

    def described(name: str, one: Any) -> Any:
        return TensorSpec(_shape_of(one), one.dtype, name) if isinstance(one, SymbolicTensor) else one

    return {
        name: mapped(one, functools.partial(described, name), _is_none) for name, one in trace.given.items()
    }


def _is_none(one: Any) -> bool:
    return one is None


def _in_order(
    trace: Trace, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Returns arguments by place as far as there are parameters, with defaults, and the others by name."""
    given = {**trace.defaults, **dict(zip(trace.parameters, arguments, strict=False)), **options}
    named = [name for name in trace.parameters if name in given]
    shown = [
        NamedTensor(name, "Placeholder", one.shape, as_dtype(one._spec.dtype))
        if isinstance(one, Tensor)
        else one
        for name, one in ((name, given.pop(name)) for name in named)
    ]
    return [*shown, *arguments[len(trace.parameters) :]], given


def _shown(arguments: Iterable[Any], options: Mapping[str, Any]) -> str:
    given = list(map(repr, arguments))
    lines = "".join(f"\n    * {one}" for one in given)
    return f"  Positional arguments ({len(given)} total):{lines}\n  Keyword arguments: {dict(options)}"


def _bound(
    trace: Trace, arguments: tuple[Any, ...], options: Mapping[str, Any]
) -> dict[SymbolicTensor, Any] | None:
    """Returns values for the tensors of a trace; None if the arguments do not fit it."""
    if len(arguments) > len(trace.parameters) or not set(options) <= set(trace.parameters):
        return None
    given = {**trace.defaults, **dict(zip(trace.parameters, arguments, strict=False)), **options}
    if set(given) != set(trace.given):
        return None
    found: dict[SymbolicTensor, Any] = {}
    fits = all(_fits(wanted, given[name], found) for name, wanted in trace.given.items())
    return found if fits else None


def _fits(wanted: Any, value: Any, found: dict[SymbolicTensor, Any]) -> bool:
    if isinstance(wanted, SymbolicTensor):
        if isinstance(wanted, SymbolicText):
            return _fits_text(wanted, value, found)
        dtype = numpy_dtype(wanted.dtype)
        try:
            tensor = operand(value, None if isinstance(value, Tensor | Cell) else dtype)
        except (TypeError, ValueError):
            return False
        if tensor._spec.dtype != dtype:
            return False
        found[wanted] = tensor
        return wanted.shape is UNKNOWN or bool(wanted.shape.is_compatible_with(tensor.shape))
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same and all(_fits(a, b, found) for a, b in zip(wanted, value, strict=True))
    if isinstance(wanted, dict):
        same = isinstance(value, Mapping) and set(value) == set(wanted)
        return same and all(_fits(one, value[name], found) for name, one in wanted.items())
    return type(value) is type(wanted) and bool(value == wanted)


def _fits_text(wanted: SymbolicText, value: Any, found: dict[SymbolicTensor, Any]) -> bool:
    if not is_text(value):
        return False
    found[wanted] = text = value if isinstance(value, StringTensor) else _convert.constant(value)
    return wanted.shape is UNKNOWN or bool(wanted.shape.is_compatible_with(text.shape))


__all__ = [
    "CalledGraph",
    "FunctionGraph",
    "RestoredFunction",
    "RestoredSignature",
    "Trace",
    "Traced",
    "by_name",
]
