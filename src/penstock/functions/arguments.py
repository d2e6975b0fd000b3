"""Converts and checks the arguments of the array functions: tensors, dtypes, lengths, devices."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.errors import ArgumentError, DTypeError, ShapeError
from penstock.ops.validation import whole, wholes
from penstock.trace.convert import as_tensor
from penstock.trace.dtypes import native
from penstock.trace.source_site import here
from penstock.trace.spec import Shape
from penstock.trace.tensor import Cell, Tensor

Axis = int | tuple[int, ...] | None
DEVICE = "cpu"
"""The only device that tensors name. XLA decides where a compiled step runs."""


def tensor(x: Any) -> Any:
    """Returns a tensor or a variable unchanged, and other data as a tensor."""
    return x if isinstance(x, Tensor | Cell) else as_tensor(x)


def lengths_of(shape: Any) -> Shape:
    """Returns a shape given as an int or a sequence of int; raises ShapeError for a negative length."""
    lengths = wholes("A shape", shape)
    if any(n < 0 for n in lengths):
        raise ShapeError(
            f"A shape is {lengths}.", why="The length of an axis cannot be negative.", site=here()
        )
    return lengths


def dtype_of(dtype: Any, default: Any = None) -> np.dtype[Any]:
    """Returns a dtype given as a NumPy dtype or its name; raises DTypeError for anything else."""
    if dtype is None:
        dtype = default
    try:
        found: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        if dtype == "bfloat16":
            from penstock.functions.bfloat16 import bfloat16

            return bfloat16
        raise DTypeError(
            f"{dtype!r} is not a dtype.",
            remedy="Use one of the package's dtypes, such as ps.float32.",
            site=here(),
        ) from None
    return native(found)


def check_device(device: Any) -> None:
    """Raises PenstockError for a device that is not there."""
    if device is not None and device != DEVICE:
        raise ArgumentError(
            f"There is no device {device!r}.",
            why=f"Tensors live on {DEVICE!r}; JAX's settings decide where compiled steps run.",
            remedy="Omit device. To compute elsewhere, install JAX for that device, or set JAX_PLATFORMS.",
            site=here(),
        )


def whole_axis(name: str, axis: Any, rank: int) -> int:
    """Returns an axis as a number from 0; raises ShapeError for one that is not there."""
    place = whole(f"{name}: axis", axis)
    if not -rank <= place < rank:
        raise ShapeError(
            f"{name}: axis {place} is not among the {rank} axes.",
            remedy=f"Axes run from {-rank} to {rank - 1}." if rank else "A scalar has no axes.",
            site=here(),
        )
    return place % rank
