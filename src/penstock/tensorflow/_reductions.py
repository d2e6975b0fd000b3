"""Reductions under TensorFlow's names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from penstock.declared import named, own_name, row
from penstock.errors import InvalidArgumentError as UnfitError
from penstock.functions import nn
from penstock.ops import pointwise, reduce
from penstock.ops.promotion import is_narrow, kind_of
from penstock.ops.table import Primitive, cast
from penstock.ops.validation import plain
from penstock.tensorflow._convert import operand, record
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._elementwise import composed
from penstock.tensorflow._errors import InvalidArgumentError, NumberError
from penstock.tensorflow._tensor import EagerTensor
from penstock.trace.fast_path import find
from penstock.trace.source_site import here
from penstock.trace.tensor import Cell, Tensor

_frame = sys._getframe
One = Callable[..., EagerTensor]


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Returns the axes given by a number, a list, a tensor, or None for all."""
    if axis is None:
        return tuple(range(rank))
    if isinstance(axis, Tensor | Cell | np.ndarray):
        axis = np.asarray(axis).tolist()
    axes = [int(axis)] if isinstance(axis, int | np.integer) else [int(one) for one in axis]
    for one in axes:
        if not -rank <= one < rank:
            raise InvalidArgumentError(
                f"Invalid reduction dimension ({one} for input with {rank} dimension(s)",
                remedy=f"Axes run from {-rank} to {rank - 1}." if rank else "A scalar has no axes.",
                site=here(),
            )
    return tuple(sorted({one % rank for one in axes}))


def reduced(
    primitive: Primitive, x: Any, axis: Any, keepdims: Any, frame: FrameType, head: Any = None
) -> EagerTensor:
    """Records a reduction of an operand; `head` is the key of one over all axes in a hot look-up."""
    axes = axes_of(axis, len(x._spec.shape))
    return record(primitive, (x,), {"axes": axes, "keepdims": bool(keepdims)}, frame, head)


def _reduction(names: str, primitive: Primitive, purpose: str) -> One:
    whole = (own_name(names), primitive.code)

    def function(
        input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
    ) -> EagerTensor:
        head = whole if axis is None and keepdims is False else None
        found: Any = find(head, input_tensor) if head else None
        if found is not None:
            return found  # type: ignore[no-any-return]
        x, frame = operand(input_tensor), _frame(1)
        try:
            return reduced(primitive, x, axis, keepdims, frame, head)
        except UnfitError:
            if primitive not in (reduce.max, reduce.min) or 0 not in x._spec.shape:
                raise
            return _extreme_of_nothing(primitive, x, axis, keepdims, frame)

    return row(function, names, f"Returns {purpose} over all axes, or over those named.")


def _extreme_of_nothing(
    primitive: Primitive, x: Any, axis: Any, keepdims: Any, frame: FrameType
) -> EagerTensor:
    """Returns what TensorFlow starts from: no element is larger, or smaller, than any number there is."""
    dtype = x._spec.dtype
    if kind_of(dtype) == "f":
        least, most = -np.inf, np.inf
    else:
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    start = np.asarray(least if primitive is reduce.max else most, dtype)
    # A sum of nothing, so that its gradient has the shape of x.
    nothing = reduced(reduce.sum, x, axis, keepdims, frame)
    return record(pointwise.add, (nothing, operand(start)), {}, frame)


reduce_sum = _reduction("tf.reduce_sum tf.math.reduce_sum", reduce.sum, "the sum")
reduce_prod = _reduction("tf.reduce_prod tf.math.reduce_prod", reduce.prod, "the product")
reduce_max = _reduction(
    "tf.reduce_max tf.math.reduce_max", reduce.max, "the largest element; equal ones share the gradient"
)
reduce_min = _reduction(
    "tf.reduce_min tf.math.reduce_min", reduce.min, "the smallest element; equal ones share the gradient"
)


_MEAN = ("reduce_mean", reduce.mean.code)


@named("tf.reduce_mean", "tf.math.reduce_mean")
def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> EagerTensor:
    """Returns the mean over all axes, or over those named. The mean of integers is cut to an integer.

    >>> from penstock import tensorflow as tf
    >>> print(tf.reduce_mean([[1.0, 2.0], [3.0, 6.0]], axis=0))
    tf.Tensor([2. 4.], shape=(2,), dtype=float32)
    """
    head = _MEAN if axis is None and keepdims is False else None
    found: Any = find(head, input_tensor) if head else None
    if found is not None:
        return found  # type: ignore[no-any-return]
    frame = _frame(1)
    x = operand(input_tensor)
    if kind_of(x._spec.dtype) != "i":
        return reduced(reduce.mean, x, axis, keepdims, frame, head)
    total = reduced(reduce.sum, x, axis, keepdims, frame)
    count = x._spec.size // max(1, total._spec.size)
    size = record(pointwise.absolute, (total,), {}, frame)
    whole = record(pointwise.floor_divide, (size, count), {}, frame)
    return record(pointwise.multiply, (whole, record(pointwise.sign, (total,), {}, frame)), {}, frame)


