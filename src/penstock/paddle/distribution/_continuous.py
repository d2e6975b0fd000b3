"""Distributions of real numbers: densities, draws and entropies in closed form."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import (
    _creation,
    _drawing,
    _elementwise,
    _manipulation,
    _math,
    _special_functions,
)
from penstock.paddle._convert import operand
from penstock.paddle._grad_mode import no_grad
from penstock.paddle.distribution._base import (
    Distribution,
    ExponentialFamily,
    dtype_of,
    floating,
    together,
)

EULER = 0.57721566490153286060
HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)


_TINY, _EPSILON = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).eps)


def _uniform(shape: Any, dtype: Any, seed: int = 0, low: float = 0.0, high: float = 1.0) -> Any:
    return _creation.uniform(list(shape), dtype, low, high, seed)


def _gamma(shape: Any, concentration: Any) -> Any:
    return _drawing.gamma(_manipulation.expand(concentration, list(shape)))


def log_beta(a: Any, b: Any) -> Any:
    """Returns the logarithm of the beta function."""
    return _special_functions.lgamma(a) + _special_functions.lgamma(b) - _special_functions.lgamma(a + b)


@named("paddle.distribution.Normal")
class Normal(Distribution):
    """The normal distribution with mean `loc` and deviation `scale`.

    >>> from penstock import paddle
    >>> normal = paddle.distribution.Normal(0.0, 1.0)
    >>> round(float(normal.entropy()), 4)
    1.4189
    """

    dtype = dtype_of("loc")

    def __init__(self, loc: Any, scale: Any, name: Any = None) -> None:
        self.loc, self.scale = together(loc, scale)
        self.all_arg_is_float = isinstance(loc, float | int) and isinstance(scale, float | int)
        self.name = "Normal" if name is None else name
        super().__init__(self.loc._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.loc

    @property
    def variance(self) -> Any:
        """The variance."""
        return _math.square(self.scale)

    def sample(self, shape: Any = (), seed: int = 0) -> Any:
        """Returns draws, with gradients to mean and deviation; a seed but 0 gives the same each time."""
        return self._drawn(shape, seed)

    def _drawn(self, shape: Any, seed: int = 0) -> Any:
        lengths = self._extend_shape(shape)
        drawn = _creation.gaussian(lengths, seed=seed, dtype=self.loc._spec.dtype.name)
        return self.loc + self.scale * drawn

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to mean and deviation."""
        return self._drawn(shape)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        apart = (operand(value) - self.loc) / self.scale
        return _math.square(apart) * -0.5 - _math.log(self.scale) - HALF_LOG_TWO_PI

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return _math.log(self.scale) + (0.5 + HALF_LOG_TWO_PI)


