"""Keras layers in a graph of TensorFlow 1: a call is one operation, and its variables are the graph's.

A layer is built as in an eager program, on operands without values. Each of its variables then becomes one of
the graph, which starts with the same value in every session, as the seeds of Keras' initializers make it. The
operation calls the layer with the values of the session in the place of its variables.

Two facts of Keras 3 hold here too. What a call writes (moving averages, the state of a seed) is an operation
that nobody runs: moving averages stay as they are, and a layer that drops elements drops the same ones in
each run.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from penstock.capture.calls import filled
from penstock.functions import keys
from penstock.layers import masks
from penstock.layers.calls import alone, calls
from penstock.ops import pointwise
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import build, taken
from penstock.tensorflow._graphs.graph import Graph, mode
from penstock.tensorflow._graphs.infer import infer
from penstock.tensorflow._graphs.operators import install_on
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._variable import ResourceVariable
from penstock.tensorflow.keras._seed_generator import Same, SeedGenerator
from penstock.tensorflow.keras._variable import KerasVariable
from penstock.trace.source_site import here, user_frame
from penstock.trace.structure import flat
from penstock.trace.tensor import Tensor

_frame = sys._getframe
_LISTS = frozenset(
    ("_contents", "_losses", "_lossy", "_made_of", "_made_with", "_parent", "_penalties", "_weights")
)
"""Attributes of a layer that `call` does not compute with."""


class _Building(threading.local):
    """The graph for which this thread builds a layer."""

    graph: Graph | None = None


_building = _Building()


@contextlib.contextmanager
def building(graph: Graph) -> Iterator[None]:
    """Makes the variables of layers that are built inside variables for a graph."""
    _building.graph = graph
    try:
        yield
    finally:
        _building.graph = None


def present() -> Graph | None:
    """Returns the graph that a new variable of a layer belongs to, if there is one."""
    return _building.graph or mode.building()


def wanted(structure: Any, *kinds: type) -> bool:
    """Returns whether a call on these arguments, or on one of `kinds`, is part of the graph being built."""
    return mode.building() is not None and any(
        isinstance(one, (SymbolicTensor, GraphVariable, *kinds))
        or (isinstance(one, GraphedVariable) and one._own is not None)
        for one in flat(structure)
    )


# -- variables ----------------------------------------------------------------------------------------------


class GraphedVariable(KerasVariable):
    """A variable of a layer that was built for a graph; the sessions of that graph hold its values."""

    def __init__(self, graph: Graph, *arguments: Any, taught: bool = True, **options: Any) -> None:
        graph.admit_variable()
        super().__init__(*arguments, **options)
        self._graph, self._taught = graph, taught
        self._own: GraphVariable | None = None

    @property
    def _in_graph(self) -> GraphVariable:
        """The variable of the graph, which starts with the value that the layer gave this one."""
        if self._own is None:
            with mode.computing():
                start = np.asarray(super().numpy())
            self._own = GraphVariable(start, trainable=self._taught, name=self.path)
        return self._own

    def _read_in(self, graph: Graph) -> SymbolicTensor:
        return self._in_graph._read_in(graph)

    def _as_graph_element(self) -> SymbolicTensor:
        return self._in_graph._as_graph_element()

    def numpy(self) -> Any:
        """Returns the value where no graph has taken it over."""
        if self._own is not None:
            self._refuse("numpy() is only available when eager execution is enabled.")
        return super().numpy()

    def assign(self, value: Any, use_locking: Any = False, name: Any = None, read_value: bool = True) -> Any:
        """Replaces the value where no graph has taken it over."""
        if self._own is not None:
            self._refuse(f"{self.path} belongs to a graph, and was assigned to.")
        return super().assign(value)

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)

    def _refuse(self, fact: str) -> NoReturn:
        own = self._in_graph
        raise GraphValueError(
            fact,
            why=f"The values of {own.name!r} are those of the sessions of its graph.",
            remedy="Take the variable from tf.global_variables(): session.run(variable) gives its value, and "
            "variable.load(value, session) replaces it.",
            site=here(),
        )

    def _described(self, name: str) -> str:
        if self._own is None:
            return super()._described(name)
        return f"<Variable path={self.path}, shape={self.shape}, dtype={self.dtype}>"


install_on(GraphedVariable, lambda one: one._own is not None)


class GraphCaptureError(ArgumentError, RuntimeError):
    """A layer whose variables have values already was called on a tensor of a graph."""


class GraphValueError(ArgumentError, NotImplementedError):
    """A value was asked of a variable of a graph, or given to it, without a session."""


class _Statistic(EagerTensor):
    """The value of a variable that is not trained, as a layer reads it; writes to it are dropped."""

    __slots__ = ()
    locked = None

    def assign(self, *value: Any, **options: Any) -> _Statistic:
        """Drops a value."""
        return self

    assign_add = assign_sub = _write = assign


class _StatisticInFile(EagerTensor):
    """The value of such a variable in a function that is written to a file: a write has no form there."""

    __slots__ = ()
    locked = None

    def assign(self, *value: Any, **options: Any) -> NoReturn:
        """Raises UnwritableError."""
        from penstock.capture.plain_data import UnwritableError

        raise UnwritableError("a layer that writes statistics while it is trained")

    assign_add = assign_sub = _write = assign


def _as_statistic(value: Any, kind: type[EagerTensor]) -> Any:
    made = pointwise.identity.record((value,), {}, _frame(1))
    made.__class__ = kind
    return made


def _held(variable: Any, value: Any) -> Any:
    """Returns a value as a layer reads it in the place of a variable."""
    if isinstance(variable, GraphedVariable):
        return value if variable._taught else _as_statistic(value, _Statistic)
    if isinstance(variable, GraphVariable) and not variable.trainable:
        return _as_statistic(value, _StatisticInFile)
    return value


# -- calls --------------------------------------------------------------------------------------------------


def _mixed(first: int, second: int) -> int:
    """Returns a seed of 64 bits that depends on two numbers."""
    high, low = np.random.SeedSequence([first, second]).generate_state(2, np.uint32)
    return int(high) << 32 | int(low)


class _SteadyKey(keys.DrawKey):
    """A key that a replay takes over unchanged."""

    __slots__ = ()

    def next(self) -> _SteadyKey:
        return self


class _Steady:
    """The keys of one operation: each run takes the same."""

    kind = _SteadyKey

    def __init__(self, seed: int) -> None:
        self.seed, self.number = seed, 0

    def take(self) -> tuple[int, int]:
        self.number += 1
        return self.seed, self.number


class LayerCall:
    """A call of a layer with given values in the place of its variables."""

    def __init__(self, layer: Any, seed: int = 0) -> None:
        self.layer, self.seed = layer, seed
        self.every = [layer, *layer._found().layers]
        self.variables: list[Any] = []
        for one in self.every:
            for key, value in vars(one).items():
                if key not in _LISTS:
                    self._collect(one, key, value)

    def _collect(self, layer: Any, key: str, value: Any) -> None:
        if isinstance(value, dict | list | tuple):
            for one in value.values() if isinstance(value, dict) else value:
                self._collect(layer, key, one)
        elif isinstance(value, GraphedVariable | GraphVariable | SymbolicTensor):
            if all(value is not one for one in self.variables):
                self.variables.append(value)
        elif type(value) is ResourceVariable or type(value) is KerasVariable:
            self._refuse(layer, key, value)

    def _refuse(self, layer: Any, key: str, value: Any) -> NoReturn:
        inside = type(value) is ResourceVariable and layer.built
        raise GraphCaptureError(
            "Attempting to capture an EagerTensor without building a function.",
            origin=f"{layer.name}.{key} is {value.path!r}, created at {value.site}",
            why="The variable has a value already, and a graph has none until a session runs it.",
            remedy="Create it with self.add_weight(...)."
            if inside
            else "Create and build the layer inside tf.Graph().as_default(), or call it on values.",
            site=here(),
        )

    @contextlib.contextmanager
    def _holding(self, values: list[Any]) -> Iterator[None]:
        """Puts values in the place of the variables."""
        table = {id(one): _held(one, value) for one, value in zip(self.variables, values, strict=True)}
        before: list[tuple[dict[str, Any], str, Any]] = []
        for one in self.every:
            attributes = vars(one)
            for key, value in list(attributes.items()):
                if key in _LISTS:
                    continue
                put = _with(value, table)
                if key == "_stream" and isinstance(value, SeedGenerator):
                    # Nothing in the graph moves its state on: each run draws what the first one drew.
                    put = Same(*value.state.numpy().tolist())
                if put is not value:
                    before.append((attributes, key, value))
                    attributes[key] = put
        try:
            yield
        finally:
            for attributes, key, value in before:
                attributes[key] = value

    def __call__(self, inputs: Any, options: Any, marks: list[Any], values: list[Any]) -> Any:
        """Returns the result, the masks of its tensors by their number, and the losses that it adds."""
        _mark((inputs, options), marks)
        kept = [(one, one._losses) for one in self.every]
        self.layer._lossy.clear()
        for one in self.every:
            one._losses = []
        try:
            with self._holding(values), keys.taking_from(_Steady(self.seed)), alone():
                result = self.layer(*inputs, **options)
            losses = [loss for one in self.every for loss in one._losses]
        finally:
            for one, before in kept:
                one._losses = before
        found = {
            str(place): mask
            for place, one in enumerate(flat(result))
            if isinstance(one, Tensor) and (mask := masks.mask_of(one)) is not None
        }
        return result, found, losses


def _with(value: Any, table: dict[int, Any]) -> Any:
    """Returns an attribute with the values of a table in the place of what they belong to."""
    if id(value) in table:
        return table[id(value)]
    if type(value) in (list, tuple):
        made = [_with(one, table) for one in value]
        same = all(a is b for a, b in zip(made, value, strict=True))
        return value if same else type(value)(made)
    if type(value) is dict:
        named = {key: _with(one, table) for key, one in value.items()}
        return value if all(named[key] is value[key] for key in value) else named
    return value


def call(layer: Any, inputs: Any, options: Any) -> Any:
    """Adds the call of a layer to the graph that is being built; returns the tensors of its result."""
    frame, graph = user_frame(1), mode.default()
    arguments = list(inputs)
    for one in flat((arguments, options)):
        if isinstance(one, SymbolicTensor) and one.spec is None:
            raise ValueError(
                "as_list() is not defined on an unknown TensorShape.\n"
                f"{type(layer).__name__} {layer.name!r} was called on {one}, built at {one.op.site}: give "
                "its number of axes, as in tf.placeholder(tf.float32, [None, 3])."
            )
    _refuse_training(layer, options)
    if calls.layers and calls.training[-1] is not None and layer._signature[1]:
        # What a surrounding layer says is fixed when the graph is built.
        options = {"training": calls.training[-1], **options}
    marks = _marks((arguments, options))
    _build(layer, arguments, options, marks, graph)
    for one in layer._found().cells:
        if isinstance(one, GraphedVariable) and one._graph is graph:
            _ = one._in_graph
    made = LayerCall(layer, _mixed(*keys.generator.take()))
    for one in made.variables:
        if isinstance(one, GraphedVariable) and one._graph is not graph:
            raise ValueError(
                f"The variable {one.path!r} of {layer.name!r} must be from the same graph as the tensor it "
                f"is called on (graphs are {one._graph} and {graph})."
            )
    held = [getattr(one, "_in_graph", one) for one in made.variables]
    with graph.name_scope(_scope(layer)):
        own = type(layer).__name__
        result, found, losses = build(made, own, own, (arguments, options, marks, held), {}, frame)
    leaves = flat(result)
    for place, mask in found.items():
        leaves[int(place)]._keras_mask = mask
    for one in made.every:
        one._losses = []
    layer._losses = losses
    return result


def _marks(structure: Any) -> list[Any]:
    """Returns the masks of the tensors of a graph in a structure, each after its place."""
    return [
        (place, one._keras_mask)
        for place, one in enumerate(flat(structure))
        if getattr(one, "_keras_mask", None) is not None
    ]


def _mark(structure: Any, marks: list[Any]) -> None:
    given = flat(structure)
    for place, mask in marks:
        masks.attach(given[place], mask)


class CalledFunction:
    """A function of Keras as an operation calls it: on operands that have their masks."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, given: Any, chosen: Any, marks: list[Any]) -> Any:
        """Returns the result of the function."""
        _mark((given, chosen), marks)
        return self.function(*given, **chosen)


