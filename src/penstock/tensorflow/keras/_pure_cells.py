"""Whether a single call of a program's own cell tells what all its calls do, so that a loop can have it.

Keras calls the cell at each step of a program that runs as it is written. That can show: code may print,
count, or draw. A cell is pure if its code is known to do nothing of that kind, and reads nothing that could.
"""

from __future__ import annotations

import dis
import functools
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.tensorflow._program_code import around, codes, globals_in, names, writes_outside
from penstock.tensorflow.keras._layer import generators
from penstock.trace.tensor import Cell, Tensor

_EFFECTS = {
    "add_loss", "add_metric", "add_variable", "add_weight", "append", "appendleft", "assign", "assign_add",
    "assign_sub", "clear", "critical", "debug", "dropout", "error", "extend", "info", "insert", "numpy",
    "numpy_function", "pop", "popitem", "popleft", "print", "put", "py_function", "random", "remove", "seed",
    "send", "set_shape", "setdefault", "update", "warning", "write",
}  # fmt: skip
"""Attributes that may change something, show something, or give another value at the next call."""
_BUILTINS = {
    "None", "abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list",
    "map", "max", "min", "range", "reversed", "sum", "super", "tuple", "zip",
}  # fmt: skip
_MODULES = {"keras", "math", "numpy", "tensorflow"}


def is_pure(cell: Any, drawn_before: Callable[[Any], bool]) -> bool:
    """Returns whether every call of a built cell does the same with its arguments, and nothing besides.

    `drawn_before` says of a layer that what it draws does not depend on its calls.
    """
    layers = [cell, *cell._found().layers]
    kinds = {
        kind for one in layers for kind in type(one).__mro__ if not _is_ours(kind) and kind is not object
    }
    read: list[Any] = []
    for one in layers:
        if not one.built or one.activity_regularizer is not None or "call" in vars(one):
            return False
        if not drawn_before(one) and next(generators(one), None) is not None:
            return False
        # What Penstock's own layers hold of the program's: an activation, or a function to call.
        read += [value for value in vars(one).values() if _function(value) is not None]
    calls = [vars(kind)[word] for kind in kinds for word in ("call", "__call__") if word in vars(kind)]
    if any(_function(one) is None for one in calls):
        return False
    return _are_quiet([*read, *calls], kinds, layers)


def _are_quiet(read: list[Any], kinds: set[type], layers: list[Any]) -> bool:
    """Returns whether values are known to change nothing: functions, with all that they find by a name."""
    seen: set[Any] = set()
    while read:
        one = read.pop()
        function = _function(one)
        if function is None:
            if not _is_known(one, kinds, layers):
                return False
            continue
        if _is_ours(function) or function in seen:
            continue
        seen.add(function)
        code = function.__code__
        if _acts(code) or not globals_in(code) - function.__globals__.keys() <= _BUILTINS:
            return False
        read += [value for _, value in around(function)]
        inside = names(code)
        for holder in (*layers, *kinds):
            read += [value for name, value in vars(holder).items() if name in inside]
    return True


def _function(one: Any) -> Any:
    """Returns the function in a method, a property or a function; None if there is none."""
    one = getattr(one, "__func__", None) or getattr(one, "fget", None) or one
    return one if isinstance(one, types.FunctionType) else None


def _is_ours(one: Any) -> bool:
    return str(getattr(one, "__module__", None)).partition(".")[0] == "penstock"


def _is_known(one: Any, kinds: set[type], layers: list[Any]) -> bool:
    """Returns whether reading a value from outside of a function gives the same at each call."""
    if isinstance(one, types.ModuleType):
        return one is math or one is np or one.__name__.partition(".")[0] in (*_MODULES, "penstock")
    if isinstance(one, list | tuple):
        return all(_function(part) is None and _is_known(part, kinds, layers) for part in one)
    if one is None or isinstance(
        one, bool | int | float | complex | str | Tensor | Cell | np.ndarray | np.dtype
    ):
        return True
    if isinstance(one, type):
        return one in kinds or _is_ours(one)
    return any(one is layer for layer in layers) or _is_ours(one) or _is_ours(type(one))


@functools.lru_cache(maxsize=256)
def _acts(code: types.CodeType) -> bool:
    if names(code) & _EFFECTS:
        return True
    return any(
        writes_outside(one, part) or one.opname.startswith(("YIELD", "IMPORT"))
        for part in codes(code)
        for one in dis.get_instructions(part)
    )


__all__ = ["is_pure"]
