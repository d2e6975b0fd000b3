"""Gradients on their last step: through the hooks of a tensor, and into its `grad`."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from types import FrameType
from typing import Any

from penstock.grad.rows import Rows
from penstock.ops import pointwise
from penstock.paddle._standing import ZERO
from penstock.trace.leaf import TensorArgument, VariableArgument, Version
from penstock.trace.spec import differentiable
from penstock.trace.tensor import Cell, Tensor


class _Left(threading.local):
    """What is known of the backward pass of this thread.

    `variables` are those whose gradients it has changed, if an observer watches; `create_graph` says whether
    its results are to be differentiated again.
    """

    variables: list[Any] | None = None
    create_graph = False


left = _Left()


def note_left(owner: Any) -> None:
    if left.variables is not None and isinstance(owner, Cell):
        left.variables.append(owner)


class speech:
    """The class of tensors that results come in; `_tensor`, which imports this file, sets it."""

    kind: type[Tensor] = Tensor
    gradient: type[Tensor] = Tensor
    """The class of gradients as `grad` and hooks see them."""
    seen = False
    """Whether there has been such a gradient."""


quiet: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
"""The tensors whose first gradient came from a PyLayer without a history: it prints so. By their identity."""


def seen(owner: Any, gradient: Any) -> Any:
    """Returns a tensor's gradient as the program sees it: with `stop_gradient` False, as in Paddle.

    Only a gradient that a PyLayer computed, which it does without recording, has it True.
    """
    gradient = one = dense(gradient)
    if type(gradient) is speech.kind:
        if id(owner) in quiet:
            one._note("of_gradient", False)
        elif one._noted("of_gradient") is not False:
            gradient.__class__ = speech.gradient
            speech.seen = True
    return gradient


class KEEPING:
    """Marks, among the hooks of a result, the point at which to keep its gradient."""


class NOTHING:
    """The value that a hook of the dialect returns to stop a gradient, without even zeros."""


def through_hooks(owner: Any, gradient: Any) -> Any:
    """Returns the gradient of a tensor after its hooks, applied one after another; NOTHING ends it."""
    for hook in owner._gradient_hooks:
        if hook is KEEPING:
            owner._gradient = gradient
            continue
        changed = hook(seen(owner, gradient))
        if changed is NOTHING:
            return NOTHING
        gradient = gradient if changed is None else changed
    return gradient


def ends(record: Any, behind: Sequence[int]) -> tuple[Any, Any]:
    """Returns the slots of each leaf that gradients reach, and where to find the leaf on any pass."""
    groups: dict[Any, list[int]] = {}
    for slot in behind:
        if slot not in record.leaves and slot not in record.retained:
            continue
        match record.calls[slot].primitive:
            case VariableArgument(variable=index) | Version(variable=index):
                place: Any = ("variable", index)
            case TensorArgument(entry=index):
                place = ("entry", index)
            case _:
                place = ("handle", slot)
        groups.setdefault(place, []).append(slot)
    return list(groups.values()), list(groups)


def add_to(owner: Any, gradient: Any, frame: FrameType) -> None:
    """Adds to the gradient of a leaf, or sets that of a result that keeps its own."""
    owner = bearer(owner)
    if owner is None:
        return
    note_left(owner)
    kept = not isinstance(owner, Cell) and not owner._is_watched
    gradient = through_hooks(owner, gradient)
    before = owner._gradient
    if before is None or before is ZERO or kept:
        owner._gradient = gradient
    else:
        if not differentiable(owner._spec):
            from penstock.paddle._whole_numbers import unaccumulated

            raise unaccumulated(f"the gradient of {owner.name}", owner._spec.dtype.name)
        owner._gradient = pointwise.add.record((dense(before), dense(gradient)), {}, frame)


def bearer(owner: Any) -> Any:
    """Returns the tensor whose gradient this is: what a leaf was before a write stands for the leaf."""
    if isinstance(owner, Cell) or not owner._is_watched:
        return owner
    leaf = owner._noted("tensor")
    return owner if leaf is None else leaf()


def dense(gradient: Any) -> Any:
    """Returns a gradient as one tensor."""
    return gradient.dense() if isinstance(gradient, Rows) else gradient
