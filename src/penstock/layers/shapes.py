"""Shapes without values: the shape of a layer's result for an input of a given shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.errors import ArgumentError
from penstock.functions.scratch import Place, inferred, open_shape, shown_shape
from penstock.layers.base import Layer
from penstock.layers.calls import without_losses
from penstock.trace.source_site import here
from penstock.trace.spec import Spec, spec


def output_shape(layer: Layer, input_shape: Any, dtype: Any = None) -> Any:
    """Returns the shape of a layer's result; None marks lengths that depend on unknown ones.

    Nothing is computed: shapes are known when an operation is recorded.
    """
    return dry_run(layer, layer, input_shape, dtype)


def dry_run(layer: Layer, function: Callable[[Any], Any], input_shape: Any, dtype: Any = None) -> Any:
    """Calls a function of a layer on inputs of a shape without values; returns the shape of the result.

    The layers that it calls are built. None stands for an unknown length.
    """
    wanted = layer._compute if dtype is None else dtype
    specs: list[Spec] = []
    structure = _taken(input_shape, np.dtype(wanted), specs)
    kind = type(layer._tensor(np.zeros((), wanted), None))
    with without_losses(layer):
        result, found = inferred(
            lambda operands: function(_filled(structure, operands)), specs, [None] * len(specs), kind
        )
    return _shapes(result, [own for _, own, _ in found])


def _taken(shape: Any, dtype: np.dtype[Any], specs: list[Spec]) -> Any:
    """Returns a structure of shapes as one of Places, and adds the spec of each."""
    if isinstance(shape, list) and shape and isinstance(shape[0], list | tuple):
        return [_taken(one, dtype, specs) for one in shape]
    if isinstance(shape, dict):
        return {key: _taken(one, dtype, specs) for key, one in shape.items()}
    lengths = open_shape([None if n is None else int(n) for n in shape], "input", "batch")
    specs.append(spec(lengths, dtype))
    return Place(len(specs) - 1)


def _filled(structure: Any, operands: list[Any]) -> Any:
    if isinstance(structure, list):
        return [_filled(one, operands) for one in structure]
    if isinstance(structure, dict):
        return {key: _filled(one, operands) for key, one in structure.items()}
    return operands[structure.number]


def _shapes(result: Any, specs: list[Spec | None]) -> Any:
    if isinstance(result, list | tuple):
        return [_shapes(one, specs) for one in result]
    if isinstance(result, dict):
        return {key: _shapes(one, specs) for key, one in result.items()}
    own = specs[result.number] if isinstance(result, Place) else None
    if own is None:
        raise ArgumentError(
            "The number of axes of the result depends on an unknown length.",
            remedy="Give the length, or name the axes: squeeze(x, axis=1).",
            site=here(),
        )
    return shown_shape(own.shape)


__all__ = ["dry_run", "output_shape"]
