"""Distributions of several numbers at once, and distributions built from others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penstock.declared import named
from penstock.paddle import _creation, _drawing, _math, _matrices, _special_functions
from penstock.paddle._convert import operand
from penstock.paddle._errors import InvalidValueError
from penstock.paddle._grad_mode import no_grad
from penstock.paddle.distribution._base import (
    Distribution,
    ExponentialFamily,
    dtype_of,
    floating,
    in_shape,
    together,
)
from penstock.paddle.distribution._continuous import HALF_LOG_TWO_PI, Normal
from penstock.paddle.distribution.transform import ExpTransform, TransformedDistribution
from penstock.paddle.nn import functional as F
from penstock.trace.source_site import here


@named("paddle.distribution.Dirichlet")
class Dirichlet(ExponentialFamily):
    """A distribution over shares that add up to 1."""

    def __init__(self, concentration: Any) -> None:
        self.concentration = floating(concentration)
        shape = self.concentration._spec.shape
        if not shape:
            raise InvalidValueError("`concentration` parameter must be at least one dimensional", site=here())
        super().__init__(shape[:-1], shape[-1:])

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.concentration / _math.sum(self.concentration, -1, keepdim=True)

    @property
    def variance(self) -> Any:
        """The variance."""
        total = _math.sum(self.concentration, -1, keepdim=True)
        return self.concentration * (total - self.concentration) / (_math.square(total) * (total + 1.0))

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        return _drawing.dirichlet(self.concentration, self._extend_shape(shape)[:-1])

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        a = self.concentration
        powers = _math.sum((a - 1.0) * _math.log(operand(value)), -1)
        return (
            powers + _special_functions.lgamma(_math.sum(a, -1)) - _math.sum(_special_functions.lgamma(a), -1)
        )

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        a, total = self.concentration, _math.sum(self.concentration, -1)
        count = a._spec.shape[-1]
        size = _math.sum(_special_functions.lgamma(a), -1) - _special_functions.lgamma(total)
        spread = (count - total) * _special_functions.digamma(total)
        return size - spread - _math.sum((a - 1.0) * _special_functions.digamma(a), -1)


@named("paddle.distribution.Multinomial")
class Multinomial(Distribution):
    """How often each place is drawn in `total_count` draws with weights `probs`."""

    def __init__(self, total_count: int, probs: Any) -> None:
        self.total_count = total_count
        probs = floating(probs)
        self.probs = probs / _math.sum(probs, -1, keepdim=True)
        shape = probs._spec.shape
        super().__init__(shape[:-1], shape[-1:])

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.probs * float(self.total_count)

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.probs * (1.0 - self.probs) * float(self.total_count)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the probability."""
        value, logs = together(value, _math.log(self.probs))
        ways = _special_functions.lgamma(_math.sum(value, -1) + 1.0) - _math.sum(
            _special_functions.lgamma(value + 1.0), -1
        )
        return ways + _math.sum(_math.where(value > 0, value * logs, value * 0.0), -1)

    def sample(self, shape: Any = ()) -> Any:
        """Returns draws, through which no gradient passes."""
        shape = in_shape(shape)
        with no_grad():
            places = self.probs._spec.shape[-1]
            count = int(np.prod(shape, dtype=int)) * self.total_count
            drawn = _creation.multinomial(self.probs, count, True)
            hot = F.one_hot(drawn, places)
            # The first draw of each sample, then the second of each.
            lengths = [*self.batch_shape, self.total_count, int(np.prod(shape, dtype=int)), places]
            counted = _math.sum(hot.reshape(lengths), -3)
            rank = len(self.batch_shape)
            turned = counted.transpose([rank, *range(rank), rank + 1])
            return _math.cast(turned.reshape([*shape, *self.batch_shape, places]), "float32")

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        n, p = float(self.total_count), self.probs
        counts = operand(np.arange(1, self.total_count + 1, dtype=np.float32))
        counts = counts.reshape([-1, *([1] * p._spec.ndim)])
        ways = (
            math.lgamma(n + 1.0)
            - _special_functions.lgamma(counts + 1.0)
            - _special_functions.lgamma(n - counts + 1.0)
        )
        logs = ways + counts * _math.log(p) + (n - counts) * _math.log1p(-p)
        ranked = _math.sum(_math.exp(logs) * _special_functions.lgamma(counts + 1.0), [0, -1])
        return ranked - math.lgamma(n + 1.0) - n * _math.sum(p * _math.log(p), -1)


