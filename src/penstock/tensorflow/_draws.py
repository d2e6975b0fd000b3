"""Random numbers of the sequence that a seed starts."""

from __future__ import annotations

from typing import Any

from penstock.declared import named
from penstock.functions import random
from penstock.ops.validation import plain
from penstock.tensorflow._convert import lengths_of, operand
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._seeds import key_of, start
from penstock.tensorflow._tensor import EagerTensor, spoken


@named("tf.random.set_seed")
def set_seed(seed: int) -> None:
    """Starts the random numbers of this process afresh; `seed` decides them all.

    An operation with a seed of its own has its own sequence, which both seeds decide.

    >>> from penstock import tensorflow as tf
    >>> tf.random.set_seed(7)
    >>> first = tf.random.normal([2])
    >>> tf.random.set_seed(7)
    >>> bool(tf.reduce_all(tf.random.normal([2]) == first))
    True
    """
    start(int(seed))


@named("tf.random.normal")
def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None, name: Any = None
) -> EagerTensor:
    """Returns draws from the normal distribution: of the sequence of `set_seed`, or of `seed` and that."""
    wanted = numpy_dtype(dtype)
    key = key_of(seed, "normal", wanted)
    return spoken(random.normal(lengths_of(shape), _plain(mean), _plain(stddev), dtype=wanted, key=key))


@named("tf.random.truncated_normal", "tf.compat.v1.truncated_normal")
def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None, name: Any = None
) -> EagerTensor:
    """Returns draws from the normal distribution between two standard deviations below and above the mean."""
    wanted, lengths = numpy_dtype(dtype), lengths_of(shape)
    key = key_of(seed, "truncated_normal", wanted)
    return spoken(random.truncated_normal(lengths, _plain(mean), _plain(stddev), dtype=wanted, key=key))


@named("tf.random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: Any = None,
    name: Any = None,
) -> EagerTensor:
    """Returns draws from `minval`, included, to `maxval` (1), not included; integers if `dtype` says so."""
    wanted = numpy_dtype(dtype)
    key = key_of(seed, "uniform", wanted)
    if wanted.kind in "iu":
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {wanted.name}")
        ends = int(minval), int(maxval)
        return spoken(random.integers(lengths_of(shape), *ends, dtype=wanted, key=key))
    low, high = _plain(minval), _plain(1.0 if maxval is None else maxval)
    low = float(low) if isinstance(low, int) else low
    return spoken(random.uniform(lengths_of(shape), low, high, dtype=wanted, key=key))


def _plain(value: Any) -> Any:
    value = plain(value)
    return value if isinstance(value, int | float) else operand(value)
