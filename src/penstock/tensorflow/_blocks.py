"""Images whose pixels, or those of blocks, are images of their own in the batch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.tensorflow._arrays import pad
from penstock.tensorflow._convert import lengths_of, operand
from penstock.tensorflow._errors import ArgumentError, InvalidArgumentError
from penstock.tensorflow._tensor import EagerTensor, spoken
from penstock.trace.source_site import here


def _pairs(value: Any, count: int, word: str) -> list[tuple[int, int]]:
    """Returns how much is added or cut at the beginning and the end of each axis of a block."""
    pairs = np.asarray(operand(value).numpy())
    if pairs.shape != (count, 2):
        raise InvalidArgumentError(
            f"{word} should have shape [{count}, 2] instead of {[*pairs.shape]}", site=here()
        )
    return [(int(one), int(other)) for one, other in pairs]


@named("tf.space_to_batch", "tf.nn.space_to_batch", "tf.space_to_batch_nd")
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: Any = None) -> EagerTensor:
    """Returns a tensor padded with zeros, in which the places of a block have become the batch's first part.

    >>> from penstock import tensorflow as tf
    >>> x = tf.reshape(tf.range(4), [1, 2, 2, 1])
    >>> tf.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])[:, 0, 0, 0].numpy().tolist()
    [0, 1, 2, 3]
    """
    block = lengths_of(block_shape)
    pairs = _pairs(paddings, len(block), "paddings")
    x: Any = operand(input)
    inner = len(x._spec.shape) - 1 - len(block)
    x = pad(x, [(0, 0), *pairs, *[(0, 0)] * inner])
    batch, *lengths = x._spec.shape
    for axis, (length, size) in enumerate(zip(lengths, block, strict=False)):
        if isinstance(length, int) and length % size:
            raise InvalidArgumentError(
                f"padded_shape[{axis}]={length} is not divisible by block_shape[{axis}]={size}", site=here()
            )
    rest = lengths[len(block) :]
    apart = [one for length, size in zip(lengths, block, strict=False) for one in (length // size, size)]
    x = native.reshape(x, (batch, *apart, *rest))
    count = len(block)
    order = [
        *range(2, 2 * count + 1, 2),
        0,
        *range(1, 2 * count, 2),
        *range(2 * count + 1, 2 * count + 1 + inner),
    ]
    x = native.permute_dims(x, tuple(order))
    rows = [length // size for length, size in zip(lengths, block, strict=False)]
    return spoken(native.reshape(x, (batch * math.prod(block), *rows, *rest)))


@named("tf.batch_to_space")
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: Any = None) -> EagerTensor:
    """Returns what `space_to_batch` was given; `crops` are cut off at the ends of each axis.

    >>> from penstock import tensorflow as tf
    >>> x = tf.reshape(tf.range(4), [4, 1, 1, 1])
    >>> tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]])[0, :, :, 0].numpy().tolist()
    [[0, 1], [2, 3]]
    """
    block = lengths_of(block_shape)
    pairs = _pairs(crops, len(block), "crops")
    x: Any = operand(input)
    batch, *lengths = x._spec.shape
    size = math.prod(block)
    if isinstance(batch, int) and batch % size:
        raise InvalidArgumentError(
            f"Input batch dimension ({batch}) is not divisible by product of block sizes ({size})",
            site=here(),
        )
    count, rest = len(block), lengths[len(block) :]
    x = native.reshape(x, (*block, batch // size, *lengths))
    order = [count]
    for number in range(count):
        order += [count + 1 + number, number]
    order += range(2 * count + 1, 2 * count + 1 + len(rest))
    x = native.permute_dims(x, tuple(order))
    whole = [length * one for length, one in zip(lengths, block, strict=False)]
    x = native.reshape(x, (batch // size, *whole, *rest))
    for axis, (first, last) in enumerate(pairs, 1):
        if first or last:
            x = native.take(x, native.asarray(np.arange(first, whole[axis - 1] - last)), axis=axis)
    return spoken(x)


@named("tf.required_space_to_batch_paddings", "tf.compat.v1.required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: Any = None
) -> tuple[Any, Any]:
    """Returns how much `space_to_batch` must add to each axis so that blocks fit, and how much to cut again.

    >>> from penstock import tensorflow as tf
    >>> paddings, crops = tf.required_space_to_batch_paddings([5], [2])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1]], [[0, 1]])
    """
    lengths, block = lengths_of(input_shape), lengths_of(block_shape)
    if base_paddings is None:
        base = [(0, 0)] * len(block)
    else:
        base = _pairs(base_paddings, len(block), "base_paddings")
    extra = [
        -(length + before + after) % size
        for length, size, (before, after) in zip(lengths, block, base, strict=True)
    ]
    paddings = [(before, after + more) for (before, after), more in zip(base, extra, strict=True)]
    crops = [(0, more) for more in extra]
    made = (np.array(one, np.int32).reshape(-1, 2) for one in (paddings, crops))
    first, second = (operand(one) for one in made)
    return first, second


@named("tf.nn.with_space_to_batch", "tf.compat.v1.nn.with_space_to_batch")
def with_space_to_batch(
    input: Any, dilation_rate: Any, padding: str, op: Any, filter_shape: Any = None, spatial_dims: Any = None,
    data_format: Any = None,
) -> Any:  # fmt: skip
    """Returns what `op` gives for images whose pixels, `dilation_rate` apart, are images of their own.

    So an operation without a dilation gets one. It is called as `op(input, num_spatial_dims, padding)`.
    """
    rates = [int(n) for n in np.ravel(operand(dilation_rate).numpy())]
    first = 2 if data_format is not None and str(data_format).startswith("NC") else 1
    axes = list(range(first, first + len(rates))) if spatial_dims is None else [int(n) for n in spatial_dims]
    if len(axes) != len(rates):
        raise ArgumentError(
            f"with_space_to_batch: {len(rates)} rates of dilation for {len(axes)} axes.", site=here()
        )
    if all(rate == 1 for rate in rates):
        return op(input, len(rates), padding)
    x: Any = operand(input)
    last = max(axes)
    block = [1] * last
    base = [(0, 0)] * last
    for number, (axis, rate) in enumerate(zip(axes, rates, strict=True)):
        block[axis - 1] = rate
        if str(padding).upper() == "SAME":
            if filter_shape is None:
                raise ArgumentError("`filter_shape` must be specified for SAME padding", site=here())
            reach = (lengths_of(filter_shape)[number] - 1) * rate
            base[axis - 1] = (reach // 2, reach - reach // 2)
    paddings, crops = required_space_to_batch_paddings(x._spec.shape[1 : last + 1], block, base)
    found = op(space_to_batch(x, block, paddings), len(rates), "VALID")
    return batch_to_space(found, block, crops)
