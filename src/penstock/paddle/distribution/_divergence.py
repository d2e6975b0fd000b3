"""How far one distribution is from another: a rule for each pair of kinds."""

from __future__ import annotations

from typing import Any

from penstock.paddle import _math, _matrices, _special_functions
from penstock.paddle.distribution._base import SMALL
from penstock.paddle.distribution._continuous import (
    Beta,
    Cauchy,
    ContinuousBernoulli,
    Exponential,
    Gamma,
    Laplace,
    Normal,
    Uniform,
    log_beta,
)
from penstock.paddle.distribution._discrete import Bernoulli, Binomial, Categorical, Geometric, Poisson
from penstock.paddle.distribution._kl_rules import kl_divergence, register_kl
from penstock.paddle.distribution._several import (
    Dirichlet,
    LogNormal,
    MultivariateNormal,
)
from penstock.paddle.distribution.transform import Independent, _summed
from penstock.paddle.nn import functional as F


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = _math.square(p.scale / q.scale)
    apart = _math.square((p.loc - q.loc) / q.scale)
    return (ratio + apart - 1.0 - _math.log(ratio)) * 0.5


@register_kl(LogNormal, LogNormal)
def _log_normal(p: Any, q: Any) -> Any:
    return _normal(p._normal, q._normal)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    return _math.log((q.high - q.low) / (p.high - p.low))


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio, apart = p.scale / q.scale, _math.abs(p.loc - q.loc)
    return -_math.log(ratio) + ratio * _math.exp(-apart / p.scale) + apart / q.scale - 1.0


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    near = _math.square(p.scale + q.scale) + _math.square(p.loc - q.loc)
    return _math.log(near / (4.0 * p.scale * q.scale))


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return ratio - 1.0 - _math.log(ratio)


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    found = b * _math.log(p.rate / q.rate) + _special_functions.lgamma(b) - _special_functions.lgamma(a)
    return found + (a - b) * _special_functions.digamma(a) + (q.rate - p.rate) * (a / p.rate)


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    found = log_beta(q.alpha, q.beta) - log_beta(p.alpha, p.beta)
    found = found + (p.alpha - q.alpha) * _special_functions.digamma(p.alpha)
    found = found + (p.beta - q.beta) * _special_functions.digamma(p.beta)
    more = q.alpha - p.alpha + q.beta - p.beta
    return found + more * _special_functions.digamma(p.alpha + p.beta)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    total = _math.sum(a, -1)
    found = _special_functions.lgamma(total) - _special_functions.lgamma(_math.sum(b, -1))
    found = found + _math.sum(_special_functions.lgamma(b) - _special_functions.lgamma(a), -1)
    slopes = _special_functions.digamma(a) - _special_functions.digamma(total).unsqueeze(-1)
    return found + _math.sum((a - b) * slopes, -1)


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    own, others = F.log_softmax(p.logits), F.log_softmax(q.logits)
    return _math.sum(_math.exp(own) * (own - others), -1, keepdim=True)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    a, b = (_math.clip(one.probs, SMALL, 1.0 - SMALL) for one in (p, q))
    return a * _math.log(a / b) + (1.0 - a) * _math.log((1.0 - a) / (1.0 - b))


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    return p.total_count * _bernoulli(p, q)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    # As in Paddle: the distance of the single draws, not of how many fail.
    return p.probs * _math.log(p.probs / q.probs) + (1.0 - p.probs) * _math.log(
        (1.0 - p.probs) / (1.0 - q.probs)
    )


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    logs = [(_math.log(one.probs), _math.log1p(-one.probs)) for one in (p, q)]
    odds = logs[0][0] - logs[0][1] - logs[1][0] + logs[1][1]
    return p.mean * odds + p._log_size() - q._log_size() + logs[0][1] - logs[1][1]


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * _math.log(p.rate / q.rate) - (p.rate - q.rate)


@register_kl(MultivariateNormal, MultivariateNormal)
def _several_normal(p: Any, q: Any) -> Any:
    inverse = q.precision_matrix
    apart = (q.loc - p.loc).unsqueeze(-1)
    near = _math.matmul(_math.matmul(apart, inverse, transpose_x=True), apart).squeeze([-1, -2])
    traced = _matrices.trace(_math.matmul(inverse, p.covariance_matrix), axis1=-2, axis2=-1)
    sizes = q._half_log_det() - p._half_log_det()
    return sizes + 0.5 * (traced + near - float(p.event_shape[0]))


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    return _summed(kl_divergence(p._base, q._base), p._rank)
