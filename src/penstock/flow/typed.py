"""The user's text of a recorded operation: `x ** 2`, or the name of the function."""

from __future__ import annotations

import ast
import linecache
from copy import deepcopy
from functools import lru_cache

from penstock.trace.source_site import Site

HIDDEN = "…"
"""Stands for an operand that has no name."""
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.RShift: ">>", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
    ast.NotEq: "!=", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~",
}  # fmt: skip
Place = tuple[int, int, int, int]


def expression_at(site: Site | None) -> ast.expr | None:
    """Returns the expression whose evaluation recorded an operation; None if it is unknown."""
    if site is None or site.instruction is None:
        return None
    position = site.position
    if position is None or None in position:
        return None
    first, last, start, end = position
    return _expressions("".join(linecache.getlines(site.file)))[0].get((first, last, start, end))  # type: ignore[arg-type]


def function_at(site: Site | None) -> str | None:
    """Returns the name of the library function whose call recorded an operation.

    It is not one of the program's own functions: their operations have their own lines. A layer is not a
    function either, but an object whose call does many things.
    """
    node = expression_at(site)
    if not isinstance(node, ast.Call) or not _is_imported(node.func, site):
        return None
    return node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id  # type: ignore[attr-defined]


def method_at(site: Site | None) -> str | None:
    """Returns the name of the method whose call recorded an operation."""
    node = expression_at(site)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr
    return None


def template_at(site: Site | None, inputs: int) -> str | None:
    """Returns an operator as typed, with braces for `count` operands: "{} ** 2"; None for anything else.

    An operand that is not an input of the operation, such as an exponent, appears as typed.
    """
    node = expression_at(site)
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            pass
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            pass
        case ast.UnaryOp(op=op) if inputs == 1:
            return f"{_SIGNS[type(op)]}{{}}" if type(op) in _SIGNS else None
        case ast.Subscript(slice=inside) if inputs == 1:
            return f"{{}}[{_short(inside)}]"
        case _:
            return None
    sign = _SIGNS.get(type(op))
    if sign is None or not 1 <= inputs <= 2:
        return None
    if inputs == 2:
        return f"{{}} {sign} {{}}"
    # One of the two operands is a number that is part of the operation.
    if isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
        return f"{_short(left)} {sign} {{}}"
    return f"{{}} {sign} {_short(right)}"


def sign_at(site: Site | None) -> str | None:
    """Returns the sign of the operator that recorded an operation."""
    match expression_at(site):
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.Compare(ops=[op]):
            return _SIGNS.get(type(op))
    return None


def text_at(site: Site | None, longest: int) -> str | None:
    """Returns the expression that recorded an operation, as typed, without the names of modules."""
    node = expression_at(site)
    if node is None:
        return None
    text = ast.unparse(_Bare(site).visit(deepcopy(node)))
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


SHORT = 12


def _short(node: ast.expr) -> str:
    text = ast.unparse(node).replace("{", "{{").replace("}", "}}")
    return text if len(text) <= SHORT else HIDDEN


class _Bare(ast.NodeTransformer):
    """Takes the names of modules from functions."""

    def __init__(self, site: Site | None) -> None:
        self.site = site

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Returns the last name of an attribute of an imported module."""
        if _is_imported(node, self.site):
            return ast.Name(node.attr, node.ctx)
        return self.generic_visit(node)


def _is_imported(node: ast.expr, site: Site | None) -> bool:
    """Returns whether a name is bound by an import, or is an attribute path of such a name."""
    while isinstance(node, ast.Attribute):
        node = node.value
    assert site is not None
    return isinstance(node, ast.Name) and node.id in _expressions("".join(linecache.getlines(site.file)))[1]


@lru_cache(16)
def _expressions(text: str) -> tuple[dict[Place, ast.expr], frozenset[str]]:
    """Returns the expressions of a program by their place, and the names that it imports."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}, frozenset()
    found: dict[Place, ast.expr] = {}
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            place = node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0
            found.setdefault(place, node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imported |= {(one.asname or one.name).partition(".")[0] for one in node.names}
    return found, frozenset(imported)


__all__ = ["expression_at", "function_at", "method_at", "sign_at", "template_at", "text_at"]
