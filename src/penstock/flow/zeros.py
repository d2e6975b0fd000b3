"""Why a gradient is exactly zero although a path is open: the operations on the path with zero slope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from penstock.flow.graph import Graph, Request
from penstock.flow.loss_terms import expression
from penstock.flow.naming import Place, name_of, step_of
from penstock.flow.observed import Passage
from penstock.flow.sizes import Zero


def zero_of(passage: Passage, request: Request, variables: Sequence[int]) -> dict[int, Zero]:
    """Returns why the gradients of these variables of a passage are zero, if one operation is the cause."""
    graph, region = passage.graph, request.region
    clear = graph.clear(request.targets, region)
    values = passage.values(clear | {n for one in clear for n in graph.values[one].inputs})
    if values is None:
        return {}
    alive, flat = set(request.targets), []
    for number in sorted(clear, reverse=True):
        if number not in alive:
            continue
        inputs = graph.values[number].inputs
        for operand, source in enumerate(inputs):
            if source in clear and not graph.obstacle(number, operand, region):
                if passage.responds(number, operand, [values[one] for one in inputs]):
                    alive.add(source)
                else:
                    flat.append((number, operand))
    found = {}
    for index in variables:
        reads = [one for one in graph.versions(index) if one in clear]
        if not reads or alive.intersection(reads):
            continue
        after = graph.descendants(reads)
        held = [(n, o) for n, o in flat if graph.values[n].inputs[o] in after]
        if held:
            # The others depend on the first one on the path to the loss.
            found[index] = _told(passage, values, *min(held))
    return found


def _told(passage: Passage, values: Mapping[int, Any], number: int, operand: int) -> Zero:
    graph = passage.graph
    value = graph.values[number]
    event = graph.events[value.event]
    place = Place(graph, passage.variables, None, number)
    step = step_of(place)
    operation, site = expression(place), step.site or graph.site(number)
    others = [one for at, one in enumerate(value.inputs) if at != operand]
    for other in others:
        if _is_zero(values[other]) and _is_factor(passage, values, number, operand, other):
            dead = _dead(passage, values, other)
            if dead is not None:
                return dead
            if _is_mask(graph, other):
                return Zero("mask", operation, site, _called(passage, other))
            origin = _origin(graph, values, other)
            return Zero("factor", operation, site, _called(passage, origin), graph.values[origin].variable)
    if any(np.asarray(values[one]).dtype.kind == "b" for one in others):
        mask = next(one for one in others if np.asarray(values[one]).dtype.kind == "b")
        return Zero("mask", operation, site, _called(passage, mask))
    given = np.asarray(values[value.inputs[operand]]).astype(np.float64).ravel()
    low, high = (float(given.min()), float(given.max())) if given.size else (0.0, 0.0)
    if value.name in _STEPS:
        return Zero("step", operation, site, value.name, low=low, high=high)
    dead = _dead(passage, values, number)
    if dead is not None:
        return dead
    if value.role == "scale" and _is_zero(values[number]) and not _is_zero(given):
        return Zero("factor", operation, site)
    kind = "saturated" if _NAMES.intersection((value.name, event.name)) else "flat"
    return Zero(kind, operation, site, low=low, high=high)


_STEPS = frozenset(("floor", "ceil", "round", "trunc", "sign"))
"""Step functions: they have slope zero wherever they have a slope."""
_NAMES = frozenset(
    (
        "sigmoid", "logistic", "tanh", "softmax", "log_softmax", "softplus", "erf", "gelu", "silu", "swish",
        "elu", "selu", "hard_sigmoid", "hard_tanh", "hardtanh", "hardsigmoid", "relu6", "exp", "softsign",
    )
)  # fmt: skip
"""Functions with limits that they reach within the precision of floats."""


def _dead(passage: Passage, values: Mapping[int, Any], number: int) -> Zero | None:
    """Returns the description of a value that is zero because its function had no input above 0."""
    graph = passage.graph
    event = graph.events[graph.values[number].event]
    inside = range(event.first, event.last)
    given = [one for at in inside for one in graph.values[at].inputs if one not in inside]
    given = [one for one in dict.fromkeys(given) if graph.values[one].kind != "number"]
    if event.kind != "operation" or len(given) != 1 or not _is_zero(values.get(event.last - 1, 1.0)):
        return None
    before = np.asarray(values.get(given[0], 1.0))
    if before.dtype.kind not in "fV" or not before.size or before.astype(np.float64).max() > 0.0:
        return None
    if before.astype(np.float64).min() == 0.0:
        # Zeros computed from zeros: the cause is the operation that made those.
        return None
    low, high = float(before.astype(np.float64).min()), float(before.astype(np.float64).max())
    step = step_of(Place(graph, passage.variables, None, event.last - 1))
    return Zero("dead", str(step), step.site or graph.site(number), low=low, high=high)


def _is_factor(passage: Passage, values: Mapping[int, Any], number: int, operand: int, other: int) -> bool:
    """Returns whether a value would respond if another operand were not zero."""
    inputs = passage.graph.values[number].inputs
    ones = [np.ones_like(values[one]) if one == other else values[one] for one in inputs]
    return passage.responds(number, operand, ones)


def _is_zero(value: Any) -> bool:
    array = np.asarray(value)
    return array.dtype.kind in "fciuV" and not np.any(array)


def _is_mask(graph: Graph, number: int) -> bool:
    """Returns whether a value is a conversion of booleans."""
    while graph.values[number].inputs and graph.values[number].name in ("cast", "astype", "reshape"):
        number = graph.values[number].inputs[0]
    return graph.values[number].spec.startswith("bool")


def _origin(graph: Graph, values: Mapping[int, Any], number: int) -> int:
    """Returns the value that makes another zero: the value itself, or the variable in its product."""
    at = number
    while graph.values[at].variable is None:
        zeros = [one for one in graph.values[at].inputs if _is_zero(values.get(one, 1.0))]
        if not zeros:
            return number
        at = zeros[0]
    return at


def _called(passage: Passage, number: int) -> str:
    """Returns the name of a value for a sentence."""
    graph = passage.graph
    while graph.values[number].name in ("cast", "broadcast_to") and graph.values[number].inputs:
        number = graph.values[number].inputs[0]
    value = graph.values[number]
    place = Place(graph, passage.variables, None, number)
    if value.variable is not None:
        return repr(place.bound.path)
    if value.kind == "number":
        return ""
    return name_of(place) or str(step_of(place))


__all__ = ["zero_of"]
