"""Masks: the steps of a sequence that count. Layers pass them on along with the tensors, as in Keras."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from penstock.trace.tensor import Cell, Tensor


class Masks:
    """Whether any layer makes masks; until one does, no code searches for them."""

    active = False


_kept: dict[int, tuple[Any, Any]] = {}


def attach(tensor: Tensor, mask: Any) -> None:
    """Notes the mask of a tensor, for as long as the tensor lives."""
    key = id(tensor)
    _kept[key] = weakref.ref(tensor, lambda _: _kept.pop(key, None)), mask


def take_away(tensor: Any) -> None:
    """Forgets the mask of a tensor, if it has one."""
    _kept.pop(id(tensor), None)


def mask_of(value: Any) -> Any:
    """Returns the mask of a tensor, or a list of them for a list; None for no mask."""
    if isinstance(value, list | tuple):
        found = [mask_of(one) for one in value]
        return found if any(one is not None for one in found) else None
    if not isinstance(value, Tensor | Cell):
        return None
    kept = _kept.get(id(value))
    return None if kept is None or kept[0]() is not value else kept[1]


def hand_on(result: Any, mask: Any) -> None:
    """Attaches a mask to a result, or one to each of several; a result that already has a mask keeps it."""
    if isinstance(result, list | tuple):
        given = mask if isinstance(mask, list | tuple) else [mask]
        for one, own in zip(result, given, strict=False):
            hand_on(one, own)
    elif mask is not None and isinstance(result, Tensor) and mask_of(result) is None:
        attach(result, mask)


def low(dtype: np.dtype[Any]) -> float:
    """Returns the value of a masked score: low enough that softmax gives 0, in half precision too."""
    return -3e4 if dtype == np.float16 else -1e9


__all__ = ["Masks", "attach", "hand_on", "low", "mask_of", "take_away"]
