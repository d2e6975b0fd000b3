"""The `if`, loop or conditional expression that asks a tensor which way to go, and its sides as functions.

A side runs from its first statement to where both sides meet. If the other side leaves by `return`, `break`
or `continue`, the statements after the fork belong to this one, as AutoGraph has it.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import lru_cache
from types import CodeType, FrameType, FunctionType
from typing import Any

FILES, PLACES = 64, 4096
"""For how many files, and places in them, what was found is remembered."""
ENDED = "__ended__"
UNNAMED = "__unnamed__"
"""How names begin that stand for attributes and items, which a side that is tried out does not write."""
Span = tuple[int, int, int, int]
ITEM = "__item__"
_Asking = ast.If | ast.While | ast.IfExp | ast.For
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Ended:
    """The local names of a side that has come to its end."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values


class Fork:
    """One place at which a program asks.

    `sides` has the code of what runs for true and for false, None where nothing does; `names` are the local
    names that either side binds and the program reads afterwards. `turned` says that the answer is that of
    `not`; it is None where the answer of one tensor does not decide, as in `a and b`. `several` says that a
    side returns several things, which belong together. `lines` are the first and last line of an `if`, to the
    end of what belongs to its sides; None of anything else. `span` is that of a conditional expression.
    `loop` are those of a loop, and `carried` the names that it passes from turn to turn, or gives.
    """

    def __init__(
        self,
        sides: dict[bool, CodeType | None],
        names: Sequence[str],
        turned: bool | None,
        several: bool,
        lines: tuple[int, int] | None,
        loop: tuple[int, int] | None,
        carried: Sequence[str],
        span: Span | None,
    ) -> None:
        self.sides, self.names, self.turned, self.several = sides, tuple(names), turned, several
        self.lines, self.loop, self.carried, self.span = lines, loop, tuple(carried), span

    def others(self, answer: bool) -> tuple[bool, ...]:
        """Returns the sides that may not be taken after this answer, that for true first."""
        if self.turned is None or self.several:
            sides: tuple[bool, ...] = (True, False)
        else:
            sides = (answer == self.turned,)
        return tuple([one for one in sides if self.sides[one] is not None])

    def run(
        self, side: bool, given: dict[str, Any], scope: dict[str, Any], item: Callable[[], Any] | None
    ) -> Any:
        """Runs a side with these local names: returns what it returns, or `Ended`.

        `item` gives the one thing that a loop goes over.
        """
        code = self.sides[side]
        assert code is not None
        function = FunctionType(code, scope)
        names = code.co_varnames[: code.co_argcount]
        own = {**given, ENDED: Ended, ITEM: item}
        return function(*[own.get(name, MISSING) for name in names])


MISSING = object()
"""Stands for a local name without a value."""


def fork_at(frame: FrameType) -> Fork | None:
    """Returns the fork at which a frame stands; None where it asks for another reason, or has no source."""
    return _fork(frame.f_code, frame.f_code.co_filename, frame.f_lasti)


@lru_cache(PLACES)
def _fork(code: CodeType, file: str, instruction: int) -> Fork | None:
    places = list(code.co_positions())
    first, last, start, end = places[instruction // 2] if instruction // 2 < len(places) else (None,) * 4
    if first is None or last is None or start is None or end is None:
        return None
    source = "".join(linecache.getlines(file))
    asking, around = _asking(source, (first, start, last, end))
    if asking is None:
        return None
    known = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
    try:
        return _made(asking, around, known, code)
    except (SyntaxError, _Unknown):
        return None


class _Unknown(Exception):
    """A side holds what cannot be tried out."""


@lru_cache(FILES)
def _parents(source: str) -> tuple[tuple[ast.AST, tuple[ast.AST, ...]], ...]:
    """Returns the places that ask in a source, each with the nodes around it, the outer ones first."""
    found: list[tuple[ast.AST, tuple[ast.AST, ...]]] = []
    try:
        stack: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(ast.parse(source), ())]
    except (SyntaxError, ValueError):
        return ()
    while stack:
        node, around = stack.pop()
        if isinstance(node, _Asking):
            found.append((node, around))
        stack += [(child, (*around, node)) for child in ast.iter_child_nodes(node)]
    return tuple(found)


def _span(node: Any) -> Span:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _asking(source: str, place: Span) -> tuple[Any, tuple[ast.AST, ...]]:
    """Returns the innermost place whose test an instruction belongs to, and what is around it.

    Python gives the jump of a test the position of the whole statement, or, from 3.12 on, that of the test.
    """
    best: tuple[Any, tuple[ast.AST, ...]] = (None, ())
    for node, around in _parents(source):
        if isinstance(node, ast.For):
            if place in (_span(node), _span(node.iter)):
                return node, around
            continue
        if _span(node) == place:
            return node, around
        test = _span(node.test)  # type: ignore[attr-defined]
        if test[:2] <= place[:2] and place[2:] <= test[2:]:
            known = None if best[0] is None else _span(best[0].test)
            if known is None or (known[:2] <= test[:2] and test[2:] <= known[2:]):
                best = (node, around)
    return best


