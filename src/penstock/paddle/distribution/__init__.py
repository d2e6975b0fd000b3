"""Distributions under Paddle's names: draws, densities, entropies, and how far they are apart."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from penstock.paddle._names import absent
from penstock.paddle._paths import paths_to as _paths_to
from penstock.paddle.distribution import _kl_rules

_LATER = {
    "_base": ("Distribution", "ExponentialFamily"),
    "_continuous": (
        "Beta", "Cauchy", "Chi2", "ContinuousBernoulli", "Exponential", "Gamma", "Gumbel", "Laplace",
        "Normal", "StudentT", "Uniform",
    ),
    "_correlation": ("LKJCholesky",),
    "_discrete": ("Bernoulli", "Binomial", "Categorical", "Geometric", "Poisson"),
    "_several": (
        "Dirichlet", "LogNormal", "Multinomial", "MultivariateNormal",
    ),
    "_kl_rules": ("kl_divergence", "register_kl"),
    "transform": (
        "AbsTransform", "AffineTransform", "ChainTransform", "ExpTransform", "IndependentTransform",
        "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "StackTransform",
        "StickBreakingTransform", "TanhTransform", "Transform",
        "Independent", "TransformedDistribution",
    ),
}  # fmt: skip
"""The names, by the module that has them: it is imported when one is asked for."""
_kl_rules.later.append(lambda: importlib.import_module("penstock.paddle.distribution._divergence"))
__all__ = [name for names in _LATER.values() for name in names]

_paths_to(
    sys.modules[__name__],
    "bernoulli beta binomial categorical cauchy chi2 continuous_bernoulli dirichlet distribution exponential "
    "gamma geometric gumbel independent kl laplace lkj_cholesky lognormal multinomial multivariate_normal "
    "normal poisson student_t transformed_distribution uniform",
)


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names or name == module:
            found = importlib.import_module(f"penstock.paddle.distribution.{module}")
            return found if name == module else getattr(found, name)
    raise absent("paddle.distribution", name, __all__)
