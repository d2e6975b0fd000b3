"""Gradients of slices: the cotangents of parts of a tensor are joined once, not padded one by one."""

from __future__ import annotations

from collections.abc import Sequence

from penstock.ops.pointwise import add
from penstock.ops.shape import Window, broadcast_to, concat, slice_, unslice, window
from penstock.trace.builder import Builder
from penstock.trace.leaf import Constant
from penstock.trace.spec import Shape, Spec
from penstock.trace.tensor import Tensor
from penstock.trace.tree import Call

Piece = tuple[Window, Tensor]


def window_of(calls: Sequence[Call], call: Call) -> Window | None:
    """Returns the window that a slice takes of its operand; None for another call or an unknown start."""
    if call.primitive is slice_:
        return call.params["window"]  # type: ignore[no-any-return]
    if call.primitive is not window:
        return None
    found = [(0, n, 1) for n in calls[call.inputs[0]].spec.shape]
    for axis, length, slot in zip(call.params["axes"], call.params["lengths"], call.inputs[1:], strict=True):
        leaf = calls[slot].primitive
        if not isinstance(leaf, Constant):
            return None
        start = int(leaf.value)
        found[axis] = (start, start + length, 1)
    return tuple(found)


class Pieces:
    """The gradient of a tensor that was sliced: cotangents, each with the window it belongs to.

    A loop over `x[:, t]` has as many slices as turns. If each cotangent were padded to the size of x and
    added, the work would grow with the square of their number; adjacent pieces take one concatenation.
    """

    __slots__ = ("pieces", "spec")

    def __init__(self, pieces: Sequence[Piece], spec: Spec) -> None:
        self.pieces, self.spec = pieces, spec

    def dense(self, builder: Builder) -> Tensor:
        """Returns the same gradient as a tensor of the shape of the whole."""
        pieces = list(self.pieces)
        if all(type(edge) is int for part, _ in pieces for one in part for edge in one):
            for axis in reversed(range(self.spec.ndim)):
                pieces = _joined(builder, pieces, axis)
        total: Tensor | None = None
        for part, one in pieces:
            whole = one if one.shape == self.spec.shape else unslice(one, shape=self.spec.shape, window=part)
            total = whole if total is None else add(total, whole)
        assert total is not None
        return total


def _joined(builder: Builder, pieces: list[Piece], axis: int) -> list[Piece]:
    """Joins the pieces that differ along this axis alone and do not overlap there; returns all pieces."""
    groups: dict[Window, list[Piece]] = {}
    for part, one in pieces:
        groups.setdefault(part[:axis] + part[axis + 1 :], []).append((part, one))
    found = []
    for group in groups.values():
        layers: list[list[Piece]] = []
        for part, one in sorted(group, key=lambda piece: piece[0][axis]):
            start, _, step = part[axis]
            fits = [
                own for own in layers if own[-1][0][axis][1] <= start and step == own[-1][0][axis][2] == 1
            ]
            if fits:
                fits[0].append((part, one))
            else:
                layers.append([(part, one)])
        found += [_beside(builder, layer, axis) for layer in layers]
    return found


def _beside(builder: Builder, layer: list[Piece], axis: int) -> Piece:
    """Returns one piece of several that follow each other along an axis, with zeros between them."""
    if len(layer) == 1:
        return layer[0]
    parts: list[Tensor] = []
    start = end = layer[0][0][axis][0]
    for part, one in layer:
        first, last, _ = part[axis]
        if first > end:
            parts.append(_zeros(builder, one, axis, first - end))
        parts.append(one)
        end = last
    part = layer[0][0]
    return (*part[:axis], (start, end, 1), *part[axis + 1 :]), concat(*parts, axis=axis)


def _zeros(builder: Builder, like: Tensor, axis: int, length: int) -> Tensor:
    shape: Shape = tuple(length if i == axis else n for i, n in enumerate(like.shape))
    return broadcast_to(builder.constant(0, like.dtype), shape=shape)