@named("tf.math.reduce_variance")
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> EagerTensor:
    """Returns the mean squared distance from the mean, over all axes or over those named."""
    frame = _frame(1)
    x = operand(input_tensor)
    return narrowed(_variance(x, axis, keepdims, frame), x, frame)


@named("tf.math.reduce_std")
def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> EagerTensor:
    """Returns the standard deviation over all axes, or over those named."""
    frame = _frame(1)
    x = operand(input_tensor)
    return narrowed(record(pointwise.sqrt, (_variance(x, axis, keepdims, frame),), {}, frame), x, frame)


def widened(x: Any, frame: FrameType) -> Any:
    """Returns two-byte numbers as float32, in which squares do not overflow; others as they are."""
    return record(cast, (x,), {"dtype": _SINGLE}, frame) if is_narrow(x._spec.dtype) else x


def narrowed(result: Any, of: Any, frame: FrameType) -> EagerTensor:
    """Returns the result for a widened operand in the operand's dtype."""
    own = of._spec.dtype
    narrow: Any = record(cast, (result,), {"dtype": own}, frame) if is_narrow(own) else result
    return narrow  # type: ignore[no-any-return]


_SINGLE = np.dtype(np.float32)


def _variance(x: Any, axis: Any, keepdims: bool, frame: FrameType) -> EagerTensor:
    if kind_of(x._spec.dtype) not in "fc":
        raise NumberError(
            f"Input must be either real or complex. Received integer type {x.dtype}.",
            remedy="Convert it first: tf.cast(x, tf.float32).",
            site=here(),
        )
    x = widened(x, frame)
    mean = reduced(reduce.mean, x, axis, True, frame)
    distance = record(pointwise.subtract, (x, mean), {}, frame)
    if kind_of(x._spec.dtype) == "c":
        distance = record(pointwise.absolute, (distance,), {}, frame)
    return reduced(reduce.mean, record(pointwise.square, (distance,), {}, frame), axis, keepdims, frame)


@named("tf.math.reduce_euclidean_norm")
def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> EagerTensor:
    """Returns the root of the sum of squares over all axes, or over those named."""
    frame = _frame(1)
    x = operand(input_tensor)
    squares = record(pointwise.square, (widened(x, frame),), {}, frame)
    root = record(pointwise.sqrt, (reduced(reduce.sum, squares, axis, keepdims, frame),), {}, frame)
    return narrowed(root, x, frame)


@named("tf.reduce_logsumexp", "tf.math.reduce_logsumexp")
def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
) -> EagerTensor:
    """Returns log(sum(exp(x))) over all axes, or over those named, without overflow."""
    x = operand(input_tensor)
    axes = axes_of(axis, len(x._spec.shape))
    return composed(nn.logsumexp, "logsumexp", (x,), axis=axes, keepdims=bool(keepdims))


def _truth_reduction(names: str, primitive: Primitive, purpose: str) -> One:
    def function(
        input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None
    ) -> EagerTensor:
        return reduced(primitive, operand(input_tensor, np.dtype(np.bool_)), axis, keepdims, _frame(1))

    return row(function, names, f"Returns {purpose}, over all axes or over those named.")


reduce_any = _truth_reduction("tf.reduce_any tf.math.reduce_any", reduce.any, "whether some element is true")
reduce_all = _truth_reduction("tf.reduce_all tf.math.reduce_all", reduce.all, "whether every element is true")


def _position(names: str, primitive: Primitive, purpose: str) -> One:
    def function(input: Any, axis: Any = None, output_type: Any = np.int64, name: Any = None) -> EagerTensor:
        x = operand(input)
        rank = len(x._spec.shape)
        place = 0 if axis is None else int(axis)
        if not -rank <= place < rank:
            raise InvalidArgumentError(
                f"Expected dimension in the range [{-rank}, {rank}), but got {place}", site=here()
            )
        params = {"axis": place % rank, "dtype": numpy_dtype(output_type), "skips_nan": True}
        return record(primitive, (x,), params, _frame(1))

    return row(
        function, names, f"Returns the position of {purpose} along an axis, the first one if none is named."
    )


argmax = _position("tf.argmax tf.math.argmax tf.compat.v1.arg_max", reduce.argmax, "the largest element")
argmin = _position("tf.argmin tf.math.argmin tf.compat.v1.arg_min", reduce.argmin, "the smallest element")


@named(
    "tf.math.l2_normalize", "tf.keras.backend.l2_normalize", "tf.nn.l2_normalize", "tf.linalg.l2_normalize"
)
def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: Any = None) -> EagerTensor:
    """Returns x divided by the root of the sum of its squares, which is kept above sqrt(epsilon)."""
    frame = _frame(1)
    x = operand(x)
    own, x = x, widened(x, frame)
    squares = reduced(reduce.sum, record(pointwise.square, (x,), {}, frame), axis, True, frame)
    kept = record(pointwise.maximum, (squares, plain(epsilon)), {}, frame)
    root = record(pointwise.rsqrt, (kept,), {}, frame)
    return narrowed(record(pointwise.multiply, (x, root), {}, frame), own, frame)
