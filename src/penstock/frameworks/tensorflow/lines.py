"""The user's lines and calls behind an operation, also where AutoGraph has rewritten the program."""

from __future__ import annotations

import ast
import linecache
import sys
import threading
from dataclasses import dataclass
from functools import lru_cache
from types import FrameType
from typing import Any

from tensorflow.python.distribute import mirrored_run
from tensorflow.python.util import tf_stack

from penstock.frameworks.places import is_installed, is_installed_file
from penstock.trace.source_site import Site, Span, library_files, recorded_at

GENERATED = "__autograph_generated_file"
"""Part of the names of files with code that AutoGraph has generated."""
_PASSED_ON = frozenset(
    (
        "error_handler", "op_dispatch_handler", "wrapper", "wrapped", "converted_call", "_call_unconverted",
        "tf_convert", "autograph_handler", "decorated", "__call__", "<lambda>", "new_func", "fn", "inner",
        "binary_op_wrapper", "r_binary_op_wrapper", "tensor_equals", "tensor_not_equals",
    )
)  # fmt: skip
"""Functions between a call and the function that is called."""
_HOLDERS = (
    "/keras/src/layers/layer.py", "/keras/src/ops/operation.py", "/tf_keras/src/engine/base_layer.py",
)  # fmt: skip
_LOSSES = ("/keras/src/losses/loss.py", "/tf_keras/src/losses.py")


@dataclass(slots=True)
class Whence:
    """The call that an operation belongs to: its line, its identity, and the name of the called function.

    `whole` says that the call is one of a layer or a loss, whose operations belong together. `direct` has
    the names of the functions between the line and the operation, innermost first.
    """

    site: Site | None
    frame: FrameType | None
    call: object
    name: str
    whole: bool
    inside: tuple[str, ...]


def line_of(frame: FrameType) -> Site | None:
    """Returns the user's line that a frame is running; None for code of installed packages."""
    code = frame.f_code
    if GENERATED not in code.co_filename:
        return None if is_installed(code) else recorded_at(frame)
    key = code.co_filename, code.co_firstlineno, code.co_name, frame.f_lasti
    if key not in _known:
        _known[key] = _original(frame)
        # No user has typed it: where an error is shown, these lines are left out.
        library_files[code.co_filename] = True
    return _known[key]


_known: dict[tuple[str, int, str, int], Site | None] = {}


def here(depth: int = 1) -> Site | None:
    """Returns the user's line that led here, from `depth` callers up."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        site = line_of(frame)
        if site is not None:
            return site
        frame = _outer(frame)
    return None


def is_replica() -> bool:
    """Returns whether this is the thread of a replica, which the main thread waits for."""
    return isinstance(threading.current_thread(), mirrored_run._MirroredReplicaThread)


def _outer(frame: FrameType) -> FrameType | None:
    """Returns the frame of the caller: of a replica's thread, the one that waits for it."""
    if frame.f_back is None and frame.f_code.co_name == "_bootstrap" and is_replica():
        return sys._current_frames().get(threading.main_thread().ident or 0)
    return frame.f_back


def user_frames(depth: int = 1) -> list[FrameType]:
    """Returns all frames of the user's own code, innermost first."""
    frame: FrameType | None = sys._getframe(depth)
    found = []
    while frame is not None:
        if line_of(frame) is not None:
            found.append(frame)
        frame = _outer(frame)
    return found


def whence(depth: int) -> Whence:
    """Returns the call of the program that led here, from `depth` callers up."""
    frame: FrameType | None = sys._getframe(depth)
    layer: FrameType | None = None
    loss: FrameType | None = None
    between: list[FrameType] = []
    site = None
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__call__":
            file = code.co_filename.replace("\\", "/")
            if file.endswith(_HOLDERS):
                if not hasattr(frame.f_locals.get("self"), "fit"):
                    layer = frame
            elif loss is None and file.endswith(_LOSSES):
                loss = frame
        site = line_of(frame)
        if site is not None:
            break
        between.append(frame)
        frame = _outer(frame)
    inside = tuple([one.f_code.co_name for one in between])
    held = layer or loss
    if held is not None:
        name = str(getattr(held.f_locals.get("self"), "name", "") or "layer")
        return Whence(site, frame, held, name, True, inside)
    name = next((one for one in reversed(inside) if one not in _PASSED_ON), "")
    return Whence(site, frame, between[-1] if between else None, name, False, inside)


# -- code that AutoGraph has generated ----------------------------------------------------------------------


def _original(frame: FrameType) -> Site | None:
    """Returns the line from which AutoGraph has generated the line that a frame is running."""
    mapper: Any = tf_stack._source_mapper_stacks[threading.get_ident()][-1]
    found = mapper.get_effective_source_map().get((frame.f_code.co_filename, frame.f_lineno))
    if found is None or is_installed_file(found[0]):
        return None
    file, line, function = found
    return Site(file, line, function or "", _span(frame, file, line))


def _span(frame: FrameType, file: str, line: int) -> Span | None:
    """Returns the place of the expression that a frame evaluates, in the program before its rewriting."""
    positions = list(frame.f_code.co_positions())
    position = positions[max(frame.f_lasti, 0) // 2]
    if None in position:
        return None
    typed = _typed("".join(linecache.getlines(frame.f_code.co_filename))).get(position)  # type: ignore[arg-type]
    if typed is None:
        return None
    near = [place for place in _places("".join(linecache.getlines(file))).get(typed, ()) if place[0] >= line]
    return min(near, default=None)


Place = tuple[int, int, int, int]


@lru_cache(64)
def _typed(text: str) -> dict[Place, str]:
    """Returns what was typed for each call and operator of generated code, by its place there."""
    found: dict[Place, str] = {}
    tree = _parsed(text)
    if tree is not None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call | ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript):
                found[_place(node)] = ast.unparse(_Plain().visit(_copied(node)))
    return found


@lru_cache(64)
def _places(text: str) -> dict[str, list[Place]]:
    """Returns the places of each expression of a program."""
    found: dict[str, list[Place]] = {}
    tree = _parsed(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call | ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript):
            found.setdefault(ast.unparse(node), []).append(_place(node))
    return found


def _parsed(text: str) -> ast.AST | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _place(node: ast.expr) -> Place:
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def _copied(node: ast.expr) -> ast.expr:
    copied = ast.parse(ast.unparse(node), mode="eval")
    assert isinstance(copied, ast.Expression)
    return copied.body


class _Plain(ast.NodeTransformer):
    """Takes AutoGraph's own calls out of an expression."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Returns the call that stands for a converted one, or the name that is loaded."""
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="ag__"), attr="ld"), args=[one]):
                return one
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="ag__"), attr="converted_call"),
                args=[function, given, named, *_],
            ):
                return ast.Call(function, _arguments(given), _keywords(named))
        return node


def _arguments(given: ast.expr) -> list[ast.expr]:
    return list(given.elts) if isinstance(given, ast.Tuple) else [ast.Starred(given)]


def _keywords(named: ast.expr) -> list[ast.keyword]:
    if isinstance(named, ast.Call) and isinstance(named.func, ast.Name) and named.func.id == "dict":
        return list(named.keywords)
    return []


__all__ = ["Whence", "here", "is_replica", "line_of", "user_frames", "whence"]
