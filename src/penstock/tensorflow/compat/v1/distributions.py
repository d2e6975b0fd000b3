"""tf.distributions: random draws, their probabilities, and the divergence of two distributions."""

from __future__ import annotations

import math
from typing import Any

from penstock.tensorflow._names import namespace as _namespace
from penstock.tensorflow.compat.v1 import _lifted as _tf
from penstock.tensorflow.compat.v1._distribution import (
    FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED,
)
from penstock.tensorflow.compat.v1._distribution import (
    NOT_REPARAMETERIZED as NOT_REPARAMETERIZED,
)
from penstock.tensorflow.compat.v1._distribution import Distribution as Distribution
from penstock.tensorflow.compat.v1._distribution import RegisterKL as RegisterKL
from penstock.tensorflow.compat.v1._distribution import ReparameterizationType as ReparameterizationType
from penstock.tensorflow.compat.v1._distribution import counted as _counted
from penstock.tensorflow.compat.v1._distribution import kl_divergence as kl_divergence
from penstock.tensorflow.compat.v1._distribution import of_logits as _of_logits
from penstock.tensorflow.compat.v1._python_functions import multinomial as _multinomial


class Normal(Distribution):
    """The normal distribution.

    `allow_nan_stats` does nothing: no statistic of these distributions is undefined.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> print(round(float(tf.distributions.Normal(0.0, 1.0).log_prob(0.0)), 4))
    -0.9189
    """

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Normal",
    ) -> None:  # fmt: skip
        self.loc, self.scale = _tf.convert_to_tensor(loc), _tf.convert_to_tensor(scale)
        self.name, self.dtype = name, self.loc.dtype

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns draws, others at each run."""
        shape, _ = _counted(sample_shape)
        whole = _tf.concat(
            [_tf.constant(shape, _tf.int32, [len(shape)]), _tf.shape(self.loc + self.scale)], 0
        )
        if self.loc.shape.is_fully_defined() and self.scale.shape.is_fully_defined():
            whole = [*shape, *(self.loc + self.scale).shape.as_list()]
        return _tf.random_normal(whole, seed=seed, dtype=self.loc.dtype) * self.scale + self.loc

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the density."""
        return (
            -0.5 * _tf.square((value - self.loc) / self.scale)
            - 0.5 * math.log(2 * math.pi)
            - _tf.log(self.scale)
        )

    def cdf(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a smaller value is."""
        return 0.5 * (1.0 + _tf.math.erf((value - self.loc) / (self.scale * math.sqrt(2.0))))

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        return 0.5 * math.log(2 * math.pi * math.e) + _tf.log(self.scale * _tf.ones_like(self.loc))

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return self.loc * _tf.ones_like(self.scale)

    def stddev(self, name: Any = None) -> Any:
        """Returns the deviation."""
        return self.scale * _tf.ones_like(self.loc)

    mode = mean


class Uniform(Distribution):
    """The uniform distribution from `low` to `high`.

    `allow_nan_stats` does nothing: no statistic of these distributions is undefined.
    """

    def __init__(
        self, low: Any = 0.0, high: Any = 1.0, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:  # fmt: skip
        self.low, self.high = _tf.convert_to_tensor(low), _tf.convert_to_tensor(high)
        self.name, self.dtype = name, self.low.dtype

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns draws, others at each run."""
        shape, _ = _counted(sample_shape)
        whole = [*shape, *(self.low + self.high).shape.as_list()]
        return _tf.random_uniform(whole, seed=seed, dtype=self.low.dtype) * (self.high - self.low) + self.low

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the density."""
        inside = _tf.logical_and(value >= self.low, value < self.high)
        width = self.high - self.low
        return _tf.where_v2(inside, -_tf.log(width), -float("inf"))

    def cdf(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a smaller value is."""
        return _tf.clip_by_value((value - self.low) / (self.high - self.low), 0.0, 1.0)

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        return _tf.log(self.high - self.low)

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return (self.low + self.high) / 2.0

    def variance(self, name: Any = None) -> Any:
        """Returns the variance."""
        return _tf.square(self.high - self.low) / 12.0


class Categorical(Distribution):
    """One of several classes, by logits or probabilities along the last axis.

    `allow_nan_stats` does nothing: no statistic of these distributions is undefined.
    """

    reparameterization_type = NOT_REPARAMETERIZED

    def __init__(
        self, logits: Any = None, probs: Any = None, dtype: Any = "int32", validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Categorical",
    ) -> None:  # fmt: skip
        self.logits, self.probs = _of_logits(logits, probs, "softmax")
        self.dtype, self.name = dtype, name

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns drawn classes, others at each run."""
        shape, count = _counted(sample_shape)
        lengths = self.logits.shape.as_list()
        rows = _tf.reshape(self.logits, [-1, lengths[-1]])
        drawn = _tf.transpose(_multinomial(rows, count, seed=seed, output_dtype=self.dtype))
        outer = [-1 if n is None else n for n in lengths[:-1]]
        return _tf.reshape(drawn, [*shape, *outer])

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the probability of classes."""
        return -_tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=_tf.cast(value, _tf.int32), logits=self.logits
        )

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        logs = _tf.nn.log_softmax(self.logits)
        return -_tf.reduce_sum(_tf.exp(logs) * logs, axis=-1)

    def _example(self) -> Any:
        return self.logits[..., 0]

    def mode(self, name: Any = None) -> Any:
        """Returns the most likely class."""
        return _tf.cast(_tf.argmax(self.logits, axis=-1), self.dtype)