def of_function(function: Callable[..., Any], word: str, arguments: Any, options: Any) -> Any:
    """Adds the call of a function of Keras to the graph that is being built."""
    given = list(arguments)
    marks = _marks((given, options))
    return build(CalledFunction(function), word, word, (given, options, marks), {}, user_frame(1))


def _scope(layer: Any) -> str:
    return layer.name if layer.name[:1].isalnum() else f"layer{layer.name}"


def _refuse_training(layer: Any, options: Any) -> None:
    training = options.get("training")
    if isinstance(training, SymbolicTensor):
        bool(training)


def _build(layer: Any, arguments: Any, options: Any, marks: Any, graph: Graph) -> None:
    """Builds a layer on operands without values, so that its variables are there."""
    if layer.built and all(one.built for one in layer._found().layers):
        return
    made = LayerCall(layer)
    inputs: list[SymbolicTensor] = []
    template = taken([arguments, options, marks, made.variables], inputs, graph)
    with building(graph):
        infer(lambda values: made(*filled(template, values)), inputs, True)
    # TensorFlow makes the variables in a scope of that name, which the first call therefore does not get.
    graph.unique_name(_scope(layer))


def losses(layer: Any) -> list[Any]:
    """Returns the losses of a layer in a graph: those of its latest call, and the penalties on variables."""
    every = [layer, *layer._found().layers]
    frame = user_frame(1)
    found = [loss for one in every for loss in one._losses]
    for one in every:
        for penalty, variable in one._penalties:
            if variable._wanted:
                found.append(_penalised(penalty, variable, frame))
    return found


def _penalised(penalty: Callable[[Any], Any], variable: Any, frame: FrameType) -> Any:
    if isinstance(variable, GraphedVariable) and variable._own is not None:
        return build(penalty, "mul", "mul", (variable._in_graph,), {}, frame)
    return penalty(variable)
