"""Functions that arrange or compare strings in a graph: the shapes are those that numbers would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penstock.capture.calls import filled
from penstock.errors import PenstockError
from penstock.tensorflow._convert import constant as eager_constant
from penstock.tensorflow._graphs import texts
from penstock.tensorflow._graphs.graph import Graph
from penstock.tensorflow._graphs.infer import Place, infer
from penstock.tensorflow._graphs.tensor import UNKNOWN, SymbolicTensor, open_spec, shown_shape
from penstock.tensorflow._ragged.broadcasting import named_arguments
from penstock.tensorflow._string_type import STRING
from penstock.tensorflow._strings import StringTensor, is_text, strings
from penstock.tensorflow._word_functions import NO_DATA
from penstock.trace.structure import flat, mapped

_NUMBERS = np.dtype(np.int64)


class _Numbers:
    """A tensor of numbers with the shape of a tensor of strings."""

    known = None

    def __init__(self, text: Any) -> None:
        shape = None if text.shape is UNKNOWN else list(text.shape)
        self._dtype, self.spec = _NUMBERS, open_spec(shape, _NUMBERS, text.name)


def with_symbols(
    call: Callable[..., Any], arguments: Sequence[Any], options: dict[str, Any], graph: Graph, frame: Any
) -> tuple[Any, Any] | None:
    """Returns arguments with the strings among them as tensors of the graph; None if there are none."""
    try:
        given = named_arguments(call, tuple(arguments), options)
    except TypeError:
        # The call itself raises the error.
        return None
    found = False

    def symbol(one: Any) -> Any:
        nonlocal found
        if isinstance(one, SymbolicTensor) or not is_text(one):
            return one
        found = True
        return texts.constant(strings(one), graph, frame)

    changed = {
        name: one if name in NO_DATA else mapped(one, symbol, _is_one_argument) for name, one in given.items()
    }
    return ((), changed) if found else None


def _is_one_argument(one: Any) -> bool:
    """Returns whether a value is a list of strings alone, which becomes one tensor."""
    if not isinstance(one, list | tuple):
        return False
    parts = flat(one)
    return not any(isinstance(part, StringTensor | SymbolicTensor) for part in parts) and is_text(one)


def results(call: Callable[..., Any], way: Any, template: Any, inputs: Sequence[Any]) -> Any:
    """Returns what a function gives for strings, as a structure of `Seen`; None if numbers do not show it."""
    arguments, options = template
    operands: list[Any] = [_Numbers(one) if isinstance(one, texts.SymbolicText) else one for one in inputs]

    def tried(values: list[Any]) -> Any:
        given = [mapped(filled(one, values), _number, _is_one_argument) for one in (list(arguments), options)]
        return call(*given[0], **given[1])

    try:
        structure, outputs = infer(tried, operands, True)
    except PenstockError:
        return None
    chosen = way.strings
    return mapped(
        structure,
        lambda one: (
            _seen(outputs[one.number], chosen == "all" or (chosen == "first" and one.number == 0))
            if isinstance(one, Place)
            else one
        ),
    )


def _number(one: Any) -> Any:
    return eager_constant(np.zeros(tuple(one.shape), np.int64)) if isinstance(one, StringTensor) else one


def _seen(output: Any, text: bool) -> Any:
    shape = None if output.spec is None else list(shown_shape(output.spec))
    return texts.Seen(STRING if text else output.dtype, shape)


__all__ = ["results", "with_symbols"]
