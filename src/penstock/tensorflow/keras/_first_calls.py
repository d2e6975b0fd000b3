"""First calls of layers without a `build` of their own: Keras calls them on symbols, to build the parts.

Python's code in `call` then runs once more than the values need. It is run here as well where this can be
seen: where the code prints, or draws from Python's or NumPy's shared generators.
"""

from __future__ import annotations

import builtins
import contextlib
import dis
import inspect
import random
import sys
import weakref
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from penstock.functions.scratch import Scratch, scratch
from penstock.layers.calls import calls, without_losses
from penstock.layers.model import Sequential
from penstock.tensorflow._modes import inside, inside_function
from penstock.tensorflow._program_code import around, codes
from penstock.tensorflow._seeds import of_no_function, pass_first_trace
from penstock.tensorflow._symbols import Symbols
from penstock.trace.local import local

_shown: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()
"""By class, whether its code prints or draws."""


def built_by_a_call(layer: Any) -> bool:
    """Returns whether Keras calls the layer on symbols first, and the program can notice it."""
    if isinstance(layer, Sequential):
        return _shows(layer)
    if not _has_no_build(type(layer)):
        return False
    return any(not one.built for one in layer._sublayers()) and _shows(layer)


def _has_no_build(kind: type) -> bool:
    """Returns whether neither the class nor one of Keras' own layers that it extends has a `build`."""
    for one in kind.__mro__:
        if one.__dict__.get("_is_base"):
            return one is not kind
        if "build" in one.__dict__ or one.__module__.startswith("penstock."):
            return False
    return False


def first(layer: Any) -> bool:
    """Lets the first of two traces build the layer, where TensorFlow traces a function twice.

    Returns whether the layer is built by now.
    """
    pass_first_trace()
    return bool(layer.built)


def on_symbols(layer: Any, inputs: Any, options: Any) -> None:
    """Calls the layer as Keras does to build its parts: nothing is computed, and no variable written.

    The first step of `fit` and its like is a function that TensorFlow traces twice, which calls once more.
    """
    if layer._signature[1] and calls.training[-1] is not None:
        options = {**options, "training": calls.training[-1]}
    valueless = isinstance(local.trace, Scratch)
    outermost = calls.layers[0]
    again = inside_function() and layer is outermost and not valueless
    for _ in range(2 if again and not getattr(layer, "run_eagerly", False) else 1):
        apart = contextlib.nullcontext() if valueless else scratch()
        # What cannot be done without values raises where it is called.
        with without_losses(layer), of_no_function(), apart, contextlib.suppress(Exception), Symbols(inside):
            layer.call(*inputs, **options)


def _shows(layer: Any) -> bool:
    """Returns whether the code of the layer, or of one inside, prints or draws."""
    return any(_class_shows(type(one)) for one in (layer, *layer._found().layers))


def _class_shows(kind: type) -> bool:
    if kind.__module__.startswith("penstock."):
        return False
    if kind not in _shown:
        _shown[kind] = any(map(_can_be_seen, _reached(kind)))
    return _shown[kind]


def _reached(kind: type) -> Iterator[Any]:
    """Yields what the code of `call` refers to, and the code of the program's functions among it."""
    seen: set[Any] = set()
    waiting: list[Any] = [kind.call]  # type: ignore[attr-defined]
    while waiting:
        one = waiting.pop()
        if isinstance(one, MethodType) and isinstance(one.__func__, FunctionType):
            one = one.__func__
        one = inspect.unwrap(one) if isinstance(one, FunctionType) else getattr(one, "python_function", one)
        try:
            if one in seen:
                continue
            seen.add(one)
        except TypeError:
            continue
        yield one
        if isinstance(one, FunctionType) and not _is_library(one):
            waiting += _named(one.__code__, vars(builtins) | dict(around(one)), kind)


def _is_library(function: FunctionType) -> bool:
    file = function.__code__.co_filename
    return "site-packages" in file or function.__module__.startswith(("penstock.", "numpy."))


def _named(code: CodeType, known: dict[str, Any], kind: type) -> Iterator[Any]:
    """Yields what chains of names in the code refer to, such as `np.random.rand` or `self.drawn`."""
    for part in codes(code):
        found: Any = None
        for step in dis.get_instructions(part):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"):
                found = known.get(step.argval)
            elif step.opname.startswith("LOAD_FAST"):
                found = kind if step.argval == "self" else None
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and found is not None:
                found = _member(found, step.argval, kind)
            elif step.opname in ("PUSH_NULL", "CACHE", "PRECALL", "RESUME"):
                continue
            else:
                found = None
            if found is not None and found is not kind:
                yield found


def _member(owner: Any, name: str, kind: type) -> Any:
    if owner is kind:
        return inspect.getattr_static(kind, name, None)
    # Only modules and classes are looked into: other objects may run code to answer.
    return getattr(owner, name, None) if isinstance(owner, ModuleType | type) else None


def _can_be_seen(one: Any) -> bool:
    """Returns whether this writes, or draws from a generator that all code shares."""
    # Where a function is traced, `print` is wrapped: see `_modes.py`.
    if one is inspect.unwrap(builtins.print) or one is random or one is sys.modules.get("numpy.random"):
        return True
    owner = getattr(one, "__self__", None)
    if isinstance(owner, random.Random) or type(owner).__name__ == "RandomState":
        return True
    # Functions of Keras' backend without a seed take one from NumPy.
    return isinstance(one, FunctionType) and "seed_of" in one.__code__.co_names


__all__ = ["built_by_a_call", "first", "on_symbols"]
