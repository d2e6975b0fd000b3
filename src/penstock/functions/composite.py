"""Functions made of primitives that a trace records as one event, with one look-up."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from penstock.trace.recorder import Builder, Outcome, as_tensor, local
from penstock.trace.tensor import Cell, Tensor

P = ParamSpec("P")
R = TypeVar("R")


def composite(operands: int) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function of tensors one event of the trace.

    The first `operands` arguments are array-like; the others, given by position or name, must be hashable.
    The function is run only when its event is met for the first time; it must be made of primitives, and
    return one tensor or a tuple of tensors.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__name__

        @functools.wraps(function)
        def wrapper(*arguments: Any, **options: Any) -> Any:
            trace = local.trace
            if isinstance(trace, Builder):
                return function(*arguments, **options)  # type: ignore[call-arg]
            trace.settle()
            tensors = [a if isinstance(a, Tensor | Cell) else as_tensor(a) for a in arguments[:operands]]
            others = arguments[operands:]
            slots = tuple([trace.reference(tensor) for tensor in tensors])
            head = (function, slots, others, tuple(options.items()))

            def build(builder: Builder) -> Any:
                handles = [
                    builder.handle(Outcome(slot, t._spec), t._tensor_class)
                    for slot, t in zip(slots, tensors, strict=True)
                ]
                result: Any = function(*handles, *others, **options)  # type: ignore[call-arg]
                if isinstance(result, tuple):
                    return tuple(Outcome(one._slot, one._spec) for one in result)
                return Outcome(result._slot, result._spec)

            node = trace.follow("operation", head, (), sys._getframe(1), build, within=name)
            kind = next((t._tensor_class for t in tensors if t._tensor_class is not Tensor), Tensor)
            if type(node.result) is tuple:
                return tuple(trace.give(one, kind) for one in node.result)
            return trace.give(node.result, kind)

        return cast(Callable[P, R], wrapper)

    return decorate
