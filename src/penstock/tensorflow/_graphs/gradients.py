"""tf.gradients: the tape of the replay computes them, on the line that called tf.gradients."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import PenstockError
from penstock.functions.scratch import numbers_for
from penstock.grad.rows import Rows
from penstock.tensorflow import _arrays
from penstock.tensorflow._graphs.build import call_at, constant, give, graph_of
from penstock.tensorflow._graphs.graph import Operation, mode
from penstock.tensorflow._graphs.infer import Output, scratch, valueless
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._graphs.texts import SymbolicText
from penstock.tensorflow._graphs.variable import GraphVariable
from penstock.tensorflow._replay import ReplayTape
from penstock.tensorflow._session import Plan, Runner
from penstock.tensorflow._tape import UnconnectedGradients
from penstock.tensorflow._tensor import EagerTensor
from penstock.tensorflow._variable import ResourceVariable
from penstock.tiers.commits import Commit
from penstock.trace.engine import engine
from penstock.trace.lengths import Name, explore, names_in, value
from penstock.trace.local import local
from penstock.trace.spec import spec
from penstock.trace.structure import flat
from penstock.trace.tensor import Cell

_frame = sys._getframe


@named("tf.compat.v1.gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> list[Any]:
    """Returns the gradient of the sum of `ys` with respect to each of `xs`; None where no path leads.

    `grad_ys` weighs the elements of each y; tensors in `stop_gradients` count as constants. In a function of
    `tf.function`, gradients are those of what the function has computed. `colocate_gradients_with_ops`,
    `gate_gradients` and `aggregation_method` do nothing.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant(3.0)
    ...     print(session.run(tf.gradients(x * x, x)))
    [np.float32(6.0)]
    """
    if mode.building() is None:
        from penstock.tensorflow import _gradients_in_functions as computed

        weights = None if grad_ys is None else listed(grad_ys)
        return computed.gradients(
            listed(ys), listed(xs), weights, listed(stop_gradients), unconnected_gradients
        )
    return differentiated(ys, xs, grad_ys, name, stop_gradients, unconnected_gradients, _frame(1))[0]


def differentiated(
    ys: Any,
    xs: Any,
    grad_ys: Any,
    name: str,
    stop_gradients: Any,
    unconnected: Any,
    frame: FrameType,
    implied: bool = False,
) -> tuple[list[Any], Operation]:
    """Returns the gradients, and the operation that computes them; `implied` if `xs` was not listed."""
    targets = [constant(one, "y", frame) for one in listed(ys)]
    sources = [one if isinstance(one, GraphVariable) else constant(one, "x", frame) for one in listed(xs)]
    walls = [constant(one, "stop", frame) for one in listed(stop_gradients)]
    weights: list[Any] = [None] * len(targets)
    if grad_ys is not None:
        weights = [
            None if one is None else constant(one, "grad_ys", frame, target._dtype)
            for one, target in zip(listed(grad_ys), targets, strict=True)
        ]
    zero = getattr(unconnected, "value", unconnected) == "zero"
    graph = graph_of([*targets, *(x for x in sources if isinstance(x, SymbolicTensor))], mode.default())
    with graph.name_scope(name or "gradients"):
        inputs = [*targets, *(one for one in weights if one is not None), *walls]
        if zero:
            inputs += [one for one in sources if isinstance(one, SymbolicTensor)]
        operation = graph.add("Gradients", "grad", differentiate, inputs, frame)
    operation.details = {
        "targets": targets, "sources": sources, "weights": weights, "walls": walls, "zero": zero,
        "connected": [True] * len(sources), "implied": implied,
    }  # fmt: skip
    connected = operation.details["connected"] = _connections(operation)
    found = [place for place, one in enumerate(connected) if one]
    outputs = [Output(sources[place]._dtype, _own(sources[place])) for place in found]
    give(operation, None, outputs)
    given = dict(zip(found, operation.outputs, strict=True))
    return [given.get(place) for place in range(len(sources))], operation


def listed(values: Any) -> list[Any]:
    """Returns the tensors and variables of a structure, such as the values of a dictionary, or just one."""
    found = [] if values is None else flat(values, lambda one: one is None)
    # A variable of a Keras layer represents one of the graph.
    return [getattr(one, "_in_graph", one) for one in found]


def _own(source: Any) -> Any:
    return source._own if isinstance(source, GraphVariable) else source.spec


def differentiate(runner: Any, operation: Operation, values: Sequence[Any]) -> list[Any]:
    """Computes, with the tape of a replay, the gradients of a gradient operation."""
    details = operation.details
    known, cells = runner.values, runner.session.cells
    targets = [known[one] for one in details["targets"]]
    sources = [
        cells.get(one) if isinstance(one, GraphVariable) else known.get(one) for one in details["sources"]
    ]
    weights = [None if one is None else known[one] for one in details["weights"]]
    places = [place for place, source in enumerate(sources) if source is not None]
    tape = runner.tape.asking((known[one] for one in details["walls"]), details["implied"])
    targets = [one.dense() if isinstance(one, Rows) else one for one in targets]
    asked = call_at(
        operation.code,
        tape.gradient,
        (targets, [sources[place] for place in places]),
        {"output_gradients": weights if any(one is not None for one in weights) else None},
    )
    found: list[Any] = [None] * len(sources)
    for place, gradient in zip(places, asked, strict=True):
        found[place] = gradient
    result = []
    for place, wanted in enumerate(details["connected"]):
        if wanted and sources[place] is not None:
            gradient = found[place]
            result.append(_zeros(sources[place]) if gradient is None else gradient)
    runner.latest = found
    return result


def _zeros(source: Any) -> Any:
    return _arrays.zeros_like(source)


class _Unnamed(ResourceVariable):
    """A variable without a value, hidden from observers."""

    def __init__(self, variable: GraphVariable) -> None:
        own = variable._own
        assert own is not None
        Cell.__init__(self, np.zeros((), own.dtype), variable.trainable)
        self._spec = own
        self._set_trainable(variable.trainable)
        self.site = variable.op.site
        self.path = variable.op.name


class _Cells(dict[GraphVariable, Any]):
    """Variables without values, created on first use."""

    def get(self, variable: GraphVariable, default: Any = None) -> Any:
        return self[variable]

    def __missing__(self, variable: GraphVariable) -> Any:
        made = self[variable] = _Unnamed(variable)
        return made


class _Trial:
    """A replacement for a session during a trial of gradients."""

    trial = True

    def __init__(self) -> None:
        self.cells = _Cells()
        self.optimizers: dict[Any, Any] = {}


def _given(operation: Operation) -> bool:
    """Returns whether the values of an operation come from outside the graph."""
    return operation.type in ("Placeholder", "IteratorGetNext", "Parameter") or "host" in operation.details


def _tried(operation: Operation, look: Callable[[Any, Runner], Any]) -> Any:
    """Replays a gradient's operations without values, and examines the record and the tape's results."""
    try:
        return explore(lambda: _replayed(operation, look, {}), lambda result, _: result)
    except _UNTRIED as error:
        failure = error
    # Which gradients exist does not depend on how long an axis is: any lengths that fit will do.
    order = Plan(_Trial(), [operation], []).order
    fed = [tensor.spec for one in order if _given(one) for tensor in one.outputs]
    names = sorted(names_in([list(one.shape) for one in fed if one is not None]), key=str)
    for numbers in itertools.islice(numbers_for(names, set()), 8 if names else 0):
        with contextlib.suppress(*_UNTRIED):
            return _replayed(operation, look, numbers)
    raise failure


def _replayed(operation: Operation, look: Callable[[Any, Runner], Any], numbers: Mapping[Name, int]) -> Any:
    session = _Trial()
    plan = Plan(session, [operation], [])
    with scratch() as trace:
        fed: dict[SymbolicTensor, Any] = {}
        for one in plan.order:
            for tensor in one.outputs if _given(one) else ():
                if isinstance(tensor, SymbolicText):
                    fed[tensor] = None
                    continue
                shape = () if tensor.spec is None else tensor.spec.shape
                own = spec(tuple([value(n, numbers) for n in shape]), tensor._dtype)
                fed[tensor] = valueless(trace, own, EagerTensor)
        plan.fed.update(dict.fromkeys(fed))
        runner = Runner(session, plan, fed)
        tape = ReplayTape(persistent=True)
        with tape:
            runner.tape = tape
            runner.watch_sources(plan.requests)
            runner.run(tape)
        return look(trace, runner)


_UNTRIED = (PenstockError, ArithmeticError, AssertionError)
"""Ends a trial in which unknown lengths do not fit together."""


def _connections(operation: Operation) -> list[bool]:
    """Returns which gradients exist, according to the tape, as in a later run of a session."""
    details = operation.details
    sources = details["sources"]
    if details["zero"]:
        return [True] * len(sources)
    try:
        found: list[bool] = _tried(operation, lambda trace, runner: [x is not None for x in runner.latest])
    except _UNTRIED:
        # Then a path of any kind counts.
        order = Plan(_Trial(), [operation], []).order
        reads = {one.details["variable"] for one in order if "variable" in one.details}
        found = [
            x in reads if isinstance(x, GraphVariable) else x.op in order and x._dtype.kind in "fcV"
            for x in sources
        ]
    return found


def reasons(operation: Operation | None) -> str:
    """Returns a line for each variable that a request gave no gradient of; tells those who watch."""
    if operation is None:
        return ""

    def look(trace: Any, runner: Runner) -> list[str]:
        absent = [
            runner.session.cells[one]
            for one, found in zip(operation.details["sources"], runner.latest, strict=True)
            if found is None and isinstance(one, GraphVariable)
        ]
        commit = Commit(
            trace.node, trace.start, trace.variables, [], True, trace.entries, trace.arguments, {}
        )
        engine.commits.tell(commit)
        return engine.reasons(local.trace, absent)

    try:
        lines: list[str] = _tried(operation, look)
    except _UNTRIED:
        return ""
    return "\n".join(lines)
