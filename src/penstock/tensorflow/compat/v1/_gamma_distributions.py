"""Distributions that are drawn by way of gammas: Gamma, Exponential, Beta, Dirichlet, StudentT and others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.tensorflow.compat.v1 import _lifted as tf
from penstock.tensorflow.compat.v1._distribution import (
    NAN,
    NOT_REPARAMETERIZED,
    Distribution,
    RegisterKL,
    another_seed,
    arranged,
    counted,
    of_logits,
    require_defaults,
)
from penstock.tensorflow.compat.v1._python_functions import multinomial


def _tensors(*values: Any) -> list[Any]:
    """Returns numbers as tensors of one dtype, that of the first that has one."""
    dtype = next((one.dtype for one in values if hasattr(one, "dtype")), tf.float32)
    return [tf.convert_to_tensor(one, dtype=dtype) for one in values]


def _log_beta(first: Any, second: Any) -> Any:
    return tf.lgamma(first) + tf.lgamma(second) - tf.lgamma(first + second)


def _undefined_unless(condition: Any, value: Any) -> Any:
    return tf.where_v2(condition, value, tf.cast(NAN, value.dtype))


@named("tf.compat.v1.distributions.Gamma")
class Gamma(Distribution):
    """The gamma distribution, by its concentration (shape) and rate.

    >>> import penstock.tensorflow.compat.v1 as tf
    >>> print(round(float(tf.distributions.Gamma(2.0, 3.0).log_prob(0.5)), 4))
    0.0041
    """

    def __init__(
        self, concentration: Any, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:  # fmt: skip
        require_defaults(self, validate_args, allow_nan_stats)
        self.concentration, self.rate = _tensors(concentration, rate)
        self.name, self.dtype = name, self.concentration.dtype

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns draws, others at each run."""
        shape, count = counted(sample_shape)
        drawn = tf.random.gamma([count], self.concentration, self.rate, self.dtype, seed)
        return arranged(drawn, shape)

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the density."""
        size = tf.lgamma(self.concentration) - self.concentration * tf.log(self.rate)
        return tf.math.xlogy(self.concentration - 1.0, value) - self.rate * value - size

    def cdf(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a smaller value is."""
        return tf.math.igamma(self.concentration, self.rate * value)

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        own = self.concentration
        return own - tf.log(self.rate) + tf.lgamma(own) + (1.0 - own) * tf.digamma(own)

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return self.concentration / self.rate

    def variance(self, name: Any = None) -> Any:
        """Returns the variance."""
        return self.concentration / tf.square(self.rate)

    def stddev(self, name: Any = None) -> Any:
        """Returns the deviation."""
        return tf.sqrt(self.concentration) / self.rate

    def mode(self, name: Any = None) -> Any:
        """Returns the most likely value, NaN where the concentration is at most 1."""
        return _undefined_unless(self.concentration > 1.0, (self.concentration - 1.0) / self.rate)


