"""Two names for one object: a loss trains it under the first, and uses it as a constant under the second."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from penstock.flow.bindings import binding_of, mentions
from penstock.flow.graph import Request
from penstock.flow.noted import Shared
from penstock.frameworks.eager.parameter import Parameter
from penstock.frameworks.eager.window import Window
from penstock.trace.source_site import Site


def aliases(
    window: Window, place_of: Callable[[Any], tuple[Any, ...]]
) -> Iterator[tuple[Shared, Sequence[Parameter]]]:
    """Yields pairs of names of one parameter, or of two in the same memory, if a loss trains the first.

    Under the second name it uses the same values as constants: a target network that is the network itself.
    `place_of` returns the same for tensors in the same memory.
    """
    found: dict[tuple[str, str, Site], dict[str, Parameter]] = {}
    for request in window.graph.requests:
        uses = {index: _uses(window, index, request) for index in range(len(window.variables))}
        for trained, kept in _pairs(window, place_of):
            for first, second, own in _names(window.variables[trained], window.variables[kept]):
                line = _line(uses[trained][0], uses[kept][1], first, second)
                site = binding_of(line, second.rpartition(".")[2]) if line is not None else None
                if site is not None:
                    held = found.setdefault((first, second, site), {})
                    held[f"{second}.{own}"] = window.variables[kept]
    for (first, second, site), held in found.items():
        yield Shared((first, second), tuple(held), site), list(held.values())


def _pairs(window: Window, place_of: Callable[[Any], tuple[Any, ...]]) -> Iterator[tuple[int, int]]:
    """Yields the numbers of parameters that are one object, or share memory."""
    at: dict[tuple[Any, ...], list[int]] = {}
    for index, one in enumerate(window.variables):
        tensor = one.tensor()
        if tensor is not None and one.kind == "weight":
            at.setdefault(place_of(tensor), []).append(index)
    for group in at.values():
        trained = [index for index in group if window.variables[index].trainable]
        yield from itertools.product(trained, group)


def _uses(window: Window, index: int, request: Request) -> tuple[list[Site], list[Site]]:
    """Returns the lines that use a parameter on the way to a loss: with a gradient for it, and without."""
    graph = window.graph
    clear = graph.clear(request.targets, request.region)
    behind = graph.ancestors(request.targets)
    users = {user for number in graph.versions(index) for user in graph.users(number)} & behind
    users = {one for one in users if graph.values[one].kind == "operation"}
    open_, closed = users & clear, users - clear
    return [_site(window, one) for one in open_], [_site(window, one) for one in closed]


def _site(window: Window, number: int) -> Site:
    return window.graph.site(number) or Site("", 0, "")


def _names(trained: Parameter, kept: Parameter) -> Iterator[tuple[str, str, str]]:
    """Yields pairs of names of models that have these two parameters, or the one, and its name in both."""
    for first, second in itertools.product(trained.names, kept.names):
        left, right = first.split("."), second.split(".")
        own: list[str] = []
        while left and right and left[-1] == right[-1]:
            own.insert(0, left.pop())
            right.pop()
        if left and right and re.fullmatch(r"\w+", left[-1]) and re.fullmatch(r"\w+", right[-1]):
            yield ".".join(left), ".".join(right), ".".join(own)


def _line(trained: Sequence[Site], kept: Sequence[Site], first: str, second: str) -> Site | None:
    """Returns a line that uses values under the second name, if another part trains under the first."""
    own, other = first.rpartition(".")[2], second.rpartition(".")[2]
    if any(mentions(site, own, False) and not mentions(site, other, False) for site in trained):
        for site in kept:
            if mentions(site, other) and (not mentions(site, own) or not mentions(site, other, False)):
                return site
    return None


__all__ = ["aliases"]
