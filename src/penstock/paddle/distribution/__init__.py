"""Distributions under Paddle's names: draws, densities, entropies, and how far they are apart."""

from __future__ import annotations

import importlib
import sys

from penstock.paddle._names import namespace as _namespace
from penstock.paddle._paths import paths_to as _paths_to
from penstock.paddle.distribution import _kl_rules

_kl_rules.later.append(lambda: importlib.import_module("penstock.paddle.distribution._divergence"))

_paths_to(
    sys.modules[__name__],
    "bernoulli beta binomial categorical cauchy chi2 continuous_bernoulli dirichlet distribution exponential "
    "gamma geometric gumbel independent kl laplace lkj_cholesky lognormal multinomial multivariate_normal "
    "normal poisson student_t transformed_distribution uniform",
)
_REST = "_base _continuous _correlation _discrete _kl_rules _several transform"
__getattr__, __dir__, _public = _namespace(
    "paddle.distribution",
    globals(),
    rest=" ".join(f"distribution.{one}" for one in _REST.split()),
    later={__name__: "transform"},
)
