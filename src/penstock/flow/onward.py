"""Weights that a loss passes through on its way to trained ones, but whose gradient is not requested."""

from __future__ import annotations

from collections.abc import Sequence, Set

from penstock.flow.graph import Graph, Request


def passed_over(graph: Graph, requests: Sequence[Request]) -> set[int]:
    """Returns the trainable variables between the requested ones and the loss, by their numbers.

    A layer after a trained one processes the trained layer's output; its own gradient flows but is not
    requested. Layers before or next to the trained ones do not count: they compute features, or belong to a
    teacher.
    """
    found: set[int] = set()
    for request in requests:
        sources = [one for one, there in zip(request.sources, request.found) if there and one is not None]
        asked = {graph.values[one].variable for one in request.sources if one is not None}
        if not sources or not any(graph.values[one].variable is not None for one in sources):
            continue
        reached = graph.clear(request.targets, request.region)
        after = graph.descendants(sources) & reached
        for number in graph.leaves(request.region) & reached:
            value = graph.values[number]
            if value.variable is None or value.variable in asked or not value.trainable:
                continue
            if any(_meets(graph, user, number, after) for user in graph.users(number) if user in reached):
                found.add(value.variable)
    return found


def _meets(graph: Graph, user: int, number: int, after: Set[int]) -> bool:
    """Returns whether an operation combines a weight, in any form, with trained values."""
    value = graph.values[user]
    others = [one for one in value.inputs if one != number]
    if not others:
        return any(_meets(graph, one, user, after) for one in graph.users(user))
    return any(one in after for one in others)


__all__ = ["passed_over"]