@named("paddle.distribution.Uniform")
class Uniform(Distribution):
    """Equal density from `low`, included, to `high`."""

    batch_size_unknown = False
    dtype = dtype_of("low")

    def __init__(self, low: Any, high: Any, name: Any = None) -> None:
        self.low, self.high = together(low, high)
        self.all_arg_is_float = isinstance(low, float | int) and isinstance(high, float | int)
        self.name = "Uniform" if name is None else name
        super().__init__(self.low._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return (self.low + self.high) * 0.5

    @property
    def variance(self) -> Any:
        """The variance."""
        return _math.square(self.high - self.low) / 12.0

    def sample(self, shape: Any = (), seed: int = 0) -> Any:
        """Returns draws, with gradients to both ends; a seed but 0 gives the same each time."""
        drawn = _uniform(self._extend_shape(shape), self.low._spec.dtype, seed)
        return self.low + (self.high - self.low) * drawn

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to both ends."""
        return self.low + (self.high - self.low) * _uniform(self._extend_shape(shape), self.low._spec.dtype)

    def _inside(self, value: Any) -> Any:
        kind = self.low._spec.dtype.name
        return _math.cast(value > self.low, kind) * _math.cast(value < self.high, kind)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        return _math.log(self._inside(operand(value))) - _math.log(self.high - self.low)

    def prob(self, value: Any) -> Any:
        """Returns the density."""
        return self._inside(operand(value)) / (self.high - self.low)

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return _math.log(self.high - self.low)


@named("paddle.distribution.Laplace")
class Laplace(Distribution):
    """Two exponential distributions, back to back at `loc`."""

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = together(loc, scale)
        super().__init__(self.loc._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.loc

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.scale * math.sqrt(2.0)

    @property
    def variance(self) -> Any:
        """The variance."""
        return _math.square(self.stddev)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        return -_math.log(self.scale * 2.0) - _math.abs(operand(value) - self.loc) / self.scale

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return _math.log(self.scale * 2.0) + 1.0

    def cdf(self, value: Any) -> Any:
        """Returns the probability of a draw up to `value`."""
        apart = operand(value) - self.loc
        return 0.5 - 0.5 * _math.sign(apart) * _math.expm1(-_math.abs(apart) / self.scale)

    def icdf(self, value: Any) -> Any:
        """Returns where `cdf` has this value."""
        apart = operand(value) - 0.5
        return self.loc - self.scale * _math.sign(apart) * _math.log1p(-2.0 * _math.abs(apart))

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        dtype = self.loc._spec.dtype
        half = float(np.finfo(dtype).eps) / 2
        low = float(np.nextafter(-1, 1)) + half
        drawn = _uniform(self._extend_shape(shape), dtype, low=low, high=1.0 - half)
        return self.loc - self.scale * _math.sign(drawn) * _math.log1p(-_math.abs(drawn))


@named("paddle.distribution.Gumbel")
class Gumbel(Distribution):
    """The limit of the largest of many draws, shifted by `loc` and stretched by `scale`."""

    def __init__(self, loc: Any, scale: Any) -> None:
        self.loc, self.scale = together(loc, scale)
        super().__init__(self.loc._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.loc + self.scale * EULER

    @property
    def variance(self) -> Any:
        """The variance."""
        return _math.square(self.scale) * (math.pi**2 / 6.0)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        apart = (operand(value) - self.loc) / self.scale
        return -(apart + _math.exp(-apart)) - _math.log(self.scale)

    def cdf(self, value: Any) -> Any:
        """Returns the probability of a draw up to `value`."""
        return _math.exp(-_math.exp(-(operand(value) - self.loc) / self.scale))

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return _math.log(self.scale) + (1.0 + EULER)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        width = np.float32(1.0 - _EPSILON) - np.float32(_TINY)
        drawn = _uniform(self._extend_shape(shape), self.loc._spec.dtype) * float(width) + _TINY
        return self.loc - self.scale * _math.log(-_math.log(drawn))


@named("paddle.distribution.Cauchy")
class Cauchy(Distribution):
    """The Cauchy distribution, which has no mean and no variance."""

    dtype = dtype_of("loc", as_name=False)

    def __init__(self, loc: Any, scale: Any, name: Any = None) -> None:
        self.loc, self.scale = together(loc, scale)
        self.name = "Cauchy" if name is None else name
        super().__init__(self.loc._spec.shape)

    @property
    def mean(self) -> Any:
        """Raises ValueError: there is none."""
        raise ValueError("Cauchy distribution has no mean.")

    @property
    def variance(self) -> Any:
        """Raises ValueError: there is none."""
        raise ValueError("Cauchy distribution has no variance.")

    @property
    def stddev(self) -> Any:
        """Raises ValueError: there is none."""
        raise ValueError("Cauchy distribution has no stddev.")

    def sample(self, shape: Any = (), name: Any = None) -> Any:
        """Returns draws, through which no gradient passes."""
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape: Any = (), name: Any = None) -> Any:
        """Returns draws, with gradients to the parameters."""
        drawn = _uniform(self._extend_shape(shape), self.loc._spec.dtype)
        return self.loc + self.scale * _math.tan((drawn - 0.5) * math.pi)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        apart = _math.square((operand(value) - self.loc) / self.scale)
        return -_math.log1p(apart) - _math.log(self.scale) - math.log(math.pi)

    def cdf(self, value: Any) -> Any:
        """Returns the probability of a draw up to `value`."""
        return _math.atan((operand(value) - self.loc) / self.scale) / math.pi + 0.5

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return _math.log(self.scale) + math.log(4.0 * math.pi)


@named("paddle.distribution.Gamma")
class Gamma(ExponentialFamily):
    """The gamma distribution with `concentration` and `rate`."""

    dtype = dtype_of("rate")

    def __init__(self, concentration: Any, rate: Any) -> None:
        self.concentration, self.rate = together(concentration, rate)
        super().__init__(self.rate._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.concentration / self.rate

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.concentration / _math.square(self.rate)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        a, b, value = self.concentration, self.rate, operand(value)
        return a * _math.log(b) + (a - 1.0) * _math.log(value) - b * value - _special_functions.lgamma(a)

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        a = self.concentration
        return (
            a
            - _math.log(self.rate)
            + _special_functions.lgamma(a)
            + (1.0 - a) * _special_functions.digamma(a)
        )

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        return _gamma(self._extend_shape(shape), self.concentration) / self.rate


@named("paddle.distribution.Chi2")
class Chi2(Gamma):
    """The sum of `df` squares of draws from the normal distribution."""

    def __init__(self, df: Any) -> None:
        df = floating(df)
        super().__init__(df * 0.5, _creation.full_like(df, 0.5))

    @property
    def df(self) -> Any:
        """How many squares are summed."""
        return self.concentration * 2.0


@named("paddle.distribution.Exponential")
class Exponential(ExponentialFamily):
    """The exponential distribution with `rate`."""

    dtype = dtype_of("rate")

    def __init__(self, rate: Any) -> None:
        self.rate = floating(rate)
        super().__init__(self.rate._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return 1.0 / self.rate

    @property
    def variance(self) -> Any:
        """The variance."""
        return 1.0 / _math.square(self.rate)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the rate."""
        drawn = _uniform(self._extend_shape(shape), self.rate._spec.dtype, low=_TINY)
        return -_math.log(drawn) / self.rate

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        return _math.log(self.rate) - self.rate * operand(value)

    def cdf(self, value: Any) -> Any:
        """Returns the probability of a draw up to `value`."""
        return -_math.expm1(-self.rate * operand(value))

    def icdf(self, value: Any) -> Any:
        """Returns where `cdf` has this value."""
        return -_math.log1p(-operand(value)) / self.rate

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return 1.0 - _math.log(self.rate)


@named("paddle.distribution.Beta")
class Beta(ExponentialFamily):
    """The beta distribution."""

    def __init__(self, alpha: Any, beta: Any) -> None:
        self.alpha, self.beta = together(alpha, beta)
        super().__init__(self.alpha._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Any:
        """The variance."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (_math.square(total) * (total + 1.0))

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        a, b, value = self.alpha, self.beta, operand(value)
        return (a - 1.0) * _math.log(value) + (b - 1.0) * _math.log1p(-value) - log_beta(a, b)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        return _drawing.dirichlet(
            _manipulation.stack([self.alpha, self.beta], -1), self._extend_shape(shape)
        )[..., 0]

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        a, b = self.alpha, self.beta
        total = (a + b - 2.0) * _special_functions.digamma(a + b)
        return (
            log_beta(a, b)
            - (a - 1.0) * _special_functions.digamma(a)
            - (b - 1.0) * _special_functions.digamma(b)
            + total
        )


@named("paddle.distribution.StudentT")
class StudentT(Distribution):
    """Student's t distribution with `df` degrees of freedom."""

    def __init__(self, df: Any, loc: Any, scale: Any, name: Any = None) -> None:
        self.df, self.loc, self.scale = together(df, loc, scale)
        self.name = "StudentT" if name is None else name
        super().__init__(self.df._spec.shape)

    def _where_df(self, bound: float, value: Any) -> Any:
        nothing = _creation.full_like(self.df, math.nan)
        return _math.where(self.df > bound, value, nothing)

    @property
    def mean(self) -> Any:
        """The mean; NaN where there is none."""
        return self._where_df(1.0, self.loc)

    @property
    def variance(self) -> Any:
        """The variance; infinite or NaN where there is none."""
        many = self.df > 2.0
        kept = _math.where(many, self.df, _creation.full_like(self.df, 3.0))
        found = _math.square(self.scale) * kept / (kept - 2.0)
        found = _math.where(many, found, _creation.full_like(self.df, math.inf))
        return self._where_df(1.0, found)

    def sample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        return self.rsample(shape)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        lengths = self._extend_shape(shape)
        normal = _creation.randn(lengths, self.df._spec.dtype.name)
        squares = _gamma(lengths, self.df * 0.5) / 0.5
        return self.loc + self.scale * normal * _math.sqrt(self.df / squares)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        apart, df = (operand(value) - self.loc) / self.scale, self.df
        scaled = _math.log(self.scale) + 0.5 * _math.log(df) + 0.5 * math.log(math.pi)
        scaled = scaled + _special_functions.lgamma(0.5 * df) - _special_functions.lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * _math.log1p(_math.square(apart) / df) - scaled

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        df = self.df
        bent = _special_functions.digamma(0.5 * (df + 1.0)) - _special_functions.digamma(0.5 * df)
        size = 0.5 * _math.log(df) + 0.5 * math.log(math.pi)
        size = size + _special_functions.lgamma(0.5 * df) - _special_functions.lgamma(0.5 * (df + 1.0))
        return _math.log(self.scale) + 0.5 * (df + 1.0) * bent + size


@named("paddle.distribution.ContinuousBernoulli")
class ContinuousBernoulli(Distribution):
    """The distribution on 0 .. 1 whose log density is linear; near `lims` of probs 0.5 a series is used."""

    dtype = dtype_of("probs", as_name=False)

    def __init__(self, probs: Any, lims: Any = (0.499, 0.501)) -> None:
        self.probs = floating(probs)
        self.lims = tuple(float(one) for one in np.asarray(lims))
        super().__init__(self.probs._spec.shape)

    def _near(self) -> Any:
        return _special_and(self.probs >= self.lims[0], self.probs <= self.lims[1])

    def _apart(self) -> Any:
        return _math.where(self._near(), _creation.full_like(self.probs, self.lims[0]), self.probs)

    def _log_size(self) -> Any:
        apart = self._apart()
        exact = _math.log(_math.abs(2.0 * _elementwise.atanh(1.0 - 2.0 * apart)))
        exact = exact - _math.log(_math.abs(1.0 - 2.0 * apart))
        x = _math.square(self.probs - 0.5)
        return _math.where(self._near(), math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x, exact)

    @property
    def mean(self) -> Any:
        """The mean."""
        apart = self._apart()
        exact = apart / (2.0 * apart - 1.0) + 1.0 / (2.0 * _elementwise.atanh(1.0 - 2.0 * apart))
        x = self.probs - 0.5
        return _math.where(self._near(), 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * _math.square(x)) * x, exact)

    @property
    def variance(self) -> Any:
        """The variance."""
        apart = self._apart()
        bent = _math.square(2.0 * _elementwise.atanh(1.0 - 2.0 * apart))
        exact = apart * (apart - 1.0) / _math.square(1.0 - 2.0 * apart) + 1.0 / bent
        x = _math.square(self.probs - 0.5)
        return _math.where(self._near(), 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x, exact)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        value = operand(value)
        return value * _math.log(self.probs) + (1.0 - value) * _math.log1p(-self.probs) + self._log_size()

    def cdf(self, value: Any) -> Any:
        """Returns the probability of a draw up to `value`."""
        value, apart = operand(value), self._apart()
        powers = _math.pow(apart, value) * _math.pow(1.0 - apart, 1.0 - value)
        exact = (powers + apart - 1.0) / (2.0 * apart - 1.0)
        return _math.clip(_math.where(self._near(), value * 1.0, exact), 0.0, 1.0)

    def icdf(self, value: Any) -> Any:
        """Returns where `cdf` has this value."""
        value, apart = operand(value), self._apart()
        raised = _math.log1p(-apart + value * (2.0 * apart - 1.0)) - _math.log1p(-apart)
        exact = raised / (_math.log(apart) - _math.log1p(-apart))
        return _math.where(self._near(), value * 1.0, exact)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameter."""
        return self.icdf(_uniform(self._extend_shape(shape), self.probs._spec.dtype))

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        logs = _math.log(self.probs), _math.log1p(-self.probs)
        return self.mean * (logs[1] - logs[0]) - self._log_size() - logs[1]


def _special_and(a: Any, b: Any) -> Any:
    return _math.logical_and(a, b)
