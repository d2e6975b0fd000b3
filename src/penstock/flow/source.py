"""The user's source at a line: its text, the name it assigns to, the numbers in it."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from penstock.trace.source_site import Site, is_library


def line_at(site: Site | None) -> str:
    """Returns the source line at a site, without its indentation; empty if the source is unavailable."""
    return linecache.getline(site.file, site.line).strip() if site is not None else ""


def assigned_name(site: Site | None) -> str | None:
    """Returns the name that the statement on this line assigns to, if it is one.

    If the site identifies a call on the line, a part of a tuple, list or dictionary has a name too:
    `x, y = Variable(0.0), Variable(1.0)`, `layers[1]`, `weights['head']`.
    """
    match statement_at(site):
        case ast.Assign(targets=[target], value=value):
            return _name(target, value, site)
        case ast.AnnAssign(target=target, value=value):
            return _name(target, value, site)
    return None


def _name(target: ast.expr, value: ast.expr | None, site: Site | None) -> str | None:
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(target.elts) == len(value.elts):
            for one, part in zip(target.elts, value.elts, strict=True):
                if _contains(part, site):
                    return _name(one, part, site)
        return None
    if not isinstance(target, ast.Name | ast.Attribute):
        return None
    name = target.id if isinstance(target, ast.Name) else target.attr
    return name + _place(value, site)


def _place(value: ast.expr | None, site: Site | None) -> str:
    """Returns the place of a call in a list or dictionary display, as a subscript."""
    parts: list[tuple[Any, ast.expr]] = []
    if isinstance(value, ast.Tuple | ast.List):
        parts = list(enumerate(value.elts))
    elif isinstance(value, ast.Dict):
        parts = [
            (key.value, one)
            for key, one in zip(value.keys, value.values, strict=True)
            if isinstance(key, ast.Constant)
        ]
    for key, part in parts:
        if _contains(part, site):
            return "" if isinstance(part, ast.Starred) else f"[{key!r}]{_place(part, site)}"
    return ""


def _contains(node: ast.stmt | ast.expr, site: Site | None) -> bool:
    """Returns whether a part of the source contains the call that a site identifies."""
    if site is None or site.span is None or None in site.span:
        return False
    first, last, start, end = site.span
    return (node.lineno, node.col_offset) <= (first, start) and (last, end) <= (
        node.end_lineno or node.lineno,
        node.end_col_offset or 0,
    )


def calls_own_function(site: Site | None) -> bool:
    """Returns whether a line assigns the result of a function in the same file: `loss = cost(stopped(x))`.

    Other values computed on that line are arguments of the function and do not get the name.
    """
    match statement_at(site):
        case ast.Assign(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name))):
            assert site is not None
            known = _statements("".join(linecache.getlines(site.file)))[1]
            return any(one.name == name and not isinstance(one, ast.ClassDef) for one in known)
    return False


ASKING = ("gradient", "gradients", "jacobian", "grad", "minimize", "compute_gradients")
"""Functions and methods whose first argument is the differentiated value."""


def asked_name(site: Site | None) -> str | None:
    """Returns the name of a line's target of differentiation: `tape.gradient(loss, w)`, `loss.backward()`."""
    for node in ast.walk(statement_at(site) or ast.Pass()):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward")):
                return str(name)
            case ast.Call(
                func=ast.Attribute(attr=caller) | ast.Name(id=caller), args=[ast.Name(id=name), *_]
            ) if caller in ASKING:
                return str(name)
    return None


def call_at(site: Site | None, names: Sequence[str]) -> ast.Call | None:
    """Returns the call on a line of a function or method with one of these names, if there is just one."""
    found = []
    for node in ast.walk(statement_at(site) or ast.Pass()):
        match node:
            case ast.Call(func=ast.Attribute(attr=caller) | ast.Name(id=caller)) if caller in names:
                found.append(node)
    return found[0] if len(found) == 1 else None


def called(variable: Any) -> str:
    """Returns the name of a variable: its path, or the name it was assigned to if it has no name."""
    path: str = variable.path
    if getattr(variable, "unnamed", False):
        return assigned_name(variable.site) or path
    return path


def stands_in_line(site: Site, number: Any) -> bool:
    """Returns whether a number is written on a line; also True if the source is not available.

    >>> from penstock.trace.source_site import Site
    >>> stands_in_line(Site("no such file", 1, ""), 2.0)
    True
    """
    statement = statement_at(site)
    if statement is None:
        return True
    wanted = np.asarray(number)[()]
    literals = [node.value for node in ast.walk(statement) if isinstance(node, ast.Constant)]
    return any(
        isinstance(literal, int | float | complex)
        and (literal == wanted or wanted.dtype.type(literal) == wanted)
        for literal in literals
    )


def statement_at(site: Site | None) -> ast.stmt | None:
    """Returns the innermost statement of a line, or of the call on it that the site identifies."""
    if site is None:
        return None
    statements = _statements("".join(linecache.getlines(site.file)))[0].get(site.line, [])
    meant = [one for one in statements if _contains(one, site)] or statements
    return meant[-1] if meant else None


def loop_around(site: Site | None) -> Site | None:
    """Returns the line that begins the innermost loop around a line, if there is one."""
    if site is None:
        return None
    known = _statements("".join(linecache.getlines(site.file)))[0].get(site.line, [])
    lines = [one.lineno for one in known if isinstance(one, ast.For)]
    return Site(site.file, lines[-1], site.function) if lines else None


