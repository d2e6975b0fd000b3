"""`paddle.grad`: gradients of outputs by inputs, handed back and not added to `grad`."""

from __future__ import annotations

import sys
from typing import Any

from penstock.grad.rows import Rows
from penstock.paddle._autograd import _given, _record_gradient, replay, standing
from penstock.paddle._convert import HANDLES
from penstock.paddle._errors import InvalidTypeError, InvalidValueError
from penstock.paddle._record import historic, record_of
from penstock.paddle._refusals import second_backward, unreachable
from penstock.paddle._tensor import Tensor, as_result
from penstock.trace.recorder import Trace, local
from penstock.trace.site import here
from penstock.trace.tensor import Cell

_frame = sys._getframe


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Any = None,
    name: Any = None,
) -> list[Any]:
    """Returns the gradient of the outputs' sum, weighted with `grad_outputs`, by each of the inputs.

    With `create_graph` the gradients can be differentiated again. Raises ValueError for an input that the
    outputs do not depend on (None instead, with `allow_unused`), and SystemError where an earlier pass has
    freed the graph.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> (slope,) = paddle.grad(x * x, x)
    >>> slope.item()
    6.0
    """
    frame = _frame(1)
    targets, sources = _listed(outputs, "outputs"), _listed(inputs, "inputs")
    weights: list[Any] = [None] * len(targets)
    if grad_outputs is not None:
        weights = list(grad_outputs) if isinstance(grad_outputs, list | tuple) else [grad_outputs]
        if len(weights) != len(targets):
            raise InvalidValueError("The length of grad_outputs must be equal to outputs", site=here())
    barred = _listed(no_grad_vars, "no_grad_vars") if no_grad_vars is not None else []
    retain = create_graph if retain_graph is None else bool(retain_graph)
    standing()
    trace: Trace = local.trace
    found = _found(trace, targets, sources, weights, barred, retain, create_graph, frame)
    for position, (gradient, source) in enumerate(zip(found, sources)):
        if gradient is None and not allow_unused:
            raise unreachable(position, source, targets[0])
    return [one.dense() if isinstance(one, Rows) else one for one in found]


def _listed(given: Any, word: str) -> list[Any]:
    values = list(given) if isinstance(given, list | tuple) else [given]
    for one in values:
        if not isinstance(one, HANDLES):
            raise InvalidTypeError(
                f"Elements of {word} must be Tensor, but one is {type(one).__name__} {one!r}",
                why="A number or an array has no history that a gradient could follow.",
                site=here(),
            )
    return values


def _found(
    trace: Trace,
    targets: list[Any],
    sources: list[Any],
    weights: list[Any],
    barred: list[Any],
    retain: bool,
    create_graph: bool,
    frame: Any,
) -> list[Any]:
    targets = [as_result(one, frame) if isinstance(one, Cell) else one for one in targets]
    late = [one for one in targets if one._trace is not trace and one._past is not None]
    if late:
        past = late[0]._past
        assert past is not None
        record = record_of(past.node, past.historic)
        live = past.arguments is not None
        if live:
            return replay(trace, past, record, late, sources, weights, frame)
        gone = record.operations(record.behind([late[0]._slot]))
        if gone & record.spent:
            raise second_backward(past.node, record, gone)
        return [None] * len(sources)
    seeds = tuple(None if one is None else trace.reference(one) for one in weights)
    slots = tuple(trace.reference(one) for one in targets)
    earlier = historic(trace) if trace.entries else ()
    where = tuple(_where(trace, one) for one in sources)
    cut = tuple(slot for one in barred for slot in _where(trace, one)[1])
    head = ("grad", slots, seeds, tuple(key for key, _ in where), cut, retain, create_graph, earlier)
    node = trace.node.edges.get((head, frame.f_lasti, id(frame.f_code)))
    if node is None:
        record = record_of(trace.node, earlier)
        read = _by_variable(record)
        groups = [
            [s for s in found if s in record.carrying and s not in cut]
            if found
            else [s for s in read.get(_index(trace, one), ()) if s in record.leaves]
            for (_, found), one in zip(where, sources)
        ]
        listed = [_latest(trace, read, one, found) for (_, found), one in zip(where, sources)]
        behind = record.behind(slots, cut)
        wanted = {slot for group in groups for slot in group}
        between = _between(record, behind, wanted)
        freed = record.operations(between)
        if not freed.isdisjoint(record.spent):
            raise second_backward(trace.node, record, freed)
        groups = [[slot for slot in group if slot in behind] for group in groups]
        pairs = list(zip(slots, seeds))
        node = _record_gradient(
            trace, record, pairs, groups, None, head, frame, retain, create_graph, freed, cut, listed=listed
        )
    else:
        trace.node = node
    return [None if one is None else _given(trace, one, Tensor) for one in node.result]


def _by_variable(record: Any) -> dict[int | None, list[int]]:
    """Returns the slots of each variable's versions, by the number of the variable."""
    found: dict[int | None, list[int]] = {}
    for slot, call in enumerate(record.calls):
        if call.variable is not None:
            found.setdefault(call.variable, []).append(slot)
    return found


def _latest(trace: Trace, read: dict[int | None, list[int]], source: Any, found: list[int]) -> int:
    """Returns the slot a source was last read in, whether a gradient gets there or not; -1 if in none."""
    if isinstance(source, Cell):
        found = read.get(_index(trace, source), [])
    return found[-1] if found else -1


def _index(trace: Trace, source: Any) -> int | None:
    return trace.known_index(source) if isinstance(source, Cell) else None


def _where(trace: Trace, source: Any) -> tuple[Any, list[int]]:
    """Returns what tells a source from others of this path, and its slots if they are known at once."""
    if isinstance(source, Cell):
        return ("variable", _index(trace, source)), []
    slot = source._slot if source._trace is trace else trace.entered.get(id(source))
    return slot, [] if slot is None else [slot]


def _between(record: Any, behind: list[int], wanted: set[int]) -> set[int]:
    """Returns those of the slots behind the targets from which one can come to a source."""
    leading = set(wanted)
    found = set()
    for slot in behind:
        if slot in leading or any(source in leading for source in record.calls[slot].inputs):
            leading.add(slot)
            found.add(slot)
    return found
