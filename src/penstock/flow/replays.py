"""Values of a run, computed again, and their response to changes of operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from penstock.flow.recomputed import recomputed
from penstock.tiers.commits import Commit
from penstock.tiers.program import extract, many, places_of, values_at
from penstock.trace.source_site import Site
from penstock.trace.tree import Call, Node

STEP = 1e-3
"""An operand is changed by about this part of its size."""


def values_of(
    commit: Commit,
    calls: Sequence[Call],
    slots: Sequence[int],
    changed: Mapping[int, Callable[[Any], Any]] = MappingProxyType({}),
) -> dict[int, Any]:
    """Returns the values of these slots, computed again.

    `changed` has functions to apply to incoming values, by slot.
    """
    # The results of earlier runs depend on the unchanged values.
    known = {} if changed else _known(commit, calls)
    if known.keys() >= set(slots):
        return {slot: known[slot] for slot in slots}
    program, taken = extract(calls, slots, known)
    arguments = [
        changed[slot](one) if slot in changed else one
        for slot, one in zip(taken, values_at(taken, calls, known, commit.arguments), strict=True)
    ]
    return dict(zip(slots, recomputed(commit, program, arguments), strict=True))


def _known(commit: Commit, calls: Sequence[Call]) -> Mapping[int, Any]:
    """Returns the known values of a run: those of earlier runs, and its own if it kept them."""
    computed = commit.computed
    if computed is None or not computed.values:
        return commit.known
    places = places_of(calls, computed.wanted, computed.known)
    own = {slot: computed.values[place] for slot, place in places.items() if not many(calls[slot])}
    return {**own, **commit.known}


_LIMITS = {"global": "global_clipnorm", "norm": "clipnorm", "value": "clipvalue"}


def clips_of(commit: Commit) -> list[tuple[str, Site | None, bool]]:
    """Returns the updates of a run that clip: name, line, and whether they clipped."""
    nodes = commit.node.facts.get("clipping")
    if nodes is None:
        nodes = [node for node in commit.node.path() if _clips(node)]
        commit.node.facts["clipping"] = nodes
    found = []
    for node in nodes:
        if node.depth <= commit.start.depth:
            continue
        details, application = node.event.details, node.event.details["application"]
        place = application.index.get((0, _LIMITS[application.stages.clip]))
        if place is None or place in application.given or application.stages.scale is not None:
            continue
        limit = float(details["hyper"][place])
        slots = [pair.gradient for pair in application.pairs]
        slots = [one[-1] if isinstance(one, tuple) else one for one in slots]
        values = values_of(commit, commit.node.program(), sorted(set(slots)))
        sizes = [np.asarray(values[one], np.float64).ravel() for one in slots]
        if application.stages.clip == "value":
            largest = max((float(np.abs(one).max(initial=0.0)) for one in sizes), default=0.0)
        else:
            squares = [float(np.dot(one, one)) for one in sizes]
            whole = sum(squares) if application.stages.clip == "global" else max(squares, default=0.0)
            largest = math.sqrt(whole)
        found.append((details["by"], node.event.site, largest > limit))
    return found


def _clips(node: Node) -> bool:
    event = node.event
    return (
        event is not None and event.kind == "apply" and event.details["application"].stages.clip is not None
    )


def responds(call: Call, operand: int, operands: Sequence[Any]) -> bool:
    """Returns whether the value of a call has a slope by one of its operands, judged by small changes.

    It has one if some element changes in both directions, and not by the same amount: there is no slope next
    to a kink, such as that of relu at 0, or at the bottom of a parabola.
    """
    if many(call):
        return True
    given = np.asarray(operands[operand])
    if given.dtype.kind not in "fcV" or not given.size:
        return True
    with np.errstate(all="ignore"):
        size = np.abs(given).astype(np.float64)
        largest = float(size.max(initial=0.0, where=np.isfinite(size)))
        random = np.random.default_rng(0).uniform(0.5, 1.0, given.shape)
        move = (STEP * (size + (largest or 1.0)) * random).astype(given.dtype)
        found = [_computed(call, operand, operands, one) for one in (given, given + move, given - move)]
        here, ahead, behind = found
        return bool(np.any((ahead != here) & (behind != here) & (ahead != behind)))


def _computed(call: Call, operand: int, operands: Sequence[Any], moved: Any) -> Any:
    given = [np.asarray(moved if place == operand else one) for place, one in enumerate(operands)]
    return np.asarray(call.primitive.numpy(*given, **call.params))


__all__ = ["clips_of", "responds", "values_of"]
