"""Distributions under Paddle's names: draws, densities, entropies, and how far they are apart."""

from __future__ import annotations

import importlib
from typing import Any

from penstock.paddle._names import absent

_LATER = {
    "_base": ("Distribution", "ExponentialFamily"),
    "_continuous": (
        "Beta", "Cauchy", "Chi2", "ContinuousBernoulli", "Exponential", "Gamma", "Gumbel", "Laplace",
        "Normal", "StudentT", "Uniform",
    ),
    "_discrete": ("Bernoulli", "Binomial", "Categorical", "Geometric", "Poisson"),
    "_several": (
        "Dirichlet", "Independent", "LogNormal", "Multinomial", "MultivariateNormal",
        "TransformedDistribution",
    ),
    "_divergence": ("kl_divergence", "register_kl"),
    "transform": (
        "AbsTransform", "AffineTransform", "ChainTransform", "ExpTransform", "IndependentTransform",
        "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform", "StackTransform",
        "StickBreakingTransform", "TanhTransform", "Transform",
    ),
}  # fmt: skip
"""The names, by the module that has them: it is imported when one is asked for."""
__all__ = [name for names in _LATER.values() for name in names]


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names or name == module:
            found = importlib.import_module(f"penstock.paddle.distribution.{module}")
            return found if name == module else getattr(found, name)
    raise absent("paddle.distribution", name, __all__)
