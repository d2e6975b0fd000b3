"""tf.random: draws from Penstock's generator: a seed gives other numbers than in TensorFlow."""

from __future__ import annotations

from typing import Any

from penstock.functions import random as _random
from penstock.ops.validation import plain as _number
from penstock.tensorflow._convert import lengths_of as _lengths_of
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._dtype import numpy_dtype as _numpy_dtype
from penstock.tensorflow._generators import (
    Generator,
    categorical,
    gamma,
    get_global_generator,
    poisson,
    set_global_generator,
    shuffle,
    stateless_categorical,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from penstock.tensorflow._names import absent as _absent
from penstock.tensorflow._seeds import key_of as _key_of
from penstock.tensorflow._seeds import start as _start
from penstock.tensorflow._tensor import EagerTensor as _EagerTensor
from penstock.tensorflow._tensor import spoken as _spoken


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
    _start(int(seed))


def normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None, name: Any = None
) -> _EagerTensor:
    """Returns draws from the normal distribution: of the sequence of `set_seed`, or of `seed` and that."""
    wanted = _numpy_dtype(dtype)
    key = _key_of(seed, "normal", wanted)
    return _spoken(_random.normal(_lengths_of(shape), _plain(mean), _plain(stddev), dtype=wanted, key=key))


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = "float32", seed: Any = None, name: Any = None
) -> _EagerTensor:
    """Returns draws from the normal distribution between two standard deviations below and above the mean."""
    wanted, lengths = _numpy_dtype(dtype), _lengths_of(shape)
    key = _key_of(seed, "truncated_normal", wanted)
    return _spoken(_random.truncated_normal(lengths, _plain(mean), _plain(stddev), dtype=wanted, key=key))


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = "float32",
    seed: Any = None,
    name: Any = None,
) -> _EagerTensor:
    """Returns draws from `minval`, included, to `maxval` (1), not included; integers if `dtype` says so."""
    wanted = _numpy_dtype(dtype)
    key = _key_of(seed, "uniform", wanted)
    if wanted.kind in "iu":
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {wanted.name}")
        ends = int(minval), int(maxval)
        return _spoken(_random.integers(_lengths_of(shape), *ends, dtype=wanted, key=key))
    low, high = _plain(minval), _plain(1.0 if maxval is None else maxval)
    low = float(low) if isinstance(low, int) else low
    return _spoken(_random.uniform(_lengths_of(shape), low, high, dtype=wanted, key=key))


def _plain(value: Any) -> Any:
    value = _number(value)
    return value if isinstance(value, int | float) else _operand(value)


def __getattr__(name: str) -> Any:
    raise _absent("tensorflow.random", name, __all__)


__all__ = [
    "Generator",
    "categorical",
    "gamma",
    "get_global_generator",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "stateless_categorical",
    "stateless_normal",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]
