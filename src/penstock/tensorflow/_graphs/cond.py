"""tf.cond: a value chooses which of two parts of a graph runs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.errors import CaptureError
from penstock.ops import pointwise
from penstock.tensorflow import _convert
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._graphs.build import call_at, constant, give
from penstock.tensorflow._graphs.graph import Graph, Operation, mode
from penstock.tensorflow._graphs.infer import Output, Place
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor, open_spec
from penstock.tensorflow._graphs.texts import SymbolicText
from penstock.tensorflow._tensor_array import TensorArray
from penstock.trace.source_site import here
from penstock.trace.spec import Spec
from penstock.trace.structure import mapped

_frame = sys._getframe


class Branch:
    """The operations that one function has built for its results, in order, and the results.

    `parameters` represent the function's operands. With `first`, the operations built since that one count as
    part of the function. Random operations are numbered `apart` from those of the graph.
    """

    def __init__(
        self, graph: Graph, function: Callable[[], Any], frame: Any, what: str = "cond",
        parameters: Sequence[SymbolicTensor] = (), first: int | None = None,
        apart: bool = False,
    ) -> None:  # fmt: skip
        first = len(graph.operations) if first is None else first
        leaves: list[Any] = []
        self.parameters = list(parameters)
        with graph.drawing_apart() if apart else contextlib.nullcontext():
            found = function()
        self.structure = mapped(found, lambda one: _numbered(one, leaves, what), lambda one: one is None)
        self.results: list[SymbolicTensor] = [constant(one, f"{what}/result", frame) for one in leaves]
        inside = set(graph.operations[first:]) | {one.op for one in parameters}
        needed: set[Operation] = set()
        stack = [one.op for one in self.results]
        outside: dict[SymbolicTensor, None] = {}
        while stack:
            one = stack.pop()
            if one in needed or one not in inside:
                continue
            needed.add(one)
            stack += [*(tensor.op for tensor in one.inputs), *one.control_inputs]
            outside.update((tensor, None) for tensor in one.inputs if tensor.op not in inside)
        outside.update((tensor, None) for tensor in self.results if tensor.op not in inside)
        needed -= {one.op for one in parameters}
        self.order = sorted(needed, key=lambda one: one.number)
        self.outside = list(outside)
        self.changed = [*self.parameters, *(tensor for one in self.order for tensor in one.outputs)]
        self.writes = any(one.writes for one in self.order)
        self.variables = tuple([v for one in self.order for v in one.details.get("variables", ())])
        self.requests = requests_in(self.order)


def requests_in(order: Sequence[Operation], functions: bool = False) -> list[Operation]:
    """Returns the requests for gradients in these operations, and in the sides of a `cond` among them.

    With `functions`, those in functions of tensors count, too, which run under a tape of their own.
    """
    found = []
    for one in order:
        if one.type == "Gradients":
            found.append(one)
        for branch in one.details.get("branches", ()):
            if functions or not branch.parameters:
                found += requests_in(branch.order, functions)
    return found


def _numbered(result: Any, leaves: list[Any], what: str) -> Any:
    if result is None or isinstance(result, Operation):
        raise ArgumentError(
            f"tf.{what}: a function returned an operation or None.",
            remedy="Return a tensor: with tf.control_dependencies([operation]): return tf.identity(value).",
            site=here(),
        )
    leaves.append(result)
    return Place(len(leaves) - 1)


@named("tf.compat.v1.cond")
def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """Returns what `true_fn` gives if `pred` is true, else what `false_fn` gives; only that one is run.

    What a run chooses cannot be recorded once for all: a run with a `cond` is replayed each time.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.placeholder(tf.float32, [])
    ...     size = tf.cond(x > 0.0, lambda: x, lambda: -x)
    ...     print(session.run(size, {x: -2.0}), session.run(size, {x: 3.0}))
    2.0 3.0
    """
    first, second = true_fn or fn1, false_fn or fn2
    if not callable(first) or not callable(second):
        raise TypeError("'true_fn' and 'false_fn' must be callable.")
    frame, graph = _frame(1), mode.building()
    if graph is None:
        return (first if bool(pred) else second)()
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    chooser = constant(pred, "cond/pred", frame)
    with graph.name_scope(name or "cond"):
        branches = [Branch(graph, one, frame, apart=True) for one in (first, second)]
        pairs = list(zip(branches[0].results, branches[1].results, strict=False))
        if len(branches[0].results) != len(branches[1].results) or any(
            a._dtype != b._dtype for a, b in pairs
        ):
            raise TypeError(
                "true_fn and false_fn must return results of the same number and dtypes: "
                f"{[one.dtype.name for one in branches[0].results]} and "
                f"{[one.dtype.name for one in branches[1].results]}."
            )
        inputs = list(dict.fromkeys([chooser, *branches[0].outside, *branches[1].outside]))
        writes = any(one.writes for one in branches)
        made = graph.add("If", "Merge", choose, inputs, frame, writes=writes, fresh=True)
    made.details = {
        "branches": branches, "chooser": chooser,
        "variables": branches[0].variables + branches[1].variables,
    }  # fmt: skip
    outputs = [Output.like(a, _either(a, b), _shape_of_either(a, b)) for a, b in pairs]
    return give(made, branches[0].structure, outputs)


def _either(a: SymbolicTensor, b: SymbolicTensor) -> Spec | None:
    """Returns the facts known about a tensor that is one of two."""
    if a.spec is None or b.spec is None or a.spec.ndim != b.spec.ndim:
        return None
    if a.spec is b.spec:
        return a.spec
    return open_spec([n if n == m else None for n, m in zip(a.shape, b.shape, strict=True)], a._dtype, "cond")


def _shape_of_either(a: SymbolicTensor, b: SymbolicTensor) -> Any:
    """Returns the lengths that two tensors have in common; None if their numbers of axes differ."""
    if a.shape is UNKNOWN or b.shape is UNKNOWN or len(a.shape) != len(b.shape):
        return None
    return [n if n == m else None for n, m in zip(a.shape, b.shape, strict=True)]


def choose(runner: Any, operation: Operation, values: Sequence[Any]) -> list[Any]:
    """Runs the branch that the value chooses, or both in a trial without values."""
    branches = operation.details["branches"]
    chosen = runner.values[operation.details["chooser"]]
    if runner.session.trial:
        if any(isinstance(one, SymbolicText) for one in operation.outputs):
            raise CaptureError("Strings are computed on the host.")
        results = [runner.branch(one) for one in branches]
        return [call_at(operation.code, _select, (chosen, a, b), {}) for a, b in zip(*results, strict=True)]
    return runner.branch(branches[0 if bool(np.asarray(_convert.operand(chosen))) else 1])  # type: ignore[no-any-return]


def _select(chosen: Any, a: Any, b: Any) -> Any:
    if isinstance(a, TensorArray):
        return a.with_all_of(b)  # type: ignore[attr-defined]
    operands = tuple([_convert.operand(one) for one in (chosen, a, b)])
    return _convert.record(pointwise.where, operands, {}, _frame(1))
