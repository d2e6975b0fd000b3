"""`paddle.grad`: gradients of outputs with respect to inputs, returned and not added to `grad`."""

from __future__ import annotations

import functools
import sys
from typing import Any

from penstock.grad.rows import Rows
from penstock.paddle._backward import (
    Ways,
    _given,
    _record_gradient,
    _refuse_whole_numbers,
    fitting,
    from_hook_to_hook,
)  # fmt: skip
from penstock.paddle._convert import HANDLES
from penstock.paddle._creation import ones_like
from penstock.paddle._declaring import in_paddle
from penstock.paddle._errors import InvalidTypeError, InvalidValueError, NotThereError, RefusedError
from penstock.paddle._handing import dense, left, speech
from penstock.paddle._past import Descent, goes_on
from penstock.paddle._record import historic, record_of
from penstock.paddle._refusals import refuse_freed, refuse_not_kept, refuse_overwritten, unreachable
from penstock.paddle._standing import standing
from penstock.paddle._tensor import Tensor, as_result
from penstock.trace.local import local
from penstock.trace.recorder import Trace
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell

_frame = sys._getframe


@in_paddle("paddle.autograd.grad")
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
    *,
    dump_backward_graph_path: Any = None,
) -> list[Any]:
    """Returns the gradient of the outputs' sum, weighted by `grad_outputs`, for each of the inputs.

    With `create_graph` the gradients can be differentiated again. The graph can be passed again in any case,
    as in Paddle: `retain_graph` does nothing. No picture of it is written: nor does
    `dump_backward_graph_path`. Raises ValueError for an input that the outputs do not depend
    on (with `allow_unused` its gradient is None), and SystemError if `backward` has freed the graph.

    >>> from penstock import paddle
    >>> x = paddle.to_tensor(3.0, stop_gradient=False)
    >>> (slope,) = paddle.grad(x * x, x)
    >>> slope.item()
    6.0
    """
    frame = _frame(1)
    if not only_inputs:
        raise RefusedError("only_inputs=False is not supported yet", remedy="Omit it.", site=here())
    targets, sources = _listed(outputs, "outputs"), _listed(inputs, "inputs")
    weights: list[Any] = [None] * len(targets)
    if grad_outputs is not None:
        weights = list(grad_outputs) if isinstance(grad_outputs, list | tuple) else [grad_outputs]
        if len(weights) != len(targets):
            raise InvalidValueError("The length of grad_outputs must be equal to outputs", site=here())
    barred = _listed(no_grad_vars, "no_grad_vars") if no_grad_vars is not None else []
    tape = standing()
    tape.differentiates = tape.differentiates or create_graph
    trace: Trace = local.trace
    before, left.create_graph = left.create_graph, create_graph
    try:
        found: list[Any] = _found(trace, targets, sources, weights, barred, True, create_graph, frame)
    finally:
        left.create_graph = before
    found = [None if any(source is one for one in barred) else one for one, source in zip(found, sources)]
    for position, (gradient, source) in enumerate(zip(found, sources)):
        if gradient is None and not allow_unused:
            raise unreachable(position, source, targets[0])
    given = [one.dense() if isinstance(one, Rows) else one for one in found]
    if not create_graph:
        if speech.seen:
            # A hook may have computed one from a gradient, which says that it wants its own.
            for gradient in given:
                if gradient is not None:
                    _settled(gradient)
        tape.rest(trace)
    else:
        for gradient in given:
            if type(gradient) is Tensor and gradient.stop_gradient:
                # Nothing that it depends on wants a gradient; in Paddle it says that it does.
                gradient.__class__ = speech.gradient  # type: ignore[assignment]
    return given


def _settled(gradient: Any) -> None:
    """Lets a gradient that is not to be differentiated say so, in case it was made from one that is."""
    if type(gradient) is not Tensor:
        gradient.__class__ = Tensor
    gradient._note("of_gradient", False)


def _listed(given: Any, word: str) -> list[Any]:
    values = list(given) if isinstance(given, list | tuple) else [given]
    for one in values:
        if not isinstance(one, HANDLES):
            raise InvalidTypeError(
                f"Elements of {word} must be Tensor, but one is {type(one).__name__} {one!r}",
                why="A number or an array has no history for a gradient to follow.",
                site=here(),
            )
    return values


def _came_before(trace: Trace, source: Any) -> bool:
    """Returns whether steps that are over may depend on a tensor: one that this step made is behind none."""
    return isinstance(source, Cell) or source._trace is not trace


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
    descent = Descent(trace, retain, frame, sources, barred)
    present = []
    for one, weight in zip(targets, weights):
        if one._trace is trace or one._past is None:
            present.append((one, weight))
        else:
            descent.arrive(one, ones_like(one) if weight is None else fitting(weight, one, frame))
    found = [None] * len(sources)
    if present:
        found = _on_this_path(trace, present, sources, barred, retain, create_graph, descent, frame)
    if descent.arrived and any(_came_before(trace, one) for one in sources):
        if create_graph:
            raise NotThereError(
                "paddle.grad with create_graph=True reaches into a finished step.",
                why="A result computed from its gradient could not be differentiated there.",
                remedy="Compute the outputs and their gradient in one step: before clear_grad() ends it.",
                site=here(),
            )
        descent.run()
        found = [
            one
            if (more := descent.found.get(id(source))) is None
            else more
            if one is None
            else _sum(one, more)
            for one, source in zip(found, sources)
        ]
    return found