def loops_around(site: Site) -> list[int]:
    """Returns the numbers of the lines that begin the loops around a line, the outermost first."""
    known = _statements("".join(linecache.getlines(site.file)))[0].get(site.line, [])
    return [one.lineno for one in known if isinstance(one, ast.For | ast.While)]


def chosen_between(asked: Site | None, site: Site | None) -> bool:
    """Returns whether a line uses a name that is given to something else only under a condition.

    The condition is in the same file, after the line `asked` or in a loop with it, and not around the line
    itself: `if loss > worst: chosen = gradients`.
    """
    if asked is None or site is None:
        return False
    statement = statement_at(site)
    names = {one.id for one in ast.walk(statement or ast.Pass()) if isinstance(one, ast.Name)}
    for one in statements_of(site.file):
        if isinstance(one, ast.If) and not one.lineno <= site.line <= (one.end_lineno or one.lineno):
            for inner in ast.walk(one):
                if isinstance(inner, ast.Assign) and isinstance(inner.value, ast.Name | ast.Tuple):
                    bound = {n.id for t in inner.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                    if bound & names:
                        return True
    return False


def loop_name_lost(site: Site) -> str | None:
    """Returns the name of a loop variable that the statement on a line gives to a result for nothing.

    The statement reads the name, and nothing reads it again before the loop gives it its next value:
    `for w, slope in pairs: w = w - rate * slope`.
    """
    statement = statement_at(site)
    match statement:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            if not any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value)):
                return None
        case ast.AugAssign(target=ast.Name(id=name)):
            pass
        case _:
            return None
    around = _statements("".join(linecache.getlines(site.file)))[0].get(site.line, [])
    loops = [one for one in around if isinstance(one, ast.For | ast.AsyncFor | ast.While)]
    if not loops or isinstance(loops[-1], ast.While) or not _uses(loops[-1].target, name, ast.Store):
        return None
    loop, last = loops[-1], statement.end_lineno or site.line
    if any(_uses(one, name, ast.Load) for one in ast.walk(loop) if getattr(one, "lineno", 0) > last):
        return None
    scope = scope_of(site, name)
    later = [
        one
        for one in statements_of(site.file)
        if one.lineno > (loop.end_lineno or last) and scope_of(Site(site.file, one.lineno, ""), name) == scope
    ]
    return None if any(_uses(one, name, ast.Load) for one in _before_next(later, name)) else name


def _uses(tree: ast.AST, name: str, context: type[ast.expr_context]) -> bool:
    """Returns whether a tree reads or binds a name."""
    return any(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, context)
        for one in ast.walk(tree)
    )


def _before_next(statements: Sequence[ast.stmt], name: str) -> Iterator[ast.stmt]:
    """Yields statements up to the one that gives a name another value without reading it."""
    for one in statements:
        if isinstance(one, ast.For | ast.AsyncFor) and _uses(one.target, name, ast.Store):
            return
        if isinstance(one, ast.Assign) and any(_uses(each, name, ast.Store) for each in one.targets):
            if _uses(one.value, name, ast.Load):
                yield one
            return
        yield one


def statements_of(file: str) -> list[ast.stmt]:
    """Returns all statements of a file, outer ones before those inside them."""
    known = _statements("".join(linecache.getlines(file)))[0]
    return list({id(one): one for line in known.values() for one in line}.values())


def uncalled(site: Site | None, *names: str) -> tuple[str, Site] | None:
    """Returns a method that a file names as a whole statement without calling it, and the line.

    Python evaluates such a statement and does nothing: `optimizer.step` without parentheses. `names` are the
    methods to look for; the file is that of the site.
    """
    if site is None:
        return None
    for one in statements_of(site.file):
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Attribute) and one.value.attr in names:
            return ast.unparse(one.value), Site(site.file, one.lineno, "")
    return None


def scope_of(site: Site, name: str | None) -> tuple[str, int]:
    """Returns the kind and first line of the scope that a name belongs to on a line.

    That is the function around the line, or the module. Without a name it is the class around the line.
    """
    scopes = _statements("".join(linecache.getlines(site.file)))[1]
    around = [one for one in scopes if one.lineno <= site.line <= (one.end_lineno or one.lineno)]
    wanted = ast.ClassDef if name is None else (ast.FunctionDef, ast.AsyncFunctionDef)
    inner = [one for one in around if isinstance(one, wanted)]
    if not inner:
        return "module", 0
    scope = max(inner, key=lambda one: one.lineno)
    declared = (one for one in ast.walk(scope) if isinstance(one, ast.Global))
    if name is not None and any(name in one.names for one in declared):
        return "module", 0
    return type(scope).__name__, scope.lineno


_PACKAGES = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")


def user_frames(error: BaseException) -> list[Site]:
    """Returns the user's lines in a traceback, outermost first; those of packages if there are no others."""
    sites = []
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if not is_library(code):
            sites.append(Site(code.co_filename, traceback.tb_lineno, code.co_name))
        traceback = traceback.tb_next
    own = [site for site in sites if not any(folder in site.file for folder in _PACKAGES)]
    return own or sites


@lru_cache(64)
def _statements(text: str) -> tuple[dict[int, list[ast.stmt]], list[Any]]:
    """Returns the statements of each line of a program, inner ones last, and the functions and classes in it.

    Both are empty for a program that cannot be read.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}, []
    found: dict[int, list[ast.stmt]] = {}
    scopes: list[Any] = []
    # Outer statements come before those inside them.
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found.setdefault(line, []).append(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scopes.append(node)
    return found, scopes
