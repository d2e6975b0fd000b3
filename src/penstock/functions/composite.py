"""Functions made of primitives that a trace records as one event, with one look-up."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from penstock.functions.slips import refuse
from penstock.ops.complex_parts import real_dtype
from penstock.ops.pointwise import identity
from penstock.ops.promotion import is_narrow, kind_of
from penstock.ops.table import cast as cast_to
from penstock.ops.validation import number, plain, whole
from penstock.trace.builder import Builder, Outcome
from penstock.trace.convert import as_tensor, convert
from penstock.trace.fast_path import find, hot_key, result_class
from penstock.trace.local import local
from penstock.trace.source_site import is_library, user_frame
from penstock.trace.tensor import Cell, Tensor

P = ParamSpec("P")
R = TypeVar("R")


def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of a function's parameters, in the order of its signature.

    `inspect.signature` takes a hundred times as long, and modules have dozens of functions to describe.
    """
    code: CodeType = function.__code__
    positional = code.co_argcount
    first = positional + code.co_kwonlyargcount
    starred = first + bool(code.co_flags & inspect.CO_VARARGS)
    names = code.co_varnames
    return names[:positional] + names[first:starred] + names[positional:first]


adapted: Callable[[str, list[Any]], list[Any]] | None = None
"""Converts the operands of a function to its dtypes, by its name, if a dialect defines this."""


