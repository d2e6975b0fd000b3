"""Whether Python's code in a function of a data set would show that TensorFlow traces it once.

It shows if it prints, asks for a length or a shape, draws from a generator that all code shares, or changes
something outside of it. All other code gives the same elements however often it runs.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator
from typing import Any

from penstock.tensorflow._program_code import around, codes, writes_outside

_NAMES = {"print", "len", "next", "random", "randint", "choice", "setattr", "executing_eagerly"}
"""What shows in any place: functions of Python, and generators by the usual names."""
_READ = {"shape", "ndim", "random", "name"}
"""Attributes whose reading shows; `tf.shape(x)` is a call, and does not."""
_CALLED = {
    "get_shape", "append", "extend", "add", "insert", "update", "pop", "remove", "setdefault", "info",
    "warning", "debug", "error", "write", "as_list",
}  # fmt: skip
"""Methods whose call shows: of shapes, of lists, dictionaries and sets, of logs and files."""


def is_noticed(function: Any) -> bool:
    """Returns whether the code of a function, or of one of its module that it names, shows when it runs."""
    return any(_shows(code) for code in _reached(function))


def _reached(function: Any) -> Iterator[types.CodeType]:
    """Yields the code of a function, of those in it, and of those that it finds by a name."""
    seen: set[Any] = set()
    waiting: list[tuple[Any, Any]] = [(function, None)]
    while waiting:
        one, module = waiting.pop()
        while not isinstance(one, types.FunctionType):
            inner = getattr(one, "__func__", None) or getattr(one, "func", None)
            inner = inner or getattr(one, "python_function", None)
            if inner is None or id(one) in seen:
                break
            seen.add(id(one))
            one = inner
        if not isinstance(one, types.FunctionType) or one.__code__ in seen:
            continue
        module = one.__globals__ if module is None else module
        if one.__globals__ is not module:
            continue
        seen.add(one.__code__)
        yield one.__code__
        waiting += [(value, module) for _, value in around(one)]


@functools.lru_cache(maxsize=1024)
def _shows(code: types.CodeType) -> bool:
    return any(_is_seen(step, one) for one in codes(code) for step in dis.get_instructions(one))


def _is_seen(step: dis.Instruction, code: types.CodeType) -> bool:
    name = step.argval
    if writes_outside(step, code):
        return True
    if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and name in _NAMES:
        return True
    # From Python 3.12 on, one instruction reads attributes and finds methods.
    method = step.opname == "LOAD_METHOD" or (step.opname == "LOAD_ATTR" and "NULL" in step.argrepr)
    if name in _CALLED and method:
        return True
    return name in _READ and step.opname == "LOAD_ATTR" and not method


__all__ = ["is_noticed"]