def _made(asking: Any, around: tuple[ast.AST, ...], known: set[str], code: CodeType) -> Fork:
    turned: bool | None = False
    lines: tuple[int, int] | None = None
    test = None if isinstance(asking, ast.For) else asking.test
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        turned, test = not turned, test.operand
    if isinstance(test, ast.BoolOp | ast.IfExp):
        turned = None
    classes = [one.name for one in around if isinstance(one, ast.ClassDef)]
    change = _Changed(classes[-1] if classes else "")
    if isinstance(asking, ast.IfExp):
        parts: dict[bool, list[ast.stmt]] = {
            side: [ast.copy_location(ast.Return(part), part)]
            for side, part in ((True, asking.body), (False, asking.orelse))
        }
        names: list[str] = []
    else:
        parts = {True: list(asking.body), False: list(asking.orelse)}
        if isinstance(asking, ast.For):
            value = ast.Call(ast.Name(ITEM, ast.Load()), [], [])
            parts[True].insert(0, ast.copy_location(ast.Assign([asking.target], value), asking))
        if isinstance(asking, ast.While | ast.For):
            # A loop that has ended has nothing on the side that was taken.
            parts[False] = []
        if isinstance(asking, ast.If):
            kinds = {side: _leaving(part) for side, part in parts.items()}
            last = _end_of(asking, around, kinds[True] | kinds[False])
            lines = (asking.lineno, last)
            for side, part in parts.items():
                if kinds[not side]:
                    part += _rest(asking, around, ast.Return in kinds[not side])
        bound = {name for part in parts.values() for name in _bound(part)}
        names = sorted(bound & known & _read_later(asking, around))
        if names and isinstance(asking, ast.If):
            # Where nothing is written, the names keep what they have.
            parts = {side: part or [ast.copy_location(ast.Pass(), asking)] for side, part in parts.items()}
    several = any(
        isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple | ast.List | ast.Dict)
        for part in parts.values()
        for node in _inside(part, _Function)
    )
    sides = {side: _compiled(part, change, known, names, code) for side, part in parts.items()}
    loops = isinstance(asking, ast.While | ast.For)
    carried = sorted(set(names) & (_read_later(asking, around, False) | _read_first(asking))) if loops else ()
    loop = (asking.lineno, asking.end_lineno) if loops else None
    span = _span(asking) if isinstance(asking, ast.IfExp) else None
    return Fork(sides, names, turned, several, lines, loop, carried, span)


