"""Outlines of nested arguments and results: what of them may vary, and where it goes when it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from penstock.trace.recorder import Trace
from penstock.trace.tensor import Cell, Tensor, concrete


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


def shape_of(structure: Any, leaves: list[Any]) -> Any:
    """Returns a hashable outline of nested arguments; what may vary is left out and put into `leaves`."""
    if isinstance(structure, Tensor | np.ndarray | np.generic) or _is_number(structure):
        leaves.append(structure)
        return "*"
    if isinstance(structure, list | tuple):
        return type(structure).__name__, tuple(shape_of(one, leaves) for one in structure)
    if isinstance(structure, dict):
        return "dict", tuple((key, shape_of(one, leaves)) for key, one in structure.items())
    if isinstance(structure, Cell):
        return "variable", structure._uid
    try:
        hash(structure)
    except TypeError:
        return "object", id(structure)
    return structure


def rebuilt(structure: Any, leaves: Any) -> Any:
    """Returns the structure with each leaf replaced by the next one given."""
    if isinstance(structure, Tensor | np.ndarray | np.generic) or _is_number(structure):
        return next(leaves)
    if isinstance(structure, list | tuple):
        made = [rebuilt(one, leaves) for one in structure]
        return type(structure)(*made) if hasattr(structure, "_fields") else type(structure)(made)
    if isinstance(structure, dict):
        return {key: rebuilt(one, leaves) for key, one in structure.items()}
    return structure


class _Output:
    """Stands in a captured result for the i-th computed tensor."""

    def __init__(self, place: int) -> None:
        self.place = place


class _Given:
    """Stands in a captured result for the i-th argument."""

    def __init__(self, place: int) -> None:
        self.place = place


def template(result: Any, trace: Trace, wrapped: Sequence[Tensor], kept: list[int]) -> Any:
    """Returns a result in which each computed tensor is a place; its handle's position goes into `kept`."""
    if isinstance(result, Tensor):
        for place, tensor in enumerate(wrapped):
            if tensor is result:
                return _Given(place)
        if result._trace is not trace:
            return result
        index = next(i for i, handle in enumerate(trace.handles) if handle is result)
        if index not in kept:
            kept.append(index)
        return _Output(kept.index(index))
    if isinstance(result, list | tuple):
        made = [template(one, trace, wrapped, kept) for one in result]
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    if isinstance(result, dict):
        return {key: template(one, trace, wrapped, kept) for key, one in result.items()}
    return result


def fill(outline: Any, tensors: Sequence[Tensor], arguments: Sequence[Any]) -> Any:
    """Returns a result with the tensors and arguments of one call in their places."""
    if isinstance(outline, _Output):
        return tensors[outline.place]
    if isinstance(outline, _Given):
        return concrete(arguments[outline.place])
    if isinstance(outline, list | tuple):
        made = [fill(one, tensors, arguments) for one in outline]
        return type(outline)(*made) if hasattr(outline, "_fields") else type(outline)(made)
    if isinstance(outline, dict):
        return {key: fill(one, tensors, arguments) for key, one in outline.items()}
    return outline