def _sum(one: Any, other: Any) -> Any:
    return dense(one) + dense(other)


def _on_this_path(
    trace: Trace,
    targets: list[tuple[Any, Any]],
    sources: list[Any],
    barred: list[Any],
    retain: bool,
    create_graph: bool,
    descent: Descent,
    frame: Any,
) -> list[Any]:
    """Returns the gradients within this path; `descent` holds those that continue into earlier paths."""
    weights = [weight for _, weight in targets]
    seeds = tuple(None if one is None else trace.reference(one) for one in weights)
    slots = tuple(trace.reference(one) for one, _ in targets)
    earlier = historic(trace) if trace.entries else ()
    where = tuple(_where(trace, one) for one in sources)
    cut = tuple(slot for one in barred for slot in _where(trace, one)[1])
    head = ("grad", slots, seeds, tuple(key for key, _ in where), cut, retain, create_graph, earlier)
    node = trace.node.edges.get((head, frame.f_lasti, id(frame.f_code)))
    if node is None:
        record = record_of(trace.node, earlier)
        entered = {max(one, ~one) for one in earlier}
        read = _by_variable(record)
        groups = [
            [s for s in found if s in record.carrying and s not in cut]
            if found and not goes_on(one)
            else []
            if found
            else [s for s in read.get(_index(trace, one), ()) if s in record.leaves]
            for (_, found), one in zip(where, sources)
        ]
        listed = [_latest(trace, read, one, found) for (_, found), one in zip(where, sources)]
        behind = record.behind(slots, cut)
        wanted = {slot for group in [*groups, *(found for _, found in where)] for slot in group}
        leading = [
            trace.entered[id(entry)]
            for entry in trace.entries
            if trace.entered.get(id(entry)) in entered and descent.reaches(entry)
        ]
        between = record.between(behind, wanted.union(leading))
        freed = record.operations(between)
        gone = record.gone.intersection(leading).intersection(behind).difference(cut)
        refuse_freed(trace, record, freed, gone, trace.entries)
        refuse_overwritten(record, between)
        refuse_not_kept(record, between)
        _refuse_whole_numbers(record, between)
        groups = [[slot for slot in group if slot in behind] for group in groups]
        onward = [slot for slot in earlier if slot in behind and slot not in cut]
        hooked = sorted(record.hooked.intersection(behind).difference(cut), reverse=True)
        if hooked:
            ways = Ways(record, freed, retain, create_graph, cut)
            return _past_hooks(trace, ways, hooked, dict(zip(slots, seeds)), groups, onward, descent, frame)
        groups += [[slot] for slot in onward]
        listed += [-1] * len(onward)
        pairs = list(zip(slots, seeds))
        node = _record_gradient(
            trace, record, pairs, groups, onward, head, frame, retain, create_graph, freed, cut, listed=listed
        )
    else:
        trace.node = node
    found = [None if one is None else _given(trace, one, Tensor) for one in node.result]
    _go_on(trace, node.facts["leaves"], found[len(sources) :], descent)
    return found[: len(sources)]


def _go_on(trace: Trace, onward: list[int], found: list[Any], descent: Descent) -> None:
    for slot, gradient in zip(onward, found):
        if gradient is not None:
            entry = next(one for one in trace.entries if trace.entered.get(id(one)) == slot)
            descent.arrive(entry, dense(gradient))


def _past_hooks(
    trace: Trace,
    ways: Ways,
    hooked: list[int],
    seeds: dict[int, Any],
    groups: list[list[int]],
    onward: list[int],
    descent: Descent,
    frame: Any,
) -> list[Any]:
    """Returns gradients that pass hooks on their way: a hooked source gets the result of its hooks."""
    plain = [[slot for slot in group if slot not in hooked] for group in groups]
    names = [*(("source", i) for i in range(len(groups))), *(("onward", slot) for slot in onward)]
    totals = from_hook_to_hook(
        trace, ways, hooked, seeds, [*plain, *([slot] for slot in onward)], names, frame
    )
    found = []
    for i, group in enumerate(groups):
        parts = [totals.get(("source", i)), *(totals.get(("hooked", one)) for one in group if one in hooked)]
        there = [one for one in parts if one is not None]
        found.append(functools.reduce(_sum, there) if there else None)
    _go_on(trace, onward, [totals.get(("onward", slot)) for slot in onward], descent)
    return found


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
    """Returns the key of a source within this path, and its slots if they are already known."""
    if isinstance(source, Cell):
        return ("variable", _index(trace, source)), []
    if source._trace is not trace:
        slot = trace.entered.get(id(source))
        return slot, [] if slot is None else [slot]
    # A leaf that has been written since has the gradients of its earlier values too.
    slots = [*(one._slot for one in source._noted("earlier", ()) if one._trace is trace), source._slot]
    return tuple(slots), slots