def composite(
    operands: int, name: str | None = None, wide: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function of tensors one event of the trace.

    The first `operands` arguments are array-like; the others are numbers, strings or lists of these. All may
    be given by position or by name. The function is run only when its event is met for the first time, with
    native tensors; it must consist of primitives, and return one tensor or, if its annotation says so, a
    tuple of tensors. `name` is its name in messages, if different from its own. A `wide` function computes
    two-byte operands in float32, and converts its results back.

    An option annotated as float may be any number, or a tensor, which then becomes an additional operand.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        called = name or function.__name__
        parameters = _parameters(function)
        kinds = {key: str(function.__annotations__.get(key, "")) for key in parameters}
        names, places = parameters[:operands], parameters[operands:]
        body: Any = _widened(function, operands) if wide else function
        several = str(function.__annotations__.get("return", "")).startswith("tuple")
        bare = (function, ())

        def named(others: tuple[Any, ...]) -> tuple[str, ...]:
            # Arguments of a starred parameter have no name.
            return places[: len(others)] + ("",) * (len(others) - len(places))

        def check(others: tuple[Any, ...], options: dict[str, Any]) -> None:
            for key, value in (*zip(named(others), others, strict=False), *options.items()):
                if kinds.get(key) == "float":
                    if value is not Tensor:
                        number(f"{called}: {key}", value)
                elif kinds.get(key) == "int":
                    whole(f"{called}: {key}", value)

        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            if not options and len(arguments) == operands:
                found = find(bare, *arguments)
                if found is not None:
                    return found
            given = arguments[:operands]
            if len(given) < operands:
                given += tuple([options.pop(one) for one in names[len(given) :] if one in options])
            others = arguments[operands:]
            head = (function, others, *options.items())
            try:
                # A NumPy number finds the edge of the equal Python number.
                found = find(head, *given)
            except TypeError:
                found = None
            if found is not None:
                return found
            entering: list[Any] = []
            if not _SETTLED.issuperset(map(type, (*others, *options.values()))):
                settled = functools.partial(_settled, kinds, entering)
                others = tuple(map(settled, named(others), others))
                options = {key: settled(key, one) for key, one in options.items()}
                head = (function, others, *options.items())
                try:
                    found = find(head, *given, *entering)
                except TypeError:
                    check(others, options)
                    raise
                if found is not None:
                    return found
            if not options.keys() <= kinds.keys():
                refuse(function, (), {key: one for key, one in options.items() if key not in kinds})
            trace = local.trace
            if isinstance(trace, Builder) or len(given) < operands:
                return _call(body, given, others, options, iter(entering))
            trace.settle()
            check(others, options)
            tensors = _operands(given)
            if adapted is not None:
                tensors = adapted(called, tensors)
            tensors += entering
            slots = tuple([trace.reference(tensor) for tensor in tensors])
            floating = next((t._spec.dtype for t in tensors if kind_of(t._spec.dtype) in "fc"), None)
            values = [*others, *options.values()]
            floats = [kinds.get(key, "").startswith("float") for key in (*named(others), *options)]
            # Next to integer operands a Python int counts as an integer, and its result differs from that of
            # a float.
            varying = (float,) if floating is None else (float, int)
            fractions = {
                index: float(one)
                for index, one in enumerate(values)
                if type(one) is float or (floats[index] and type(one) in varying)
            }
            numbers = tuple(fractions.values())

            def build(builder: Builder) -> Any:
                handles = [
                    builder.handle(Outcome(slot, tensor._spec))
                    for slot, tensor in zip(slots, tensors, strict=True)
                ]
                dtype = np.dtype(np.float32) if floating is None else real_dtype(floating)
                if wide and dtype.itemsize < 4:
                    dtype = np.dtype(np.float32)
                now = list(values)
                for place, index in enumerate(fractions):
                    # A fraction stays a Python number until it has been seen to vary.
                    now[index] = builder.number(place, dtype) if place in builder.varying else numbers[place]
                known = dict(zip(options, now[len(others) :], strict=True))
                result = _call(body, handles[:operands], now[: len(others)], known, iter(handles[operands:]))
                if isinstance(result, tuple):
                    return tuple(Outcome(one._slot, one._spec) for one in result)
                if any(result is one for one in handles):
                    # A separate result, which is read, held and named independently of the operand.
                    result = identity(result)
                return Outcome(result._slot, result._spec)

            frame = user_frame(1)
            # 0.0 and -0.0 would share a key, and NaN would never be found; next to integers, 2 would find
            # 2.0.
            keyed = all(one and one == one for one in numbers) and (floating is not None or not any(floats))
            key = hot_key(trace, head, tensors, frame) if keyed else None
            if several and key is not None:
                # Not where `find` would look, which returns one tensor.
                key = ("several", key)
                known = trace.node.edges.get(key)
                if known is not None and not is_library(frame.f_code):
                    trace.node = known
                    kind = result_class(tensors)
                    return tuple(trace.give(one, kind) for one in known.result)
            shown = tuple([float if index in fractions else one for index, one in enumerate(values)])
            outline = (function, shown, len(others), *options, slots)
            node = trace.follow("operation", outline, numbers, frame, build, key, within=called)
            kind = result_class(tensors)
            if type(node.result) is tuple:
                return tuple(trace.give(one, kind) for one in node.result)
            return trace.give(node.result, kind)

        return cast(Callable[P, R], wrapper)

    return decorate


_SETTLED = frozenset((bool, int, float, str, tuple, type(None)))
"""The types an option may have: equal values make the same program."""


def _settled(kinds: dict[str, str], entering: list[Any], key: str, value: Any) -> Any:
    """Returns an option in one form for each meaning: a Python number, a tuple for a list.

    A tensor given for a float joins the operands in `entering`, and its class takes its place; one given for
    another number is looked at.
    """
    if isinstance(value, list):
        return tuple(value)
    if not isinstance(value, Tensor | Cell):
        return plain(value)
    kind = kinds.get(key, "")
    if kind.startswith("float"):
        entering.append(value)
        return Tensor
    looked_at: Any = value
    return looked_at.item() if kind.startswith(("int", "bool")) and value._spec.shape == () else value


def _call(function: Any, given: Any, others: Any, options: dict[str, Any], entering: Iterator[Any]) -> Any:
    """Calls a function with the tensors among its options at their places."""
    others = [next(entering) if one is Tensor else one for one in others]
    return function(
        *given, *others, **{key: next(entering) if one is Tensor else one for key, one in options.items()}
    )


def _widened(function: Any, operands: int) -> Any:
    """Makes a function compute two-byte operands in float32; its results are converted back."""
    wide = np.dtype(np.float32)

    def widen(one: Any) -> Any:
        narrow = isinstance(one, Tensor | Cell) and is_narrow(one._spec.dtype)
        return cast_to(one, dtype=wide) if narrow else one

    @functools.wraps(function)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        own = [one._spec.dtype for one in arguments[:operands] if isinstance(one, Tensor | Cell)]
        if not any(map(is_narrow, own)):
            return function(*arguments, **options)
        common = np.result_type(*[one for one in own if kind_of(one) in "fc"])
        result = function(*map(widen, arguments), **{key: widen(one) for key, one in options.items()})

        def narrowed(one: Any) -> Any:
            return cast_to(one, dtype=common) if one.dtype == wide and is_narrow(common) else one

        return tuple(map(narrowed, result)) if isinstance(result, tuple) else narrowed(result)

    return wrapper


def _operands(given: tuple[Any, ...]) -> list[Any]:
    """Returns array-like data as tensors; a Python float takes the dtype of a floating-point neighbour."""
    tensors = [a if isinstance(a, Tensor | Cell | float) else as_tensor(a) for a in given]
    dtypes = [one._spec.dtype for one in tensors if not isinstance(one, float)]
    weak = next((dtype for dtype in dtypes if kind_of(dtype) == "f"), None)
    return [convert(one, weak) if isinstance(one, float) else one for one in tensors]
