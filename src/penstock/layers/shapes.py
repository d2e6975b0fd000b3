"""Shapes without values: what a layer would give for an input of a shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import ArgumentError
from penstock.layers.base import Layer, shape_of
from penstock.trace.site import here


def placeholder(layer: Layer, shape: Any, unknown: int = 1, dtype: Any = None) -> Any:
    """Returns zeros of a shape, or a structure of them; lengths that are None become `unknown`."""
    if isinstance(shape, list) and shape and isinstance(shape[0], list | tuple):
        return [placeholder(layer, one, unknown, dtype) for one in shape]
    if isinstance(shape, dict):
        return {key: placeholder(layer, one, unknown, dtype) for key, one in shape.items()}
    lengths = tuple(unknown if n is None else int(n) for n in shape)
    return layer._tensor(np.zeros(lengths, layer._compute if dtype is None else dtype), None)


def output_shape(layer: Layer, input_shape: Any, dtype: Any = None) -> Any:
    """Returns the shape of what a layer gives; None stands for lengths that depend on unknown ones.

    The layer is called on zeros twice, with two lengths for what is unknown. Nothing is computed: shapes are
    known when an operation is recorded.
    """
    found = [shape_of(layer(placeholder(layer, input_shape, n, dtype))) for n in (2, 3)]
    return _merged(*found)


def _merged(a: Any, b: Any) -> Any:
    if isinstance(a, list):
        return [_merged(x, y) for x, y in zip(a, b, strict=True)]
    if isinstance(a, dict):
        return {key: _merged(one, b[key]) for key, one in a.items()}
    if a is None or len(a) != len(b):
        raise ArgumentError(
            f"A result has the shape {a} for one input and {b} for a longer one.", site=here()
        )
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))
