"""Functions made of primitives that a trace records as one event, with one look-up."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np

from penstock.ops.promotion import kind_of
from penstock.trace.convert import convert
from penstock.trace.hot import find, hot_key, result_class
from penstock.trace.recorder import Builder, Outcome, as_tensor, local
from penstock.trace.site import is_library, user_frame
from penstock.trace.tensor import Cell, Tensor

P = ParamSpec("P")
R = TypeVar("R")

adapted: Callable[[str, list[Any]], list[Any]] | None = None
"""Brings the operands of a function to the dtypes that it wants, by its name, where a dialect says so."""


def composite(operands: int, name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function of tensors one event of the trace.

    The first `operands` arguments are array-like; the others are numbers, words or lists of such. All may be
    given by position or by name. The function is run only when its event is met for the first time, with
    native tensors; it must be made of primitives, and return one tensor or, as its annotation says then, a
    tuple of tensors. `name` is what messages call it, if not by its own name.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        called = name or function.__name__
        names = tuple(inspect.signature(function).parameters)[:operands]
        plain: Any = function
        several = str(function.__annotations__.get("return", "")).startswith("tuple")
        bare = (function, ())

        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            if not options and len(arguments) == operands:
                found = find(bare, *arguments)
                if found is not None:
                    return found
            given = arguments[:operands]
            if len(given) < operands:
                given += tuple([options.pop(one) for one in names[len(given) :] if one in options])
            others = tuple([tuple(one) if type(one) is list else one for one in arguments[operands:]])
            if options:
                options = {key: tuple(one) if type(one) is list else one for key, one in options.items()}
            head = (function, others, *options.items())
            found = find(head, *given)
            if found is not None:
                return found
            trace = local.trace
            if isinstance(trace, Builder) or len(given) < operands:
                return plain(*given, *others, **options)
            trace.settle()
            tensors = _operands(given)
            if adapted is not None:
                tensors = adapted(called, tensors)
            slots = tuple([trace.reference(tensor) for tensor in tensors])
            numbers = tuple([one for one in (*others, *options.values()) if type(one) is float])
            floating = next((t._spec.dtype for t in tensors if kind_of(t._spec.dtype) == "f"), np.float32)

            def build(builder: Builder) -> Any:
                handles = [
                    builder.handle(Outcome(slot, tensor._spec))
                    for slot, tensor in zip(slots, tensors, strict=True)
                ]
                places = itertools.count()

                def option(one: Any) -> Any:
                    # A fraction stays a Python number until it has been seen to vary.
                    if type(one) is not float:
                        return one
                    place = next(places)
                    return builder.number(place, floating) if place in builder.varying else one

                given_others = [option(one) for one in others]
                given_options = {key: option(one) for key, one in options.items()}
                result = plain(*handles, *given_others, **given_options)
                if isinstance(result, tuple):
                    return tuple(Outcome(one._slot, one._spec) for one in result)
                return Outcome(result._slot, result._spec)

            frame = user_frame(1)
            # 0.0 and -0.0 would meet in a key, and NaN would never be found.
            plain_numbers = all(one and one == one for one in numbers)
            key = hot_key(trace, head, tensors, frame) if plain_numbers else None
            if several and key is not None:
                # Not where `find` would look, which returns one tensor.
                key = ("several", key)
                known = trace.node.edges.get(key)
                if known is not None and not is_library(frame.f_code):
                    trace.node = known
                    kind = result_class(tensors)
                    return tuple(trace.give(one, kind) for one in known.result)
            outline = (
                function,
                tuple([float if type(one) is float else one for one in others]),
                tuple([(name, float if type(one) is float else one) for name, one in options.items()]),
                slots,
            )
            node = trace.follow("operation", outline, numbers, frame, build, key, within=called)
            kind = result_class(tensors)
            if type(node.result) is tuple:
                return tuple(trace.give(one, kind) for one in node.result)
            return trace.give(node.result, kind)

        return cast(Callable[P, R], wrapper)

    return decorate


def _operands(given: tuple[Any, ...]) -> list[Any]:
    """Returns array-like data as tensors; a Python float takes the dtype of a floating-point neighbour."""
    tensors = [a if isinstance(a, Tensor | Cell | float) else as_tensor(a) for a in given]
    dtypes = [one._spec.dtype for one in tensors if not isinstance(one, float)]
    weak = next((dtype for dtype in dtypes if kind_of(dtype) == "f"), None)
    return [convert(one, weak) if isinstance(one, float) else one for one in tensors]