class Bernoulli(Distribution):
    """1 or 0, by logits or probabilities of 1.

    `allow_nan_stats` does nothing: no statistic of these distributions is undefined.
    """

    reparameterization_type = NOT_REPARAMETERIZED

    def __init__(
        self, logits: Any = None, probs: Any = None, dtype: Any = "int32", validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Bernoulli",
    ) -> None:  # fmt: skip
        self.logits, self.probs = _of_logits(logits, probs, "sigmoid")
        self.dtype, self.name = dtype, name

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns drawn zeros and ones, others at each run."""
        shape, _ = _counted(sample_shape)
        drawn = _tf.random_uniform([*shape, *self.probs.shape.as_list()], seed=seed)
        return _tf.cast(drawn < self.probs, self.dtype)

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the probability of a value."""
        labels = _tf.cast(value, self.logits.dtype)
        return -_tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=self.logits)

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        return _tf.nn.softplus(-self.logits) + self.logits * (1.0 - self.probs)

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return self.probs

    def variance(self, name: Any = None) -> Any:
        """Returns the variance."""
        return self.probs * (1.0 - self.probs)


@RegisterKL(Normal, Normal)
def _of_normals(a: Normal, b: Normal, name: Any = None) -> Any:
    ratio = _tf.square(a.scale / b.scale)
    return 0.5 * (_tf.square((a.loc - b.loc) / b.scale) + ratio - 1.0 - _tf.log(ratio))


@RegisterKL(Categorical, Categorical)
def _of_categoricals(a: Categorical, b: Categorical, name: Any = None) -> Any:
    first, second = _tf.nn.log_softmax(a.logits), _tf.nn.log_softmax(b.logits)
    return _tf.reduce_sum(_tf.exp(first) * (first - second), axis=-1)


@RegisterKL(Bernoulli, Bernoulli)
def _of_bernoullis(a: Bernoulli, b: Bernoulli, name: Any = None) -> Any:
    apart = _tf.nn.softplus(-b.logits) - _tf.nn.softplus(-a.logits)
    return a.probs * apart + (1.0 - a.probs) * (_tf.nn.softplus(b.logits) - _tf.nn.softplus(a.logits))


__getattr__, __dir__, __all__ = _namespace(
    "tf.compat.v1.distributions", globals(), rest="compat.v1._gamma_distributions"
)
