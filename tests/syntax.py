"""Walks of syntax trees, for tests that read every file of the package: `ast.walk` takes twice as long."""

import ast
from collections.abc import Iterator

_PLAIN = {"arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "lineno", "level", "module"}
"""Fields that hold no node, or, as `ctx`, one that says whether a name is read or bound."""
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {ast.Constant: ()}


def children(node: ast.AST) -> list[ast.AST]:
    """The direct children of a node, without those that say whether a name is read or bound."""
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple(one for one in node._fields if one not in _PLAIN)
    found: list[ast.AST] = []
    for name in fields:
        value = getattr(node, name)
        if type(value) is list:
            found += [one for one in value if isinstance(one, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def every_node(tree: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in no particular order."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children(node)
