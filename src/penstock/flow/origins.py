"""The origin of a non-finite value: the first operation that computed one from finite operands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from penstock.flow.graph import Graph
from penstock.flow.naming import Place, step_of
from penstock.flow.observed import Passage
from penstock.flow.sizes import NotFinite


def is_bad(value: Any) -> bool:
    """Returns whether an array contains non-finite elements."""
    array = np.asarray(value)
    return array.dtype.kind in "fcV" and not bool(np.isfinite(array).all())


def first_bad(graph: Graph, values: Mapping[int, Any], number: int) -> int:
    """Returns the first non-finite value on the path to a non-finite one.

    Values off that path do not count: a mask of minus infinity does no harm as the input of a softmax.
    """
    chain: dict[int, list[int]] = {}
    stack = [number]
    while stack:
        one = stack.pop()
        if one not in chain:
            chain[one] = [source for source in graph.values[one].inputs if is_bad(values[source])]
            stack += chain[one]
    begun = [one for one, sources in chain.items() if not sources]
    made = [one for one in begun if graph.values[one].inputs]
    if made:
        return min(made)
    # The incoming data contain it. If it was an infinity, the operation that turned it into NaN says more.
    if not any(_has_nan(values[one]) for one in begun):
        turned = [
            one
            for one, sources in chain.items()
            if _has_nan(values[one]) and not any(_has_nan(values[source]) for source in sources)
        ]
        if turned:
            return min(turned)
    return min(begun)


def _has_nan(value: Any) -> bool:
    return bool(np.isnan(np.asarray(value)).any())


def told(passage: Passage, found: NotFinite, number: int, first: int, values: Mapping[int, Any]) -> NotFinite:
    """Returns the facts about a non-finite value, with the operation where it began."""
    graph = passage.graph
    last = np.asarray(values[number])
    begun = graph.values[first]
    event = graph.events[begun.event]
    source = "operation"
    shown = first
    if begun.kind in ("variable", "written") and not begun.inputs:
        source = "variable"
    elif not begun.inputs:
        source = "data"
    elif event.kind in ("apply", "write"):
        source = "update"
    elif event.kind == "gradient":
        source, shown = "slope", forward_of(graph, first)
        behind = passage.values(graph.ancestors([shown])) if shown != first else None
        if behind is not None and is_bad(behind[shown]):
            # The value itself was not finite, so its slope could not be.
            return told(passage, found, number, first_bad(graph, behind, shown), {**values, **behind})
    step = step_of(Place(graph, passage.variables, None, shown))
    name = graph.values[shown].name
    site = step.site or graph.site(shown)
    if source == "slope" and shown == first:
        operation = f"the {name} in the backward pass"
    else:
        operation = f"{step.name} = {step}" if step.name else str(step)
    return replace(
        found,
        value=float(np.real(last[~np.isfinite(last)].ravel()[0])),
        source=source,
        operation=operation,
        origin=site,
        largest=max((_largest(values[one]) for one in begun.inputs), default=math.nan),
        branch=any(
            "where" in (graph.values[one].name, graph.events[graph.values[one].event].name)
            for one in graph.descendants([shown])
            if one != shown and values.get(one) is not None
        ),
    )


def forward_of(graph: Graph, number: int) -> int:
    """Returns the operation whose derivative made a value; the value itself if that is unknown."""
    value = graph.values[number]
    name = value.name.removeprefix("gradient of ")
    seen, stack = {number}, [number]
    while stack:
        for source in graph.values[stack.pop()].inputs:
            other = graph.values[source]
            if other.kind != "operation":
                continue
            if other.event < value.event and name in (other.name, graph.events[other.event].name):
                return source
            if source not in seen and other.event == value.event and other.name == value.name:
                seen.add(source)
                stack.append(source)
    # The operation itself may have been pruned: another reader of the same operand has its name.
    return _beside(graph, seen, name, value.event, number)


def _beside(graph: Graph, seen: set[int], name: str, event: int, number: int) -> int:
    for one in sorted(seen):
        for source in graph.values[one].inputs:
            for user in graph.users(source):
                other = graph.values[user]
                if (
                    other.event < event
                    and other.kind == "operation"
                    and name in (other.name, graph.events[other.event].name)
                ):
                    return user
    return number


def _largest(value: Any) -> float:
    array = np.asarray(value)
    if array.dtype.kind not in "fciuV":
        return math.nan
    with np.errstate(all="ignore"):
        size = np.abs(array).astype(np.float64).ravel()
    size = size[np.isfinite(size)]
    return float(size.max()) if size.size else math.nan


__all__ = ["first_bad", "forward_of", "is_bad", "told"]
