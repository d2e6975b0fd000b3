"""Distributions of whole numbers: probabilities and draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _creation, _drawing, _manipulation, _math, _special_functions
from penstock.paddle._convert import data, operand
from penstock.paddle._grad_mode import no_grad
from penstock.paddle._manipulation import take_along_axis
from penstock.paddle.distribution._base import (
    SMALL,
    Distribution,
    ExponentialFamily,
    dtype_of,
    floating,
    in_shape,
    together,
)
from penstock.paddle.nn import functional as F


@named("paddle.distribution.Bernoulli")
class Bernoulli(ExponentialFamily):
    """1 with probability `probs`, else 0."""

    dtype = dtype_of("probs")

    def __init__(self, probs: Any, name: Any = None) -> None:
        self.probs = floating(probs)
        self.name = "Bernoulli" if name is None else name
        super().__init__(self.probs._spec.shape)

    @property
    def logits(self) -> Any:
        """The logarithm of the odds."""
        kept = self._kept()
        return _math.log(kept) - _math.log1p(-kept)

    def _kept(self) -> Any:
        return _math.clip(self.probs, SMALL, 1.0 - SMALL)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.probs

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.probs * (1.0 - self.probs)

    def sample(self, shape: Any = ()) -> Any:
        """Returns draws, through which no gradient passes."""
        with no_grad():
            return _creation.bernoulli(_expanded(self.probs, in_shape(shape)))

    def rsample(self, shape: Any = (), temperature: float = 1.0) -> Any:
        """Returns logits of soft draws, with gradients to `probs`; the lower the temperature, the harder."""
        drawn = _creation.rand(self._extend_shape(shape), self.probs._spec.dtype)
        return (_math.log(drawn) - _math.log1p(-drawn) + self.logits) / temperature

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the probability."""
        value = operand(value)
        return -F.binary_cross_entropy_with_logits(_like(self.logits, value), value, reduction="none")

    def cdf(self, value: Any) -> Any:
        """Returns the probability of a draw up to `value`."""
        value = operand(value)
        zeros, ones = _creation.zeros_like(self.probs), _creation.ones_like(self.probs)
        below = _math.where(value < 0, zeros, 1.0 - self.probs)
        return _math.where(value < 1, below, ones)

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


def _like(x: Any, other: Any) -> Any:
    shape = np.broadcast_shapes(x._spec.shape, other._spec.shape)
    return x if x._spec.shape == shape else x.expand(list(shape))


def _expanded(x: Any, shape: tuple[int, ...]) -> Any:
    lengths = [*shape, *x._spec.shape]
    return x.expand(lengths) if shape else x


