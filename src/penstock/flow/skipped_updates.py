"""Updates that were skipped because a gradient was not finite: which gradient, and the cause."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from penstock.flow.explanation import Step
from penstock.flow.naming import Place, step_of
from penstock.flow.recorded import graph_of
from penstock.flow.recording import Recording
from penstock.flow.replays import values_of
from penstock.flow.report_model import Skip
from penstock.flow.source import called
from penstock.optimizers.refusals import stalled
from penstock.tiers.commits import Commit
from penstock.trace.engine import engine
from penstock.trace.source_site import Site
from penstock.trace.tree import Call, Node


def tell_stalled(optimizer: Any, first: int, last: int) -> None:
    """Warns why an optimizer skips one step after another: examines the next of its steps.

    It has skipped all from `first` to `last`. Those were not examined, because that takes time.
    """
    counter, left = optimizer._shared["step"], optimizer._stages.window

    def look(commit: Commit) -> None:
        nonlocal left
        for node in applications(commit):
            assert node.event is not None
            if not any(commit.variables[index] is counter for index in node.event.details["variables"]):
                continue
            skip = skip_of(commit, node, last + 1)
            left -= 1
            if skip is not None or not left:
                engine.commits.remove(look)
            if skip is not None:
                file, line = (skip.site.file, skip.site.line) if skip.site is not None else (__file__, 1)
                warnings.warn_explicit(stalled(skip.by, first, last, skip.reason), UserWarning, file, line)
            return

    engine.commits.add(look)


def applications(commit: Commit) -> Iterator[Node]:
    """Yields the updates of a run that may be skipped, in order."""
    facts = commit.node.facts
    found = facts.get("skipping")
    if found is None:
        found = facts["skipping"] = []
        for node in commit.node.path():
            assert node.event is not None
            if node.event.kind == "apply" and node.event.details["application"].stages.skips:
                found.append(node)
    yield from (node for node in found if node.depth > commit.start.depth)


def skip_of(commit: Commit, node: Node, step: int) -> Skip | None:
    """Returns why an update was skipped, or None if it was not."""
    event = node.event
    assert event is not None
    application = event.details["application"]
    cells = [commit.variables[index] for index in event.details["variables"]]
    if left_out(commit, node) is False:
        return None
    moved = [cells[pair.position] for pair in application.pairs]
    calls = commit.node.program()
    slots = [_slots(pair.gradient) for pair in application.pairs]
    graph = graph_of(commit.node)
    values = _values(commit, calls, [slot for some in slots for slot in some])
    wrong = [any(_bad(values.get(slot)) for slot in some) for some in slots]
    if not any(wrong):
        return None
    # Values behind the loss come first, although the gradient may not depend on them; other losses do not
    # count.
    bad = _behind(calls, [slot for some in slots for slot in some if _bad(values.get(slot))])
    losses = [
        slot
        for request in graph.requests
        if request.event < node.depth
        and not bad.isdisjoint(range(graph.events[request.event].first, graph.events[request.event].last))
        for slot in request.targets
    ]
    values |= _values(commit, calls, losses)
    bad |= _behind(calls, losses)
    cause = next(slot for slot in sorted(bad) if _bad(values.get(slot)))
    first = next(slot for some in slots for slot in some if _bad(values.get(slot)))
    array = np.asarray(values[first])
    number = array[~np.isfinite(array)].ravel()[0]
    what, origin = _told(step_of(Place(graph, Recording(commit).variables, None, cause)), calls[cause])
    names = tuple(called(cell) for cell, bad in zip(moved, wrong, strict=True) if bad)
    held, scale = scale_of(commit, node)
    scaled = held is not None and _finite_alone(commit, calls, [s for some in slots for s in some], held)
    return Skip(step, event.details["by"], event.site, names, float(number), what, origin, scale, scaled)


def left_out(commit: Commit, node: Node) -> bool | None:
    """Returns whether an update was skipped, from the count of updates; None if that does not show it."""
    assert node.event is not None
    cells = node.event.details["variables"]
    place = node.event.details["application"].shared.get("step")
    if place is None:
        return None
    before, after = _bits(commit, cells[place])
    events = (other.event for other in applications(commit))
    alone = sum(one is not None and cells[place] in one.details["variables"] for one in events) == 1
    if not alone or before is None or after is None:
        return None
    return not np.asarray(after) > np.asarray(before)


def scale_of(commit: Commit, node: Node) -> tuple[int | None, tuple[float, float] | None]:
    """Returns the loss scale, as the number of its variable, and its values before and after the update.

    It is that of the optimizer, or of a scaler that comes after it.
    """
    assert node.event is not None
    details = node.event.details
    place = details["application"].shared.get("loss_scale")
    if place is not None:
        index = details["variables"][place]
    else:
        graph = graph_of(commit.node)
        later = (one for one in graph.writes if one.event >= node.depth)
        index = next((one.variable for one in later if graph.events[one.event].name == "GradScaler"), None)
        if index is None:
            return None, None
    before, after = _bits(commit, index)
    known = before is not None and after is not None
    return index, (_number(before), _number(after)) if known else None


def _bits(commit: Commit, index: int) -> tuple[Any, Any]:
    """Returns the values of a variable before and after a run that wrote it."""
    cell = commit.variables[index]
    return next(((before, after) for one, before, after in commit.writes if one is cell), (None, None))


def _finite_alone(commit: Commit, calls: Sequence[Call], slots: Sequence[int], scale: int) -> bool:
    """Returns whether gradients are finite without the loss scale; `scale` is the number of its variable."""
    given = dict.fromkeys(graph_of(commit.node).versions(scale)[:1], np.ones_like)
    values = _values(commit, calls, slots, given)
    return not any(_bad(values[slot]) for slot in slots)


def _number(value: Any) -> float:
    return float(np.asarray(value).reshape(()))


def _told(made: Step, call: Call) -> tuple[str, Site | None]:
    """Returns the words for a step, and its line."""
    if made.operation == "a gradient":
        return f"the {call.within or call.primitive.name} in the backward pass", made.site or call.site
    named = f"{made.name} = {made}" if made.name else str(made)
    return named, made.site or call.site


def _behind(calls: Sequence[Call], slots: Sequence[int]) -> set[int]:
    """Returns these slots and all slots behind them."""
    found: set[int] = set()
    stack = list(slots)
    while stack:
        slot = stack.pop()
        if slot not in found:
            found.add(slot)
            stack.extend(calls[slot].inputs)
    return found


def _slots(gradient: Any) -> tuple[int, ...]:
    return gradient if isinstance(gradient, tuple) else (gradient,)


def _bad(value: Any) -> bool:
    if value is None:
        return False
    array = np.asarray(value)
    return array.dtype.kind in "fcV" and not bool(np.isfinite(array).all())


def _values(
    commit: Commit,
    calls: Sequence[Call],
    slots: Sequence[int],
    changed: Mapping[int, Callable[[Any], Any]] = MappingProxyType({}),
) -> dict[int, Any]:
    """Returns the values of these slots and of all slots behind them, computed again."""
    return values_of(commit, calls, sorted(_behind(calls, slots)), changed)


__all__ = ["applications", "left_out", "scale_of", "skip_of", "tell_stalled"]
