"""Functions and classes of Penstock by name: the file of a graph names what its operations call.

A name is a module and an attribute, `penstock.tensorflow.linalg:matmul`; a star after it stands for the
function that this one wraps. Nothing outside of Penstock has a name, so no file leads to another package.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

ROOMS = (
    "penstock.tensorflow.", "penstock.optimizers.", "penstock.layers.", "penstock.functions.",
    "penstock.ops.",
)  # fmt: skip
"""Where functions and classes may be that a file names."""
CLOSED = (
    "penstock.tensorflow.compat.v1.app", "penstock.tensorflow.compat.v1.gfile",
    "penstock.tensorflow.io.gfile", "penstock.tensorflow.python", "penstock.tensorflow.test",
)  # fmt: skip
"""Modules in these rooms whose functions are never part of a graph: they run programs or change folders."""
_NEWER = "penstock.tensorflow.compat.v1"
_known: dict[str, tuple[int, dict[int, str]]] = {}
"""By module: how many attributes it had, and the names of what they refer to."""


def name_of(one: Any) -> str | None:
    """Returns the name of a function or class of Penstock; None for anything else."""
    one = _plain(one)
    home = getattr(one, "__module__", None)
    if not isinstance(home, str) or not _is_open(home) or not isinstance(one, FunctionType | type):
        return None
    name = _names_in(sys.modules.get(home)).get(id(one))
    if name is not None:
        return name
    # A table in one file may use what makes functions in another.
    for file, module in list(sys.modules.items()):
        if _is_open(file):
            name = _names_in(module).get(id(one))
            if name is not None:
                return name
    return None


def found(name: str) -> Any:
    """Returns the function or class of a name; raises LookupError if Penstock has none."""
    own = name.rstrip("*")
    home, _, attribute = own.partition(":")
    if not _is_open(home):
        raise LookupError(name)
    try:
        module = import_module(home)
        one = _plain(_own(module).get(attribute) or getattr(module, attribute))
        for _ in name[len(own) :]:
            one = _plain(_inside(one))
    except (ImportError, AttributeError):
        raise LookupError(name) from None
    if not isinstance(one, FunctionType | type) or not _is_open(str(one.__module__)):
        raise LookupError(name)
    return one


def _is_open(home: str) -> bool:
    return home.startswith(ROOMS) and not home.startswith(CLOSED)


def _plain(one: Any) -> Any:
    """Returns the function that computes: not one that may build, or that looks for other kinds of values."""
    while True:
        inner = getattr(one, "_eager", None) or getattr(one, "_dense_only", None)
        if not isinstance(one, FunctionType) or inner is None:
            return one
        one = inner


def _own(module: ModuleType) -> dict[str, Any]:
    """Returns what a module has under names that stand for other functions while a graph is built."""
    kept = getattr(sys.modules.get(_NEWER), "_kept", {})
    return {name: one for (place, name), one in kept.items() if place is module and callable(one)}


def _names_in(module: Any) -> dict[int, str]:
    if not isinstance(module, ModuleType):
        return {}
    own = _own(module)
    count = len(vars(module)) + len(own)
    known = _known.get(module.__name__)
    if known is None or known[0] != count:
        names: dict[int, str] = {}
        for attribute, value in {**vars(module), **own}.items():
            if isinstance(value, FunctionType | type):
                for stars, one in enumerate(_wrapped(value)):
                    names.setdefault(id(one), f"{module.__name__}:{attribute}{'*' * stars}")
        known = _known[module.__name__] = count, names
    return known[1]


def _wrapped(one: Any) -> Iterator[Any]:
    """Yields a function and those that it wraps."""
    while isinstance(one, FunctionType | type):
        one = _plain(one)
        yield one
        one = _inside(one)


def _inside(one: Any) -> Any:
    """Returns the function that one wraps; None if it wraps none."""
    return getattr(one, "__wrapped__", None) or getattr(one, "_checked", None)


__all__ = ["found", "name_of"]
