"""Seeds made of seeds, orders that follow from one, and dropout that does. Draws are not TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow import _arrays, _elementwise
from penstock.tensorflow._convert import constant, lengths_of, operand, tensor_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._errors import ArgumentError
from penstock.trace.source_site import here


def _words(seed: Any) -> list[int]:
    found = np.asarray(tensor_of(seed).numpy())
    if found.shape != (2,) or found.dtype.kind not in "iu":
        raise ArgumentError(f"seed must be two whole numbers, not {seed!r}.", site=here())
    return [int(one) % (1 << 32) for one in found]


def _draws(words: list[int]) -> np.random.Generator:
    return np.random.default_rng(words)


@named("tf.random.split")
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    """Returns so many seeds made of one, each two numbers. `alg` does nothing: there is one way.

    >>> from penstock import tensorflow as tf
    >>> tf.random.split([1, 2], num=3).shape
    TensorShape([3, 2])
    """
    low, high = np.iinfo(np.int32).min, np.iinfo(np.int32).max
    return constant(_draws(_words(seed)).integers(low, high, (int(num), 2), np.int32))


@named("tf.random.fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """Returns a seed made of another and a whole number. `alg` does nothing: there is one way."""
    number = int(np.asarray(tensor_of(data).numpy()))
    first = _draws([*_words(seed), 1]).integers(0, np.iinfo(np.int32).max, dtype=np.int32)
    return constant(np.array([first, number], np.int32))


def stateless_shuffle(value: Any, seed: Any, alg: Any = "auto_select", name: Any = None) -> Any:
    """Returns the slices along the first axis in an order that follows from the seed.

    `alg` does nothing: there is one way.
    """
    order = _draws(_words(seed)).permutation(int(operand(value).shape[0]))
    return _arrays.gather(value, constant(order))


def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Returns where a shuffle of the numbers up to `max_index` puts an index.

    >>> from penstock import tensorflow as tf
    >>> moved = tf.random.experimental.index_shuffle(tf.range(4), seed=[5, 9], max_index=3)
    >>> sorted(moved.numpy().tolist())
    [0, 1, 2, 3]
    """
    at = np.asarray(tensor_of(index).numpy())
    words = [int(one) % (1 << 32) for one in np.asarray(tensor_of(seed).numpy()).ravel()]
    order = _draws(words).permutation(int(np.asarray(tensor_of(max_index).numpy())) + 1)
    return constant(order[at].astype(at.dtype))


def stateless_dropout(
    x: Any, rate: Any, seed: Any, rng_alg: Any = "auto_select", noise_shape: Any = None, name: Any = None
) -> Any:
    """Returns x with elements set to 0, the others scaled up; which follows from the seed.

    `rng_alg` does nothing: there is one way.
    """
    draws = _draws(_words(seed))

    def uniform(shape: Any, dtype: Any) -> Any:
        return constant(draws.random(lengths_of(shape)).astype(numpy_dtype(dtype)))

    return general_dropout(x, rate, uniform, noise_shape)


def general_dropout(
    x: Any, rate: Any, uniform_sampler: Callable[..., Any], noise_shape: Any = None, name: Any = None
) -> Any:
    """Returns x with elements set to 0, the others scaled up, where a function draws numbers below `rate`."""
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
    kept = _elementwise.cast(_elementwise.greater_equal(drawn, share), value.dtype)
    return _elementwise.multiply(_elementwise.multiply(value, 1.0 / (1.0 - share)), kept)


@named("tf.random.experimental")
class experimental:
    """tf.random.experimental."""

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


__all__ = ["experimental", "fold_in", "general_dropout", "split", "stateless_dropout"]