def _inside(nodes: Sequence[ast.AST], stop: Any) -> Iterator[ast.AST]:
    """Yields nodes and all that they hold, except what is inside a `stop`."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, stop):
            stack += ast.iter_child_nodes(node)


def _bound(part: Sequence[ast.stmt]) -> set[str]:
    return {
        node.id
        for node in _inside(part, _Function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _read_first(loop: Any) -> set[str]:
    """Returns the names that a turn of a loop may read before it binds them."""
    target, test = getattr(loop, "target", None), getattr(loop, "test", None)
    bound = set() if target is None else {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
    read = set() if test is None else _names_read(test)
    for statement in loop.body:
        read |= _names_read(statement) - bound
        if isinstance(statement, ast.Assign):
            bound |= {one.id for one in statement.targets if isinstance(one, ast.Name)}
    return read


def _names_read(node: ast.AST) -> set[str]:
    found = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    changed = [one.target for one in ast.walk(node) if isinstance(one, ast.AugAssign)]
    return found | {one.id for one in changed if isinstance(one, ast.Name)}


def _read_later(asking: Any, around: tuple[ast.AST, ...], own: bool = True) -> set[str]:
    """Returns the names that are read after a fork: anywhere in a loop around it, its `own` included."""
    loop: ast.AST | None = asking if own and isinstance(asking, ast.While | ast.For) else None
    whole: ast.AST = around[0]
    for parent in reversed(around):
        if isinstance(parent, _Function):
            whole = parent
            break
        if isinstance(parent, ast.While | ast.For):
            loop = parent
    within = set() if loop is None else set(ast.walk(loop))
    end = _span(asking)[2:]
    return {
        node.id
        for node in ast.walk(whole)
        if isinstance(node, ast.Name)
        and isinstance(node.ctx, ast.Load)
        and ((node.lineno, node.col_offset) >= end or node in within)
    }


def _leaving(part: Sequence[ast.stmt]) -> set[type]:
    """Returns by what kinds of statements a side leaves."""
    loops = (*_Function.__args__, ast.ClassDef, ast.For, ast.While)
    found: set[type] = {
        type(node) for node in _inside(part, loops) if isinstance(node, ast.Break | ast.Continue)
    }
    if any(isinstance(node, ast.Return) for node in _inside(part, (*_Function.__args__, ast.ClassDef))):
        found.add(ast.Return)
    return found


def _end_of(asking: Any, around: tuple[ast.AST, ...], kinds: set[type]) -> int:
    """Returns the last line that belongs to a side: that of the function or loop which a side leaves."""
    wanted: Any = _Function if ast.Return in kinds else (ast.For, ast.While)
    leaves = [one for one in around if isinstance(one, wanted)] if kinds else []
    last: int = (leaves[-1] if leaves else asking).end_lineno
    return last


def _rest(asking: ast.AST, around: tuple[ast.AST, ...], returns: bool) -> list[ast.stmt]:
    """Returns the statements after a fork, to the end of its function, or of the loop around it."""
    found: list[ast.stmt] = []
    node = asking
    for parent in reversed(around):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(parent, field, None)
            if isinstance(block, list) and node in block:
                found += block[block.index(node) + 1 :]
        if isinstance(parent, _Function) or (not returns and isinstance(parent, ast.For | ast.While)):
            break
        node = parent
    return found


class _Changed(ast.NodeTransformer):
    """Makes statements fit to be tried out: they leave by `return`, and write no attributes or items."""

    def __init__(self, within: str) -> None:
        self.within, self.loops, self.count = within.lstrip("_"), 0, 0

    def visit_Break(self, node: ast.Break) -> ast.stmt:
        return node if self.loops else _end(node)

    def visit_Continue(self, node: ast.Continue) -> ast.stmt:
        return node if self.loops else _end(node)

    def _loop(self, node: Any) -> Any:
        self.loops += 1
        self.generic_visit(node)
        self.loops -= 1
        return node

    visit_For = visit_While = _loop

    def _function(self, node: Any) -> Any:
        loops, self.loops = self.loops, 1
        self.generic_visit(node)
        self.loops = loops
        return node

    visit_FunctionDef = visit_Lambda = _function

    def visit_Global(self, node: Any) -> Any:
        return ast.copy_location(ast.Pass(), node)

    visit_Nonlocal = visit_Global

    def _refused(self, node: Any) -> Any:
        raise _Unknown

    visit_Yield = visit_YieldFrom = visit_Await = visit_AsyncFor = visit_AsyncWith = _refused

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if isinstance(node.target, ast.Attribute | ast.Subscript):
            read = deepcopy(node.target)
            read.ctx = ast.Load()
            value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
            return self.visit(ast.copy_location(ast.Assign([node.target], value), node))
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if isinstance(node.ctx, ast.Store | ast.Del):
            return self._unnamed(node)
        self.generic_visit(node)
        if self.within and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{self.within}{node.attr}"
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return self._unnamed(node) if isinstance(node.ctx, ast.Store | ast.Del) else self.generic_visit(node)

    def _unnamed(self, node: Any) -> Any:
        if isinstance(node.ctx, ast.Del):
            raise _Unknown
        self.count += 1
        return ast.copy_location(ast.Name(f"{UNNAMED}{self.count}", ast.Store()), node)


def _end(node: ast.AST) -> ast.stmt:
    values = ast.Call(ast.Name("locals", ast.Load()), [], [])
    made = ast.Return(ast.Call(ast.Name(ENDED, ast.Load()), [values], []))
    for one in ast.walk(made):
        if isinstance(one, ast.expr | ast.stmt):
            ast.copy_location(one, node)
    return made


def _compiled(
    part: list[ast.stmt], change: _Changed, known: set[str], names: Sequence[str], code: CodeType
) -> CodeType | None:
    """Returns the code of a function that takes the local names which a side uses, and runs the side."""
    if not part:
        return None
    body = [change.visit(deepcopy(one)) for one in part]
    body.append(_end(part[-1]))
    used = {*names, *(node.id for one in body for node in ast.walk(one) if isinstance(node, ast.Name))}
    given = [ast.arg(name) for name in (ENDED, ITEM, *sorted(used & known))]
    arguments = ast.arguments([], given, None, [], [], None, [])
    whole = ast.FunctionDef(code.co_name.strip("<>"), arguments, body, [])
    ast.copy_location(whole, part[0])
    module = ast.fix_missing_locations(ast.Module([whole], []))
    made = compile(module, code.co_filename, "exec", dont_inherit=True)
    return next(one for one in made.co_consts if isinstance(one, CodeType))


__all__ = ["MISSING", "UNNAMED", "Ended", "Fork", "fork_at"]
