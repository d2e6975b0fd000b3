"""tf.keras.random: draws under Keras' names. They come from Penstock's own generators, and are not Keras'."""

from __future__ import annotations

from typing import Any

from penstock.tensorflow import _elementwise
from penstock.tensorflow import random as _random
from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.keras._defaults import floatx as _floatx
from penstock.tensorflow.nn import dropout as _dropout


class SeedGenerator:
    """A sequence of seeds, each used once."""

    def __init__(self, seed: int | None = None, name: str | None = None) -> None:
        from penstock.functions.keys import key

        self._initial_seed = int(key()._value[-1]) if seed is None else int(seed)
        self.name, self._count = name or "seed_generator", 0

    def next(self, ordered: bool = True) -> tuple[int, int]:
        """Returns the next seed: two numbers."""
        self._count += 1 if ordered else 0
        return self._initial_seed & 0x7FFFFFFF, self._count

    def get_config(self) -> dict[str, Any]:
        """Returns the seed the sequence began with."""
        return {"seed": self._initial_seed}


def _seeded(seed: Any) -> Any:
    """Returns two numbers that decide draws; None where they come from the sequence of tf.random.set_seed."""
    if seed is None:
        return None
    return seed.next() if isinstance(seed, SeedGenerator) else (int(seed), 0)


def normal(shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Returns draws from the normal distribution; the same for the same seed."""
    own = _seeded(seed)
    if own is None:
        return _random.normal(shape, mean, stddev, dtype or _floatx())
    return _random.stateless_normal(shape, own, mean, stddev, dtype or _floatx())


def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: Any = None, seed: Any = None) -> Any:
    """Returns draws from `minval`, included, to `maxval`, not included."""
    own = _seeded(seed)
    if own is None:
        return _random.uniform(shape, minval, maxval, dtype or _floatx())
    return _random.stateless_uniform(shape, own, minval, maxval, dtype or _floatx())


def randint(shape: Any, minval: int, maxval: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Returns whole numbers from `minval`, included, to `maxval`, not included."""
    return uniform(shape, minval, maxval, dtype, seed)


def truncated_normal(
    shape: Any, mean: float = 0.0, stddev: float = 1.0, dtype: Any = None, seed: Any = None
) -> Any:
    """Returns draws from the normal distribution, none farther than two deviations from the mean."""
    own = _seeded(seed)
    if own is None:
        return _random.truncated_normal(shape, mean, stddev, dtype or _floatx())
    return _random.stateless_truncated_normal(shape, own, mean, stddev, dtype or _floatx())


def categorical(logits: Any, num_samples: int, dtype: Any = "int32", seed: Any = None) -> Any:
    """Returns class numbers, drawn by the logits of each row."""
    own = _seeded(seed)
    if own is None:
        return _random.categorical(logits, num_samples, dtype)
    return _random.stateless_categorical(logits, num_samples, own, dtype)


def gamma(shape: Any, alpha: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Returns draws from the gamma distribution; they come from the sequence of tf.random.set_seed."""
    _refuse_seed(seed, "gamma")
    return _random.gamma(shape, alpha, dtype=dtype or _floatx())


def beta(shape: Any, alpha: Any, beta: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Returns draws from the beta distribution."""
    first, second = gamma(shape, alpha, dtype, seed), gamma(shape, beta, dtype, seed)
    return first / (first + second)


def binomial(shape: Any, counts: Any, probabilities: Any, dtype: Any = None, seed: Any = None) -> Any:
    """Returns how many of `counts` attempts succeed."""
    from penstock.tensorflow import _reductions

    largest = int(max(counts.numpy().max() if hasattr(counts, "numpy") else [counts, 0]))
    drawn = uniform((largest, *shape), seed=seed)
    ranks = _elementwise.cast(_random_ranks(largest, len(shape)), "float32")
    hits = _elementwise.cast((drawn < probabilities) & (ranks < counts), dtype or _floatx())
    return _reductions.reduce_sum(hits, 0)


def _random_ranks(count: int, rank: int) -> Any:
    import numpy as np

    return np.arange(count).reshape(count, *[1] * rank)


def dropout(inputs: Any, rate: float, noise_shape: Any = None, seed: Any = None) -> Any:
    """Returns the inputs with a random part `rate` of them 0 and the rest scaled."""
    _refuse_seed(seed, "dropout")
    return _dropout(inputs, rate, noise_shape)


def shuffle(x: Any, axis: int = 0, seed: Any = None) -> Any:
    """Returns x with its slices along an axis in random order."""
    from penstock.tensorflow import _arrays, _ordering

    count = x.shape[axis]
    return _arrays.gather(x, _ordering.argsort(uniform((count,), seed=seed)), axis=axis)


def _refuse_seed(seed: Any, name: str) -> None:
    if seed is not None and not isinstance(seed, SeedGenerator):
        from penstock.tensorflow._errors import ArgumentError
        from penstock.trace.source_site import here

        raise ArgumentError(
            f"tf.keras.random.{name}: seed={seed!r} is not taken: draws come from one sequence.",
            remedy="tf.random.set_seed(seed) sets it.",
            site=here(),
        )


__getattr__, __dir__, __all__ = _namespace("tf.keras.random", globals())
