"""Random numbers of the stream that a seed starts: bit for bit those of TensorFlow on a CPU."""

from __future__ import annotations

import sys
from typing import Any

from penstock.declared import named
from penstock.tensorflow import _numbers_of_keys as numbers
from penstock.tensorflow._convert import lengths_of
from penstock.tensorflow._dtype import numpy_dtype
from penstock.tensorflow._seeds import key_of, start
from penstock.tensorflow._tensor import EagerTensor

_frame = sys._getframe


@named("tf.random.set_seed")
def set_seed(seed: int) -> None:
    """Starts the random numbers of this process afresh; `seed` decides them all, as in TensorFlow.

    An operation with a seed of its own has its own sequence, which both seeds decide.

    >>> from penstock import tensorflow as tf
    >>> tf.random.set_seed(7)
    >>> print(tf.random.uniform([2]))
    tf.Tensor([0.8344538  0.23336661], shape=(2,), dtype=float32)
    >>> print(tf.random.uniform([2], seed=1))
    tf.Tensor([0.46037483 0.9285182 ], shape=(2,), dtype=float32)
    """
    start(int(seed))


@named("tf.random.normal")
def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None, name: Any = None
) -> EagerTensor:
    """Returns draws from the normal distribution: of the sequence of `set_seed`, or of `seed` and that."""
    wanted, lengths = numpy_dtype(dtype), lengths_of(shape)
    return numbers.normal(key_of(seed, ("normal", wanted), lengths), lengths, mean, stddev, wanted, _frame(1))


@named("tf.random.truncated_normal", "tf.compat.v1.truncated_normal")
def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None, name: Any = None
) -> EagerTensor:
    """Returns draws from the normal distribution between two standard deviations below and above the mean."""
    wanted, lengths = numpy_dtype(dtype), lengths_of(shape)
    key = key_of(seed, ("truncated_normal", wanted), lengths)
    return numbers.normal(key, lengths, mean, stddev, wanted, _frame(1), cut=True)


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
    wanted, lengths = numpy_dtype(dtype), lengths_of(shape)
    if wanted.kind in "iu" and maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {wanted.name}")
    key = key_of(seed, ("uniform", wanted), lengths)
    return numbers.uniform(key, lengths, minval, maxval, wanted, _frame(1))