@named("tf.compat.v1.distributions.Exponential")
class Exponential(Gamma):
    """The exponential distribution: Gamma with a concentration of 1."""

    def __init__(
        self, rate: Any, validate_args: bool = False, allow_nan_stats: bool = True, name: str = "Exponential"
    ) -> None:
        (rate,) = _tensors(rate)
        super().__init__(tf.ones_like(rate), rate, validate_args, allow_nan_stats, name)

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns draws, others at each run."""
        shape, count = counted(sample_shape)
        whole = tf.concat([[count], tf.shape(self.rate)], 0)
        if self.rate.shape.is_fully_defined():
            whole = [count, *self.rate.shape.as_list()]
        least = np.finfo(self.dtype.as_numpy_dtype).tiny
        drawn = tf.random_uniform(whole, least, 1.0, self.dtype, seed)
        return arranged(-tf.log(drawn) / self.rate, shape)


@named("tf.compat.v1.distributions.Beta")
class Beta(Distribution):
    """The beta distribution, by its two concentrations."""

    def __init__(
        self, concentration1: Any = None, concentration0: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Beta",
    ) -> None:  # fmt: skip
        require_defaults(self, validate_args, allow_nan_stats)
        self.concentration1, self.concentration0 = _tensors(concentration1, concentration0)
        self.total_concentration = self.concentration1 + self.concentration0
        self.name, self.dtype = name, self.concentration1.dtype

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns draws, others at each run."""
        shape, count = counted(sample_shape)
        ones = tf.ones_like(self.total_concentration)
        first = tf.random.gamma([count], self.concentration1 * ones, None, self.dtype, seed)
        other = another_seed(seed, "beta")
        second = tf.random.gamma([count], self.concentration0 * ones, None, self.dtype, other)
        return arranged(first / (first + second), shape)

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the density."""
        own = tf.math.xlogy(self.concentration1 - 1.0, value)
        other = (self.concentration0 - 1.0) * tf.log1p(-tf.convert_to_tensor(value, dtype=self.dtype))
        return own + other - _log_beta(self.concentration1, self.concentration0)

    def cdf(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a smaller value is."""
        ones = tf.ones_like(self.total_concentration) * value
        first, second = self.concentration1 * tf.ones_like(ones), self.concentration0 * tf.ones_like(ones)
        return tf.math.betainc(first, second, ones)

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        first, second, total = self.concentration1, self.concentration0, self.total_concentration
        parts = (first - 1.0) * tf.digamma(first) + (second - 1.0) * tf.digamma(second)
        return _log_beta(first, second) - parts + (total - 2.0) * tf.digamma(total)

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return self.concentration1 / self.total_concentration

    def variance(self, name: Any = None) -> Any:
        """Returns the variance."""
        return self.mean() * (1.0 - self.mean()) / (1.0 + self.total_concentration)

    def mode(self, name: Any = None) -> Any:
        """Returns the most likely value, NaN where a concentration is at most 1."""
        both = tf.logical_and(self.concentration1 > 1.0, self.concentration0 > 1.0)
        return _undefined_unless(both, (self.concentration1 - 1.0) / (self.total_concentration - 2.0))


