"""tf.keras.random: draws under Keras' names, of the seeds that Keras makes of its own."""

from __future__ import annotations

import sys
from typing import Any

from penstock.ops import pointwise as _pointwise
from penstock.tensorflow import _numbers_of_keys as _numbers
from penstock.tensorflow._convert import lengths_of as _lengths_of
from penstock.tensorflow._convert import operand as _operand
from penstock.tensorflow._convert import record as _record
from penstock.tensorflow._convert import tensor_of as _tensor_of
from penstock.tensorflow._dtype import numpy_dtype as _numpy_dtype
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow._tensor import spoken as _spoken
from penstock.tensorflow.keras._defaults import floatx as _floatx
from penstock.tensorflow.keras._seed_generator import SeedGenerator as SeedGenerator
from penstock.tensorflow.keras._seed_generator import key_for as _key_for
from penstock.tensorflow.keras._seed_generator import two_keys_for as _two_keys_for

_frame = sys._getframe


def _dtype(dtype: Any) -> Any:
    return _numpy_dtype(dtype or _floatx())


def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Returns draws from the normal distribution; the same for the same seed.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.random.normal((2,), seed=7))
    tf.Tensor([-0.67417276 -0.35869256], shape=(2,), dtype=float32)
    """
    lengths = _lengths_of(shape)
    return _numbers.normal(_key_for(seed), lengths, mean, stddev, _dtype(dtype), _frame(1))


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Returns draws from `minval`, included, to `maxval`, not included."""
    lengths = _lengths_of(shape)
    return _numbers.uniform(_key_for(seed), lengths, minval, maxval, _dtype(dtype), _frame(1))


def randint(shape: Any, minval: int, maxval: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Returns whole numbers from `minval`, included, to `maxval`, not included."""
    from penstock.tensorflow import _elementwise

    wanted = _numpy_dtype(dtype)
    drawn_as = wanted if wanted.name in ("int32", "int64") else _numpy_dtype("int64")
    lengths = _lengths_of(shape)
    drawn = _numbers.uniform(_key_for(seed), lengths, minval, maxval, drawn_as, _frame(1))
    return _elementwise.cast(drawn, wanted)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Returns draws from the normal distribution, none farther than two deviations from the mean."""
    lengths = _lengths_of(shape)
    return _numbers.normal(_key_for(seed), lengths, mean, stddev, _dtype(dtype), _frame(1), cut=True)


def categorical(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Returns class numbers, drawn by the logits of each row."""
    from penstock.tensorflow._generators import classes_of

    return classes_of(logits, num_samples, dtype, _key_for(seed), _frame(1))


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Returns draws from the gamma distribution; gradients reach `alpha`."""
    return _gammas(_key_for(seed), shape, alpha, dtype)


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Returns draws from the beta distribution; gradients reach `alpha` and `beta`."""
    from penstock.tensorflow import _arrays

    first, second = _two_keys_for(seed)
    lengths = _lengths_of(shape)
    one, other = (
        _gammas(key, lengths, _arrays.broadcast_to(_operand(each), lengths), dtype)
        for each, key in ((alpha, first), (beta, second))
    )
    return _spoken(one / (one + other))


def _gammas(key: Any, shape: Any, alpha: Any, dtype: Any) -> Any:
    from penstock.tensorflow._generators import gammas_of

    lengths, rank = _lengths_of(shape), len(_operand(alpha)._spec.shape)
    return gammas_of(key, lengths[: len(lengths) - rank], alpha, None, _dtype(dtype), _frame(2))


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Returns how many of `counts` attempts succeed, each with a probability; the same for the same seed.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.random.binomial((5,), 10, 0.3, seed=3))
    tf.Tensor([2. 3. 4. 2. 3.], shape=(5,), dtype=float32)
    """
    from penstock.tensorflow._generators import successes_of

    wanted = _dtype(dtype)
    counts, chances = (_tensor_of(one, wanted) for one in (counts, probabilities))
    return successes_of(_key_for(seed), _lengths_of(shape), counts, chances, wanted, _frame(1))


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Returns the inputs with a random part `rate` of them 0 and the rest scaled.

    >>> from penstock import tensorflow as tf
    >>> print(tf.keras.random.dropout(tf.ones((4,)), 0.5, seed=7))
    tf.Tensor([2. 2. 0. 2.], shape=(4,), dtype=float32)
    """
    frame, x = _frame(1), _tensor_of(inputs)
    if rate == 1:
        return _record(_pointwise.multiply, (x, 0.0), {}, frame)
    if rate == 0:
        return x
    lengths = x._spec.shape
    if noise_shape is not None:
        lengths = tuple([n if m is None else int(m) for n, m in zip(lengths, noise_shape, strict=True)])
    drawn = _numbers.uniform(_key_for(seed), lengths, 0.0, 1.0, x._spec.dtype, frame)
    kept = _record(_pointwise.greater_equal, (drawn, float(rate)), {}, frame)
    scaled = _record(_pointwise.multiply, (x, 1.0 / (1.0 - rate)), {}, frame)
    return _record(_pointwise.where, (kept, scaled, 0.0), {}, frame)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """Returns x with its slices along an axis in random order."""
    from penstock.tensorflow import _arrays, _ordering

    count = x.shape[axis]
    return _arrays.gather(x, _ordering.argsort(uniform((count,), dtype="float32", seed=seed)), axis=axis)


__getattr__, __dir__, __all__ = _namespace("tf.keras.random", globals())
