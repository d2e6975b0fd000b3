"""The share of each loss term in a gradient: a backward pass for each term, recorded after the run."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from penstock.flow.graph import Graph, Request
from penstock.flow.replays import values_of
from penstock.grad.backward import backward, covering, watched_leaves
from penstock.grad.rows import Rows
from penstock.tiers.commits import Commit
from penstock.trace.builder import Builder, Outcome
from penstock.trace.source_site import Site
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call

NOWHERE = Site("", 0, "")


def shares_of(
    commit: Commit, graph: Graph, request: Request, terms: Sequence[int]
) -> dict[int, dict[int, float]]:
    """Returns the norm of the gradient of each term by each requested variable.

    Terms are identified by the numbers of their values, variables by their own.
    """
    every = commit.node.facts.setdefault("shares", {})
    key = request.event, tuple(terms)
    if key not in every:
        every[key] = _recorded(commit, graph, request, terms)
    calls, slots = every[key]
    wanted = sorted({slot for found in slots.values() for slot in found.values()})
    values = values_of(commit, calls, wanted)
    return {
        term: {
            index: float(np.linalg.norm(np.asarray(values[slot], np.float64)))
            for index, slot in found.items()
        }
        for term, found in slots.items()
    }


def _recorded(
    commit: Commit, graph: Graph, request: Request, terms: Sequence[int]
) -> tuple[list[Call], dict[int, dict[int, int]]]:
    """Records the backward passes; returns all calls, and the slot of each gradient by term and variable."""
    calls, region = commit.node.program(), request.region
    start = region.intervals[0][0] if region.intervals else len(calls)
    leaves = watched_leaves(calls, region.watch_variables, region.watched, start)
    inside = covering(region.intervals)
    known = {graph.values[one].variable for one in request.sources if one is not None}
    variables = sorted(one for one in known if one is not None)
    base: Any = SimpleNamespace(node=commit.node, entered={}, current={}, variables=[])
    slots: dict[int, dict[int, int]] = {}
    with Builder(base, (), (), NOWHERE, "shares") as builder:

        def handle(slot: int) -> Tensor:
            return builder.handle(Outcome(slot, calls[slot].spec))

        versions = [graph.versions(index) for index in variables]
        for term in terms:
            found = backward(builder, calls, [(term, None)], versions, leaves, inside, handle)
            dense = [one.dense() if isinstance(one, Rows) else one for one in found]
            slots[term] = {
                index: one._slot for index, one in zip(variables, dense, strict=True) if one is not None
            }
    return [*calls, *builder.calls], slots


__all__ = ["shares_of"]