@named("tf.compat.v1.distributions.Dirichlet")
class Dirichlet(Distribution):
    """The Dirichlet distribution: parts of a whole, by concentrations along the last axis."""

    def __init__(
        self, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:  # fmt: skip
        require_defaults(self, validate_args, allow_nan_stats)
        (self.concentration,) = _tensors(concentration)
        self.total_concentration = tf.reduce_sum(self.concentration, -1)
        self.name, self.dtype = name, self.concentration.dtype

    def _events(self) -> int:
        return 1

    def _count(self) -> float:
        return float(int(self.concentration.shape[-1]))

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns draws, others at each run."""
        shape, count = counted(sample_shape)
        drawn = tf.random.gamma([count], self.concentration, None, self.dtype, seed)
        return arranged(drawn / tf.reduce_sum(drawn, -1, keepdims=True), shape)

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the density."""
        own = tf.reduce_sum(tf.math.xlogy(self.concentration - 1.0, value), -1)
        return own - tf.lbeta(self.concentration)

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        own, total = self.concentration, self.total_concentration
        parts = tf.reduce_sum((own - 1.0) * tf.digamma(own), -1)
        return tf.lbeta(own) + (total - self._count()) * tf.digamma(total) - parts

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return self.concentration / self.total_concentration[..., None]

    def variance(self, name: Any = None) -> Any:
        """Returns the variance of each part."""
        return self.mean() * (1.0 - self.mean()) / (1.0 + self.total_concentration[..., None])

    def covariance(self, name: Any = None) -> Any:
        """Returns the covariance of each pair of parts."""
        scaled = self.mean() / tf.sqrt(1.0 + self.total_concentration[..., None])
        pairs = -tf.matmul(scaled[..., :, None], scaled[..., None, :])
        return tf.matrix_set_diag(pairs, self.variance())

    def mode(self, name: Any = None) -> Any:
        """Returns the most likely value, NaN where a concentration is at most 1."""
        every = tf.reduce_all(self.concentration > 1.0, -1, keepdims=True)
        parts = (self.concentration - 1.0) / (self.total_concentration - self._count())[..., None]
        return _undefined_unless(every, parts)


@named("tf.compat.v1.distributions.Laplace")
class Laplace(Distribution):
    """The distribution of Laplace: its density falls exponentially on both sides."""

    def __init__(
        self, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "Laplace",
    ) -> None:  # fmt: skip
        require_defaults(self, validate_args, allow_nan_stats)
        self.loc, self.scale = _tensors(loc, scale)
        self.name, self.dtype = name, self.loc.dtype

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns draws, others at each run."""
        shape, count = counted(sample_shape)
        example = self.loc + self.scale
        whole = tf.concat([[count], tf.shape(example)], 0)
        if example.shape.is_fully_defined():
            whole = [count, *example.shape.as_list()]
        kind = self.dtype.as_numpy_dtype
        drawn = tf.random_uniform(whole, np.nextafter(kind(-1.0), kind(0.0)), 1.0, self.dtype, seed)
        return arranged(self.loc - self.scale * tf.sign(drawn) * tf.log1p(-tf.abs(drawn)), shape)

    def _scaled(self, value: Any) -> Any:
        return (value - self.loc) / self.scale

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the density."""
        return -tf.abs(self._scaled(value)) - math.log(2.0) - tf.log(self.scale)

    def cdf(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a smaller value is."""
        z = self._scaled(value)
        return 0.5 + 0.5 * tf.sign(z) * (1.0 - tf.exp(-tf.abs(z)))

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        return math.log(2.0) + 1.0 + tf.log(self.scale + tf.zeros_like(self.loc))

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return self.loc + tf.zeros_like(self.scale)

    def stddev(self, name: Any = None) -> Any:
        """Returns the deviation."""
        return math.sqrt(2.0) * self.scale + tf.zeros_like(self.loc)

    mode = mean


@named("tf.compat.v1.distributions.StudentT")
class StudentT(Distribution):
    """Student's distribution, by its degrees of freedom, location and scale."""

    def __init__(
        self, df: Any, loc: Any, scale: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "StudentT",
    ) -> None:  # fmt: skip
        require_defaults(self, validate_args, allow_nan_stats)
        self.df, self.loc, self.scale = _tensors(df, loc, scale)
        self.name, self.dtype = name, self.df.dtype

    def _ones(self) -> Any:
        return tf.ones_like(self.df + self.loc + self.scale)

    def _example(self) -> Any:
        return self._ones()

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns draws, others at each run."""
        shape, count = counted(sample_shape)
        ones = self._ones()
        whole = tf.concat([[count], tf.shape(ones)], 0)
        if ones.shape.is_fully_defined():
            whole = [count, *ones.shape.as_list()]
        normal = tf.random_normal(whole, dtype=self.dtype, seed=seed)
        freedom = self.df * ones
        other = another_seed(seed, "student_t")
        squares = tf.random.gamma([count], 0.5 * freedom, 0.5, self.dtype, other)
        return arranged(normal * tf.rsqrt(squares / freedom) * self.scale + self.loc, shape)

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the density."""
        y = (value - self.loc) / self.scale
        size = tf.log(tf.abs(self.scale)) + 0.5 * tf.log(self.df) + 0.5 * math.log(math.pi)
        size = size + tf.lgamma(0.5 * self.df) - tf.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * tf.log1p(tf.square(y) / self.df) - size

    def cdf(self, value: Any, name: Any = None) -> Any:
        """Returns how likely a smaller value is."""
        y = (value - self.loc) / tf.abs(self.scale)
        part = self.df / (tf.square(y) + self.df)
        half = 0.5 * tf.math.betainc(0.5 * self.df * tf.ones_like(part), 0.5 * tf.ones_like(part), part)
        return tf.where_v2(y < 0.0, half, 1.0 - half)

    def entropy(self, name: Any = None) -> Any:
        """Returns the entropy."""
        half = 0.5 * self.df
        shape = 0.5 * tf.log(self.df) + _log_beta(half, tf.constant(0.5, self.dtype))
        grown = half + 0.5
        spread = tf.log(tf.abs(self.scale) * self._ones())
        return spread + shape + grown * (tf.digamma(grown) - tf.digamma(half))

    def mean(self, name: Any = None) -> Any:
        """Returns the mean, NaN where there is at most one degree of freedom."""
        return _undefined_unless(self.df > 1.0, self.loc * self._ones())

    def variance(self, name: Any = None) -> Any:
        """Returns the variance: infinite up to two degrees of freedom, NaN up to one."""
        ones = self._ones()
        enough = self.df > 2.0
        rest = tf.where_v2(enough, self.df - 2.0, tf.ones_like(self.df))
        finite = tf.square(self.scale) * self.df / rest * ones
        value = tf.where_v2(enough, finite, tf.cast(float("inf"), self.dtype))
        return _undefined_unless(self.df > 1.0, value)

    def mode(self, name: Any = None) -> Any:
        """Returns the most likely value."""
        return self.loc * self._ones()


# -- counts of classes --------------------------------------------------------------------------------------


class _Counts(Distribution):
    """How often each class occurs among `total_count` draws."""

    reparameterization_type = NOT_REPARAMETERIZED
    total_count: Any
    dtype: Any

    def _events(self) -> int:
        return 1

    def _combinations(self, counts: Any) -> Any:
        """Returns the logarithm of how many orders of draws have these counts."""
        return tf.lgamma(self.total_count + 1.0) - tf.reduce_sum(tf.lgamma(counts + 1.0), -1)

    def _drawn(self, logits: Any, sample_shape: Any, each: int, seed: Any) -> Any:
        """Returns counts of classes drawn by the logits in rows, `each` times for each row."""
        number, classes = int(self._total()), int(logits.shape[-1])
        rows = tf.reshape(logits, [-1, classes])
        places = tf.reshape(multinomial(rows, each * number, seed=seed), [-1, each, number])
        counts = tf.reduce_sum(tf.one_hot(places, classes, dtype=self.dtype), 2)
        batch = [int(n) for n in list(self._example().shape)]
        return tf.reshape(tf.transpose(counts, [1, 0, 2]), [*counted(sample_shape)[0], *batch])

    def _total(self) -> float:
        from penstock.tensorflow.compat.v1 import get_static_value

        found = get_static_value(self.total_count)
        if found is None or np.ndim(found):
            raise NotImplementedError(
                f"{type(self).__name__}.sample: total_count has to be one number, known when the graph "
                "is built. Draw with tf.multinomial, and count with tf.one_hot and tf.reduce_sum."
            )
        return float(found)


@named("tf.compat.v1.distributions.Multinomial")
class Multinomial(_Counts):
    """How often each class occurs among `total_count` draws, by logits or probabilities."""

    def __init__(
        self, total_count: Any, logits: Any = None, probs: Any = None, validate_args: bool = False,
        allow_nan_stats: bool = True, name: str = "Multinomial",
    ) -> None:  # fmt: skip
        require_defaults(self, validate_args, allow_nan_stats)
        self.logits, self.probs = of_logits(logits, probs, "softmax")
        self.dtype, self.name = self.logits.dtype, name
        self.total_count = tf.convert_to_tensor(total_count, dtype=self.dtype)

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns counts, others at each run."""
        return self._drawn(self.logits, sample_shape, counted(sample_shape)[1], seed)

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the probability of counts."""
        counts = tf.convert_to_tensor(value, dtype=self.dtype)
        return self._combinations(counts) + tf.reduce_sum(counts * tf.nn.log_softmax(self.logits), -1)

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return self.probs * self.total_count[..., None]

    def covariance(self, name: Any = None) -> Any:
        """Returns the covariance of each pair of counts."""
        parts = self.probs * tf.ones_like(self.total_count)[..., None]
        pairs = -tf.matmul(self.mean()[..., :, None], parts[..., None, :])
        return tf.matrix_set_diag(pairs, self.variance())

    def variance(self, name: Any = None) -> Any:
        """Returns the variance of each count."""
        return self.mean() * (1.0 - self.probs)


@named("tf.compat.v1.distributions.DirichletMultinomial")
class DirichletMultinomial(_Counts):
    """How often each class occurs among `total_count` draws, whose probabilities Dirichlet draws."""

    def __init__(
        self, total_count: Any, concentration: Any, validate_args: bool = False, allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:  # fmt: skip
        require_defaults(self, validate_args, allow_nan_stats)
        (self.concentration,) = _tensors(concentration)
        self.total_concentration = tf.reduce_sum(self.concentration, -1)
        self.dtype, self.name = self.concentration.dtype, name
        self.total_count = tf.convert_to_tensor(total_count, dtype=self.dtype)

    def sample(self, sample_shape: Any = (), seed: Any = None, name: Any = None) -> Any:
        """Returns counts, others at each run."""
        _, count = counted(sample_shape)
        drawn = tf.random.gamma([count], self.concentration, None, self.dtype, seed)
        return self._drawn(tf.log(drawn), sample_shape, 1, another_seed(seed, "dirichlet_multinomial"))

    def log_prob(self, value: Any, name: Any = None) -> Any:
        """Returns the logarithm of the probability of counts."""
        counts = tf.convert_to_tensor(value, dtype=self.dtype)
        ways = tf.lbeta(self.concentration + counts) - tf.lbeta(self.concentration)
        return ways + self._combinations(counts)

    def mean(self, name: Any = None) -> Any:
        """Returns the mean."""
        return self.total_count[..., None] * self.concentration / self.total_concentration[..., None]

    def _spread(self) -> Any:
        total = self.total_concentration[..., None]
        return tf.sqrt((self.total_count[..., None] + total) / (1.0 + total))

    def variance(self, name: Any = None) -> Any:
        """Returns the variance of each count."""
        mean = self.mean()
        return tf.square(self._spread()) * mean * (1.0 - mean / self.total_count[..., None])

    def covariance(self, name: Any = None) -> Any:
        """Returns the covariance of each pair of counts."""
        scaled = self._spread() * self.mean()
        pairs = -tf.matmul(scaled[..., :, None], scaled[..., None, :]) / self.total_count[..., None, None]
        return tf.matrix_set_diag(pairs, self.variance())


# -- divergences --------------------------------------------------------------------------------------------


@RegisterKL(Gamma, Gamma)
def _of_gammas(a: Gamma, b: Gamma, name: Any = None) -> Any:
    apart = (a.concentration - b.concentration) * tf.digamma(a.concentration)
    sizes = tf.lgamma(b.concentration) - tf.lgamma(a.concentration)
    rates = b.concentration * (tf.log(a.rate) - tf.log(b.rate))
    return apart + sizes + rates + a.concentration * (b.rate / a.rate - 1.0)


@RegisterKL(Beta, Beta)
def _of_betas(a: Beta, b: Beta, name: Any = None) -> Any:
    def apart(word: str) -> Any:
        return getattr(b, word) - getattr(a, word)

    first = tf.digamma(a.concentration1) * apart("concentration1")
    second = tf.digamma(a.concentration0) * apart("concentration0")
    total = tf.digamma(a.total_concentration) * apart("total_concentration")
    sizes = _log_beta(b.concentration1, b.concentration0) - _log_beta(a.concentration1, a.concentration0)
    return sizes - first - second + total


@RegisterKL(Dirichlet, Dirichlet)
def _of_dirichlets(a: Dirichlet, b: Dirichlet, name: Any = None) -> Any:
    steps = tf.digamma(a.concentration) - tf.digamma(a.total_concentration)[..., None]
    apart = a.concentration - b.concentration
    return tf.reduce_sum(apart * steps, -1) - tf.lbeta(a.concentration) + tf.lbeta(b.concentration)