@named("paddle.distribution.Geometric")
class Geometric(Distribution):
    """How many draws fail before the first that succeeds, with probability `probs`."""

    def __init__(self, probs: Any) -> None:
        self.probs = floating(probs)
        super().__init__(self.probs._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return 1.0 / self.probs - 1.0

    @property
    def variance(self) -> Any:
        """The variance."""
        return (1.0 / self.probs - 1.0) / self.probs

    def pmf(self, k: Any) -> Any:
        """Returns the probability of k."""
        return _math.pow(1.0 - self.probs, k) * self.probs

    def log_pmf(self, k: Any) -> Any:
        """Returns the logarithm of the probability of k."""
        return _math.log(self.pmf(k))

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the probability."""
        return self.log_pmf(value)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameter through the logarithm."""
        tiny = float(np.finfo(np.float32).tiny)
        drawn = _creation.uniform(self._extend_shape(shape), self.probs._spec.dtype, tiny, 1.0)
        return _math.floor(_math.log(drawn) / _math.log1p(-self.probs))

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        missed = 1.0 - self.probs
        return -(missed * _math.log(missed) + self.probs * _math.log(self.probs)) / self.probs

    def cdf(self, k: Any) -> Any:
        """Returns the probability of a draw up to k."""
        return 1.0 - _math.pow(1.0 - self.probs, k + 1)


@named("paddle.distribution.Poisson")
class Poisson(ExponentialFamily):
    """How many of many rare events happen, `rate` on average."""

    dtype = dtype_of("rate")

    def __init__(self, rate: Any) -> None:
        self.rate = floating(rate)
        super().__init__(self.rate._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.rate

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.rate

    def sample(self, shape: Any = ()) -> Any:
        """Returns draws, through which no gradient passes."""
        with no_grad():
            return _drawing.poisson(_manipulation.expand(self.rate, list(self._extend_shape(shape))))

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the probability."""
        value = operand(value)
        return value * _math.log(self.rate) - self.rate - _special_functions.lgamma(value + 1.0)

    def entropy(self) -> Any:
        """Returns the entropy in nats, as the sum over all counts that matter."""
        rates = np.asarray(self.rate.detach())
        most = int(np.max(rates, initial=0.0) + 30.0 * np.sqrt(np.max(rates, initial=0.0)) + 30.0)
        counts = data(np.arange(most, dtype=rates.dtype).reshape(-1, *([1] * rates.ndim)))
        logs = self.log_prob(counts)
        return -_math.sum(_math.exp(logs) * logs, 0)


@named("paddle.distribution.Binomial")
class Binomial(Distribution):
    """How many of `total_count` draws succeed, each with probability `probs`."""

    dtype = dtype_of("probs", as_name=False)

    def __init__(self, total_count: Any, probs: Any) -> None:
        self.total_count, self.probs = together(total_count, probs)
        super().__init__(self.probs._spec.shape)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.total_count * self.probs

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.total_count * self.probs * (1.0 - self.probs)

    def sample(self, shape: Any = ()) -> Any:
        """Returns draws, through which no gradient passes."""
        with no_grad():
            lengths = list(self._extend_shape(shape))
            count, probs = (_manipulation.expand(one, lengths) for one in (self.total_count, self.probs))
            return _math.cast(_drawing.binomial(count, probs), self.probs._spec.dtype.name)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the probability."""
        value, n = operand(value), self.total_count
        ways = (
            _special_functions.lgamma(n + 1.0)
            - _special_functions.lgamma(n - value + 1.0)
            - _special_functions.lgamma(value + 1.0)
        )
        kept = _math.clip(self.probs, SMALL, 1.0 - SMALL)
        return ways + value * _math.log(kept) + (n - value) * _math.log1p(-kept)

    def entropy(self) -> Any:
        """Returns the entropy in nats, as the sum over all counts."""
        most = int(np.max(np.asarray(self.total_count), initial=0.0))
        kind = self.probs._spec.dtype
        counts = data(np.arange(most + 1, dtype=kind).reshape(-1, *([1] * self.probs._spec.ndim)))
        logs = self.log_prob(counts)
        return -_math.sum(_math.exp(logs) * logs, 0)


@named("paddle.distribution.Categorical")
class Categorical(Distribution):
    """A distribution over the places of the last axis, with weights `logits`.

    As in Paddle, `probs` and `log_prob` take the weights as they are, divided by their sum, whereas `entropy`
    and `kl_divergence` take them as logarithms.
    """

    dtype = dtype_of("logits")

    def __init__(self, logits: Any, name: Any = None) -> None:
        self.logits = floating(logits)
        self.name = "Categorical" if name is None else name
        super().__init__(self.logits._spec.shape[:-1])

    def _shares(self) -> Any:
        return self.logits / _math.sum(self.logits, -1, keepdim=True)

    def sample(self, shape: Any = ()) -> Any:
        """Returns places, drawn with the weights."""
        shape = in_shape(shape)
        weights = F.softmax(self.logits)
        count = int(np.prod(shape, dtype=int))
        drawn = _creation.multinomial(weights, max(count, 1), True)
        rank = drawn._spec.ndim
        moved = drawn.transpose([rank - 1, *range(rank - 1)])
        return moved.reshape([*shape, *self.logits._spec.shape[:-1]])

    def prob(self, value: Any) -> Any:
        """Returns the share of each place in `value`."""
        value = operand(value)
        shares = self._shares()
        if shares._spec.ndim == 1:
            return shares[value]
        if value._spec.ndim == 1:
            return take_along_axis(shares, value.reshape([1, -1]).expand([*shares._spec.shape[:-1], -1]), -1)
        return take_along_axis(shares, value, -1)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the share of each place in `value`."""
        return _math.log(self.prob(value))

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        logs = F.log_softmax(self.logits)
        return -_math.sum(_math.exp(logs) * logs, -1)