@named("paddle.distribution.MultivariateNormal")
class MultivariateNormal(Distribution):
    """The normal distribution of several numbers, by one of covariance, precision, or Cholesky factor."""

    dtype = dtype_of("loc")

    def __init__(
        self, loc: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None
    ) -> None:
        given = [one for one in (covariance_matrix, precision_matrix, scale_tril) if one is not None]
        if len(given) != 1:
            raise InvalidValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.",
                site=here(),
            )
        loc, matrix = floating(loc), floating(given[0])
        if covariance_matrix is not None:
            root = _matrices.cholesky(matrix)
        elif precision_matrix is not None:
            root = _matrices.cholesky(_matrices.inv(matrix))
        else:
            root = matrix
        batch = np.broadcast_shapes(loc._spec.shape[:-1], root._spec.shape[:-2])
        count = root._spec.shape[-1]
        self.loc = loc.expand([*batch, count]) if loc._spec.shape != (*batch, count) else loc
        wide = (*batch, count, count)
        self.scale_tril = root.expand(list(wide)) if root._spec.shape != wide else root
        super().__init__(batch, (count,))

    @property
    def covariance_matrix(self) -> Any:
        """The covariance."""
        return _math.matmul(self.scale_tril, self.scale_tril, transpose_y=True)

    @property
    def precision_matrix(self) -> Any:
        """The inverse of the covariance."""
        return _matrices.inv(self.covariance_matrix)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.loc

    @property
    def variance(self) -> Any:
        """The variance of each number."""
        return _math.sum(_math.square(self.scale_tril), -1)

    def rsample(self, shape: Any = ()) -> Any:
        """Returns draws, with gradients to the parameters."""
        drawn = _creation.randn(self._extend_shape(shape), self.loc._spec.dtype.name)
        return self.loc + _math.matmul(self.scale_tril, drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Any) -> Any:
        """Returns the logarithm of the density."""
        apart = (operand(value) - self.loc).unsqueeze(-1)
        root = self.scale_tril
        wide = [*apart._spec.shape[:-2], *root._spec.shape[-2:]]
        if list(root._spec.shape) != wide:
            root = root.expand(wide)
        solved = _matrices.triangular_solve(root, apart, upper=False).squeeze(-1)
        count = float(self.event_shape[0])
        return -0.5 * _math.sum(_math.square(solved), -1) - self._half_log_det() - count * HALF_LOG_TWO_PI

    def _half_log_det(self) -> Any:
        return _math.sum(_math.log(_matrices.diagonal(self.scale_tril, axis1=-2, axis2=-1)), -1)

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return self._half_log_det() + float(self.event_shape[0]) * (0.5 + HALF_LOG_TWO_PI)


@named("paddle.distribution.LogNormal")
class LogNormal(TransformedDistribution):
    """The distribution of e to the power of draws from a normal distribution."""

    def __init__(self, loc: Any, scale: Any) -> None:
        self._normal = Normal(loc, scale)
        self.loc, self.scale = self._normal.loc, self._normal.scale
        super().__init__(self._normal, [ExpTransform()])

    @property
    def mean(self) -> Any:
        """The mean."""
        return _math.exp(self.loc + _math.square(self.scale) * 0.5)

    @property
    def variance(self) -> Any:
        """The variance."""
        squares = _math.square(self.scale)
        return _math.expm1(squares) * _math.exp(2.0 * self.loc + squares)

    def entropy(self) -> Any:
        """Returns the entropy in nats."""
        return self._normal.entropy() + self.loc

    def probs(self, value: Any) -> Any:
        """Returns the density."""
        return self.prob(value)
