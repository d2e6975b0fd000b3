"""Operations of a graph with gradients that the program has registered: see `Graph.gradient_override_map`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from penstock.tensorflow import _arrays
from penstock.tensorflow._graphs.build import give
from penstock.tensorflow._graphs.cond import Branch
from penstock.tensorflow._graphs.graph import Graph, Operation
from penstock.tensorflow._graphs.infer import Output
from penstock.tensorflow._graphs.loops import _called, _facts, _InRun, _listed, _operation, _parameters
from penstock.tensorflow._graphs.tensor import SymbolicTensor
from penstock.tensorflow._registered_gradients import registered


def with_registered_gradient(
    make: Callable[[list[Any]], Any], type: str, name: str, inputs: Sequence[SymbolicTensor], graph: Graph,
    frame: FrameType,
) -> Any:  # fmt: skip
    """Builds an operation, which `make` builds of its inputs, with the gradient registered for its type."""
    gradient = registered(graph.overridden[type])
    own = graph.operation_name(name)
    before, graph.overridden = graph.overridden, {}
    places: list[int] = []
    try:
        with graph.name_scope(own + "/"):
            first = len(graph.operations)
            inner = _parameters(graph, [_facts(one) for one in inputs], frame)
            value = Branch(graph, lambda: make(list(inner)), frame, "gradient_override_map", inner)
            slopes = _parameters(graph, [_facts(one) for one in value.results], frame)

            def differentiated() -> list[Any]:
                found = [] if gradient is None else _listed(gradient(value.results[0].op, *slopes))
                places.extend(place for place, one in enumerate(found) if one is not None)
                return [found[place] for place in places]

            back = Branch(graph, differentiated, frame, "gradient_override_map", [*inner, *slopes], first)
            made = _operation(
                graph, type, own + "/", _registered_gradient, inputs, [value, back], frame, places=places
            )
    finally:
        graph.overridden = before
    return give(made, value.structure, [Output(one._dtype, one.spec) for one in value.results])


def _registered_gradient(runner: Any, operation: Operation, values: Sequence[Any]) -> list[Any]:
    value, back = operation.details["branches"]
    given = [runner.values[one] for one in operation.details["given"]]

    def function(*operands: Any) -> Any:
        def slopes(*upstream: Any) -> list[Any]:
            found: list[Any] = [None] * len(operands)
            for place, one in zip(
                operation.details["places"], runner.inside(back, [*operands, *upstream]), strict=True
            ):
                found[place] = one
            return found

        return runner.inside(value, operands), slopes

    if not operation.details["places"]:
        return [_arrays.stop_gradient(one) for one in runner.inside(value, given)]
    return _called(operation, _InRun(function), *given)
