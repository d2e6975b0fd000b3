"""Two names of one variable: a loss trains it under the first, and treats it as a constant under the second.

For programs on Penstock itself: the names are those on the user's lines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from penstock.flow.bindings import binding_of, mentions
from penstock.flow.graph import Graph, Request
from penstock.flow.source import statement_at
from penstock.trace.source_site import Site

STANDS = frozenset(
    (
        "target", "targets", "ema", "average", "averaged", "avg", "shadow", "slow", "teacher", "reference",
        "ref", "old", "previous", "prev", "frozen", "anchor", "initial", "momentum", "copy", "snapshot",
        "backup",
    )
)  # fmt: skip
"""Words in names of models that should not change, or follow another: other names may be abbreviations."""
_WORD = re.compile("[a-z]+")


@dataclass(frozen=True, slots=True)
class AliasFact:
    """A variable that a loss trains under its `first` name, and treats as a constant under the `second`.

    `site` is the line that gave the second name.
    """

    variable: int
    first: str
    second: str
    site: Site


def alias_facts(graph: Graph) -> list[AliasFact]:
    """Returns a fact for each variable whose second name is used where the loss gets no gradient for it."""
    found: dict[AliasFact, None] = {}
    for request in graph.requests:
        named = {
            graph.values[one].variable
            for one, there in zip(request.sources, request.found)
            if there and one is not None
        }
        for variable in sorted(one for one in named if one is not None):
            open_, closed = _uses(graph, variable, request)
            for line in closed if open_ else ():
                for first, second, site in _aliases(line):
                    if any(mentions(one, first) and not mentions(one, second) for one in open_):
                        found[AliasFact(variable, first, second, site)] = None
    return list(found)


def _uses(graph: Graph, variable: int, request: Request) -> tuple[set[Site], set[Site]]:
    """Returns the lines that use a variable on the way to a loss: with a gradient for it, and without."""
    clear = graph.clear(request.targets, request.region)
    behind = graph.material(request.targets)
    open_: set[Site] = set()
    closed: set[Site] = set()
    for user in {user for number in graph.versions(variable) for user in graph.users(number)} & behind:
        site = graph.site(user)
        if site is not None and graph.values[user].kind == "operation":
            (open_ if user in clear else closed).add(site)
    return open_, closed


def _aliases(site: Site) -> Iterator[tuple[str, str, Site]]:
    """Yields each alias that a line reads: the first name, the second, and the line that gave it."""
    for node in ast.walk(statement_at(site) or ast.Pass()):
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if not STANDS & set(_WORD.findall(name.lower())):
            continue
        line = binding_of(site, name)
        match statement_at(line):
            case ast.Assign(value=ast.Name(id=first) | ast.Attribute(attr=first)) if line is not None:
                if first != name:
                    yield first, name, line


__all__ = ["AliasFact", "alias_facts"]
