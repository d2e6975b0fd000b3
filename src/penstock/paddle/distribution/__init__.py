"""Distributions under Paddle's names."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.paddle import _creation, _math
from penstock.paddle._convert import operand
from penstock.paddle._manipulation import take_along_axis
from penstock.paddle._names import absent
from penstock.paddle.nn import functional as F


class Normal:
    """The normal distribution with mean `loc` and deviation `scale`."""

    def __init__(self, loc: Any, scale: Any, name: Any = None) -> None:
        self.loc, self.scale = (_floating(one) for one in (loc, scale))

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.loc

    @property
    def variance(self) -> Any:
        """The variance."""
        return _math.square(self.scale)

    def _lengths(self, shape: Any) -> tuple[int, ...]:
        own = np.broadcast_shapes(self.loc._spec.shape, self.scale._spec.shape)
        return (*shape, *own)

    def sample(self, shape: Any = (), seed: int = 0) -> Any:
        """Returns draws, through which no gradient passes; a seed but 0 gives the same each time."""
        if seed:
            drawn = _creation.gaussian(self._lengths(shape), seed=seed)
            return (self.loc + self.scale * drawn).detach()
        return self.rsample(shape).detach()

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to mean and deviation."""
        return self.loc + self.scale * _creation.randn(self._lengths(shape))

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        apart = (operand(value) - self.loc) / self.scale
        return _math.square(apart) * -0.5 - _math.log(self.scale) - 0.5 * math.log(2 * math.pi)

    def probs(self, value: Any) -> Any:
        """Returns the density."""
        return _math.exp(self.log_prob(value))

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return _math.log(self.scale) + (0.5 + 0.5 * math.log(2 * math.pi))

    def kl_divergence(self, other: Any) -> Any:
        """Returns how far this distribution is from another normal one, in nats."""
        ratio = _math.square(self.scale / other.scale)
        apart = _math.square((self.loc - other.loc) / other.scale)
        return (ratio + apart - 1.0 - _math.log(ratio)) * 0.5


def _floating(value: Any) -> Any:
    found = operand(value)
    return found if found._spec.dtype.kind in "fV" else _math.cast(found, "float32")


class Categorical:
    """A distribution over the places of the last axis, with weights `logits`.

    As in Paddle, `probs` and `log_prob` take the weights as they are, divided by their sum, whereas `entropy`
    and `kl_divergence` take them as logarithms.
    """

    def __init__(self, logits: Any, name: Any = None) -> None:
        self.logits = _floating(logits)

    def _shares(self) -> Any:
        return self.logits / _math.sum(self.logits, -1, keepdim=True)

    def sample(self, shape: Any = ()) -> Any:
        """Returns places, drawn with the weights."""
        weights = F.softmax(self.logits)
        count = int(np.prod(shape, dtype=int))
        drawn = _creation.multinomial(weights, max(count, 1), True)
        rank = drawn._spec.ndim
        moved = drawn.transpose([rank - 1, *range(rank - 1)])
        return moved.reshape([*shape, *self.logits._spec.shape[:-1]])

    def probs(self, value: Any) -> Any:
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
        return _math.log(self.probs(value))

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        logs = F.log_softmax(self.logits)
        return -_math.sum(_math.exp(logs) * logs, -1)

    def kl_divergence(self, other: Any) -> Any:
        """Returns how far this distribution is from another one, in nats."""
        own, others = F.log_softmax(self.logits), F.log_softmax(other.logits)
        return _math.sum(_math.exp(own) * (own - others), -1)


def kl_divergence(p: Any, q: Any) -> Any:
    """Returns how far distribution p is from q, in nats."""
    return p.kl_divergence(q)


__all__ = ["Categorical", "Normal", "kl_divergence"]


def __getattr__(name: str) -> Any:
    raise absent("paddle.distribution", name, __all__)
