"""Seeds made of seeds, orders that follow from one, and dropout that does."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.functions import array as native
from penstock.ops import pointwise
from penstock.tensorflow._convert import constant, operand, record, tensor_of
from penstock.tensorflow._errors import ArgumentError
from penstock.tensorflow._generators import (
    Algorithm,
    Generator,
    create_rng_state,
    shuffled,
    stateless_uniform,
)
from penstock.tensorflow._numbers_of_keys import key_of_seed
from penstock.tensorflow._tensor import spoken
from penstock.trace.source_site import here

_frame = sys._getframe


@named("tf.random.split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    """Returns so many seeds made of one, each two numbers.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.split([1, 2], num=3).numpy().tolist())
    [[1105988140, 1738052849], [-335576002, 370444179], [10670227, -246211131]]
    """
    given = operand(tensor_of(seed))
    return stateless_uniform([int(num), 2], given, None, None, given._spec.dtype, alg=alg)


@named("tf.random.fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """Returns a seed made of another and a whole number.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.fold_in([1, 2], 3))
    tf.Tensor([1105988140          3], shape=(2,), dtype=int32)
    """
    number = operand(tensor_of(data))
    first = stateless_uniform([], seed, None, None, number._spec.dtype, alg=alg)
    return spoken(native.stack([first, number]))


def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: Any = None) -> Any:
    """Returns the slices along the first axis in an order that follows from the seed."""
    frame = _frame(1)
    return shuffled(tensor_of(value), key_of_seed(seed, alg, frame), frame)


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Returns where a shuffle of the numbers up to `max_index` puts an index.

    >>> from penstock import tensorflow as tf
    >>> print(tf.random.experimental.index_shuffle(tf.range(4), seed=[5, 9], max_index=3))
    tf.Tensor([2 0 1 3], shape=(4,), dtype=int32)
    """
    at = np.asarray(tensor_of(index).numpy())
    words = [int(one) % (1 << 32) for one in np.asarray(tensor_of(seed).numpy()).ravel()]
    last = int(np.asarray(tensor_of(max_index).numpy()))
    places = [_place(int(one), [_PADDING, *words], last) for one in at.ravel().tolist()]
    return constant(np.asarray(places, at.dtype).reshape(at.shape))


_PADDING = 498247692
_ROUND_BITS = 0x7369F885192C0EF5


def _place(index: int, key: list[int], last: int) -> int:
    """Returns the number that a shuffle of 0 to `last` has for an index.

    A block cipher of the Simon family (Beaulieu and others, 2013) with four rounds goes through the numbers
    of as many bits, until it comes to one that is not too large.
    """
    if last == 0:
        return 0
    bits = math.ceil(math.log2(last))
    half = max(bits + bits % 2, 16) // 2
    mask = (1 << half) - 1

    def turned(x: int, by: int) -> int:
        return (x << by | x >> half - by) & mask

    def mixed(x: int) -> int:
        return turned(x, 1) & turned(x, 8) ^ turned(x, 2)

    rounds = [one & mask for one in key]
    latest = rounds[2]
    fourth = 0xFFFFFFFC ^ _ROUND_BITS & 1 ^ rounds[0] ^ turned(latest, half - 3) ^ turned(latest, half - 4)
    rounds.append(fourth & mask)
    while True:
        left, right = index >> half & mask, index & mask
        for one, other in (rounds[:2], rounds[2:]):
            left ^= mixed(right) ^ one
            right ^= mixed(left) ^ other
        index = left << half | right
        if index <= last:
            return index


def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = "auto_select", noise_shape: Any = None, name: Any = None
) -> Any:
    """Returns x with elements set to 0, the others scaled up; which follows from the seed.

    >>> from penstock import tensorflow as tf
    >>> print(tf.nn.experimental.stateless_dropout(tf.ones((4,)), 0.5, seed=[1, 2]))
    tf.Tensor([2. 0. 2. 0.], shape=(4,), dtype=float32)
    """

    def uniform(shape: Any, dtype: Any) -> Any:
        return stateless_uniform(shape, seed, dtype=dtype, alg=rng_alg)

    return general_dropout(x, rate, uniform, noise_shape)


def general_dropout(
    x: Any, rate: Any, uniform_sampler: Callable[..., Any], noise_shape: Any = None, name: Any = None
) -> Any:
    """Returns x with elements set to 0, the others scaled up, where a function draws numbers below `rate`."""
    frame = _frame(1)
    value = tensor_of(x)
    share = float(np.asarray(operand(rate)))
    if not 0 <= share < 1:
        raise ArgumentError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={share}",
            site=here(),
        )
    if share == 0:
        return value
    asked = value.shape if noise_shape is None else noise_shape
    shape = [int(own) if n is None else int(n) for n, own in zip(asked, value.shape, strict=True)]
    drawn = uniform_sampler(shape=shape, dtype=value.dtype)
    kept = record(pointwise.greater_equal, (drawn, share), {}, frame)
    scaled = record(pointwise.multiply, (value, 1.0 / (1.0 - share)), {}, frame)
    return record(pointwise.where, (kept, scaled, 0.0), {}, frame)


@named("tf.random.experimental")
class experimental:
    """tf.random.experimental."""

    Algorithm, Generator, create_rng_state = Algorithm, Generator, staticmethod(create_rng_state)
    stateless_split, stateless_fold_in = staticmethod(split), staticmethod(fold_in)
    stateless_shuffle, index_shuffle = staticmethod(stateless_shuffle), staticmethod(index_shuffle)

    @staticmethod
    def get_global_generator() -> Any:
        """Returns the generator of the whole program."""
        from penstock.tensorflow import random

        return random.get_global_generator()

    @staticmethod
    def set_global_generator(generator: Any) -> None:
        """Replaces the generator of the whole program."""
        from penstock.tensorflow import random

        random.set_global_generator(generator)


__all__ = ["experimental", "fold_in", "general_dropout", "index_shuffle", "split", "stateless_dropout"]
