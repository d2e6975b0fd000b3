"""The arguments of a layer's `call`: inputs as tensors of the layer's dtype, and their shapes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from penstock.errors import ArgumentError
from penstock.functions.scratch import shown_shape
from penstock.layers import masks
from penstock.layers.arguments import refuse_input
from penstock.layers.attributes import Attributes
from penstock.layers.masks import Masks
from penstock.ops.table import cast
from penstock.trace.convert import convert, is_array, is_jax_array
from penstock.trace.kinds import kind_of
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor, concrete

_frame = sys._getframe


class Inputs(Attributes):
    """The part of a layer that turns the arguments of a call into tensors; dialects override its methods."""

    name: str
    call: Any

    def _given(self, value: Any) -> Any:
        """Returns an argument as a tensor, floats in the layer's dtype, or a structure of these."""
        if isinstance(value, Tensor | Cell):
            dtype, wanted = value._spec.dtype, self._compute
            if dtype is not wanted and self.autocast and dtype.kind in "fV" and dtype != wanted:
                brought = cast.record((value,), {"dtype": wanted}, _frame(1))
                if Masks.active:
                    masks.hand_on(brought, masks.mask_of(value))
                return brought
            return value
        if is_array(value):
            if not isinstance(value, np.ndarray | np.generic) and not is_jax_array(value):
                value = self._tensor(value, None)._value
            fitting = self.autocast and value.dtype.kind in "fV" and self._compute.kind in "fV"
            return self._tensor(value, self._compute if fitting else None)
        if isinstance(value, Sequence) and not isinstance(value, list | tuple | str | bytes):
            # A column of a data set reads as a list.
            value = list(value)
        kind = kind_of(value)
        if isinstance(value, list | tuple) and _is_plain(value):
            return self._given_list(value)
        if kind is not None:
            rest, parts = kind.apart(value)
            return kind.together(type(value), rest, [self._given(one) for one in parts])
        if value is None or isinstance(value, bool):
            return value
        return self._given_other(value)

    def _given_list(self, value: Any) -> Any:
        try:
            made = np.asarray(value, None if _whole(value) else self._compute)
        except ValueError:
            raise ArgumentError(
                f"{type(self).__name__} {self.name!r} was called with {value!r}: its rows have "
                "different lengths.",
                why="All rows of a tensor have the same length.",
                remedy="Pad the shorter rows, or call the layer on one row at a time.",
                site=here(),
            ) from None
        return self._given(made)

    def _given_other(self, value: Any) -> Any:
        if isinstance(value, int | float):
            return value
        self._refuse_array(value)

    def _given_option(self, value: Any) -> Any:
        return self._given(value) if isinstance(value, Tensor | Cell) or is_array(value) else value

    def _refuse_other(self, value: Any) -> None:
        """Refuses anything but a tensor, unless a subclass has a `call` that takes it."""
        if type(self).call.__module__.startswith("penstock.layers."):
            refuse_input(self, value)

    def _refuse_array(self, value: Any) -> NoReturn:
        raise ArgumentError(
            f"{self.name!r} was called with {value!r} (of type {type(value).__name__}), which is not a "
            "tensor.",
            remedy="Pass it by name, as in layer(x, training=True).",
            site=here(),
        )

    def _tensor(self, value: Any, dtype: Any) -> Tensor:
        """Returns an array as a tensor."""
        return convert(value, dtype)

    def _constant(self, value: Any) -> Tensor:
        """Returns a read-only array of NumPy as a tensor, which shares its memory."""
        return concrete(value)


def shape_of(value: Any) -> Any:
    """Returns the shape of a tensor, or a list of them for a structure."""
    if isinstance(value, Tensor | Cell):
        return shown_shape(value._spec.shape)
    if isinstance(value, list | tuple):
        return [shape_of(one) for one in value]
    if getattr(value, "_is_sparse", False):
        return tuple(value.shape)
    kind = kind_of(value)
    if kind is None:
        return None
    rest, parts = kind.apart(value)
    return kind.together(type(value), rest, [shape_of(one) for one in parts])


def _is_plain(value: Any) -> bool:
    """Returns whether a list or tuple is one of numbers, or of lists of these."""
    return bool(value) and all(
        isinstance(one, int | float | list) and not _holds_tensor(one) for one in value
    )


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, list):
        return any(_holds_tensor(one) for one in value)
    return not isinstance(value, int | float)


def _whole(value: Any) -> bool:
    return all(_whole(one) if isinstance(one, list) else isinstance(one, int) for one in value)


__all__ = ["Inputs", "shape_of"]
