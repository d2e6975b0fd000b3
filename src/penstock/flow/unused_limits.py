"""Gradients that a line limits for nothing: the update gets them as they were before."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from penstock.flow.applied import LIMITS
from penstock.flow.graph import Graph
from penstock.flow.source import statement_at
from penstock.trace.source_site import Site


@dataclass(frozen=True, slots=True)
class UnusedLimit:
    """A limit on line `limited`, which nothing uses: the line `site` applies the gradient without it."""

    variable: int
    limited: Site
    by: str
    site: Site | None


def unused_limits(graph: Graph) -> list[UnusedLimit]:
    """Returns a fact for each gradient that is applied as it is, although a line has limited it before."""
    given = {parts[-1] for request in graph.requests for parts in request.gradients if parts}
    found = []
    for (number, variable), gradient in graph.applied.items():
        event = graph.events[number]
        if gradient in given:
            site = _limited(graph, gradient, event.first)
            if site is not None and not _wants_the_norm(site):
                found.append(UnusedLimit(variable, site, event.name, event.site))
    return found


def _limited(graph: Graph, gradient: int, before: int) -> Site | None:
    """Returns the line of a limited gradient that nothing uses, if there is one."""
    spec = graph.values[gradient].spec
    for user in graph.users(gradient):
        site = graph.site(user)
        if site is None or user >= before or graph.events[graph.values[user].event].kind != "operation":
            continue
        waiting = [user]
        for one in waiting:
            value = graph.values[one]
            if value.spec == spec and not graph.users(one) and one < before:
                behind = graph.ancestors([one])
                if any(graph.values[n].name in LIMITS and graph.site(n) == site for n in behind):
                    return site
            waiting += [n for n in graph.users(one) if graph.site(n) == site and n not in waiting]
    return None


def _wants_the_norm(site: Site) -> bool:
    """Returns whether the line drops the limited gradients by a name such as `_`."""
    statement = statement_at(site)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    while isinstance(target, ast.Tuple | ast.List) and target.elts:
        target = target.elts[0]
    return isinstance(target, ast.Name) and target.id.startswith("_")


__all__ = ["UnusedLimit", "unused_limits"]
