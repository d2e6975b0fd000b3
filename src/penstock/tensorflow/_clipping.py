"""Clipping by norm under TensorFlow's names."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from penstock.declared import named
from penstock.ops import pointwise, reduce
from penstock.tensorflow._convert import operand, record, tensor_of
from penstock.tensorflow._errors import NumberError
from penstock.tensorflow._reductions import narrowed, reduced, widened
from penstock.tensorflow._tape import IndexedSlices, by_row
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.source_site import here

_frame = sys._getframe


@named("tf.clip_by_norm")
@by_row
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: Any = None) -> Any:
    """Returns a tensor scaled down so that the root of its sum of squares is at most `clip_norm`.

    >>> from penstock import tensorflow as tf
    >>> print(tf.clip_by_norm([3.0, 4.0], 2.5))
    tf.Tensor([1.5 2. ], shape=(2,), dtype=float32)
    """
    frame = _frame(1)
    own = operand(t.values if isinstance(t, IndexedSlices) else t)
    values = widened(own, frame)
    squares = reduced(reduce.sum, record(pointwise.square, (values,), {}, frame), axes, True, frame)
    # The root is taken only of positive values: its slope at 0 is infinite.
    positive = record(pointwise.greater, (squares, 0), {}, frame)
    safe = record(pointwise.where, (positive, squares, 1.0), {}, frame)
    root = record(pointwise.sqrt, (safe,), {}, frame)
    norm = record(pointwise.where, (positive, root, squares), {}, frame)
    limit = _limit(clip_norm, values)
    larger = record(pointwise.maximum, (norm, limit), {}, frame)
    scaled = record(pointwise.multiply, (values, limit), {}, frame)
    clipped = narrowed(record(pointwise.divide, (scaled, larger), {}, frame), own, frame)
    return t.with_values(clipped) if isinstance(t, IndexedSlices) else clipped


def _limit(clip_norm: Any, values: Any) -> Any:
    return float(clip_norm) if isinstance(clip_norm, int | float) else operand(clip_norm, values._spec.dtype)


@named("tf.linalg.global_norm", "tf.compat.v1.global_norm")
@by_row
def global_norm(t_list: Any, name: Any = None) -> EagerTensor:
    """Returns the root of the sum of squares over all tensors of a list; None among them is left out."""
    return _global_norm(t_list, _frame(1))


def _global_norm(tensors: Any, frame: FrameType) -> EagerTensor:
    if not isinstance(tensors, list | tuple):
        raise NumberError(
            f"`t_list` should be a sequence of tensors. Received {type(tensors)}.",
            remedy="Give a list of gradients.",
            site=here(),
        )
    total = None
    for one in tensors:
        if one is None:
            continue
        values = operand(one.values if isinstance(one, IndexedSlices) else one)
        squares = record(pointwise.square, (widened(values, frame),), {}, frame)
        part = reduced(reduce.sum, squares, None, False, frame)
        total = part if total is None else record(pointwise.add, (total, part), {}, frame)
    if total is None:
        return tensor_of(0.0)
    return narrowed(record(pointwise.sqrt, (total,), {}, frame), values, frame)


@named("tf.clip_by_global_norm")
@by_row
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: Any = None
) -> tuple[list[Any], Any]:
    """Returns tensors scaled down together so that their global norm is at most `clip_norm`, and that norm.

    >>> from penstock import tensorflow as tf
    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 2.5)
    >>> print(norm.numpy(), [one.numpy().tolist() for one in clipped])
    5.0 [[1.5], [2.0]]
    """
    frame = _frame(1)
    norm = _global_norm(t_list, frame) if use_norm is None else operand(use_norm)
    limit = _limit(clip_norm, norm)
    inverse = record(pointwise.divide, (1.0, norm), {}, frame)
    largest = 1.0 / limit if isinstance(limit, float) else record(pointwise.divide, (1.0, limit), {}, frame)
    smaller = record(pointwise.minimum, (inverse, largest), {}, frame)
    scale = record(pointwise.multiply, (smaller, limit), {}, frame)
    # A norm that is infinite or NaN makes every result NaN, so that it is noticed.
    scale = record(pointwise.add, (scale, record(pointwise.subtract, (norm, norm), {}, frame)), {}, frame)
    clipped: list[Any] = []
    for one in t_list:
        if one is None:
            clipped.append(None)
        elif isinstance(one, IndexedSlices):
            values = record(pointwise.multiply, (one.values, scale), {}, frame)
            clipped.append(one.with_values(values))
        else:
            clipped.append(record(pointwise.multiply, (operand(one), scale), {}, frame))
    return clipped, norm
