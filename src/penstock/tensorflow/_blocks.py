"""Images whose pixels, or those of blocks, are images of their own in the batch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.tensorflow._arrays import pad
from penstock.tensorflow._convert import lengths_of, operand
from penstock.tensorflow._errors import InvalidArgumentError
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
