"""Distributions: what they say of themselves, of values, and of how far they are from others."""

import warnings

import numpy as np
import paddle

warnings.simplefilter("ignore")
D, t = paddle.distribution, paddle.to_tensor


def shown(found):
    return np.round(np.asarray(found, np.float64), 3).tolist()


CASES = [
    (
        "mean variance entropy",
        D.Normal(np.array([0.5, -1.0], "float32"), 2.0),
        D.Normal(0.0, 3.0),
        [0.3, 2.0],
    ),
    ("entropy", D.Uniform(0.0, np.array([1.0, 4.0], "float32")), None, [0.5, 0.7]),
    (
        "mean variance stddev entropy",
        D.Laplace(t([0.5, -1.0]), t([2.0, 1.0])),
        D.Laplace(t(0.0), t(1.5)),
        [0.3, 2.0],
    ),
    ("mean variance stddev entropy", D.Gumbel(t([0.5, -1.0]), t([2.0, 1.0])), None, [0.3, 2.0]),
    ("entropy", D.Cauchy(t([0.5, -1.0]), t([2.0, 1.0])), D.Cauchy(t(0.0), t(1.5)), [0.3, 2.0]),
    (
        "mean variance entropy",
        D.Gamma(t([0.5, 3.0]), t([2.0, 1.0])),
        D.Gamma(t([1.0, 1.0]), t([1.5, 1.0])),
        [0.3, 2.0],
    ),
    ("mean variance entropy", D.Exponential(t([0.5, 3.0])), D.Exponential(t([1.0, 1.0])), [0.3, 2.0]),
    (
        "mean variance entropy",
        D.Beta(t([0.5, 3.0]), t([2.0, 1.5])),
        D.Beta(t([1.0, 1.0]), t([1.5, 1.0])),
        [0.3, 0.9],
    ),
    ("mean variance entropy", D.Chi2(t([3.0, 4.0])), None, [0.3, 2.0]),
    ("mean variance entropy", D.StudentT(t([3.0, 4.0]), t([0.0, 1.0]), t([1.0, 2.0])), None, [0.3, 2.0]),
    (
        "mean variance entropy",
        D.ContinuousBernoulli(t([0.2, 0.5])),
        D.ContinuousBernoulli(t([0.3, 0.6])),
        [0.3, 0.9],
    ),
    ("mean variance entropy", D.Bernoulli(t([0.2, 0.5])), D.Bernoulli(t([0.3, 0.6])), [1.0, 0.0]),
    ("mean variance entropy", D.Poisson(t([0.2, 5.0])), D.Poisson(t([0.3, 0.6])), [1.0, 4.0]),
    (
        "mean variance entropy",
        D.Binomial(t([6.0, 6.0]), t([0.2, 0.5])),
        D.Binomial(t([6.0, 6.0]), t([0.3, 0.6])),
        [1.0, 4.0],
    ),
    ("entropy", D.Categorical(t([0.2, 0.5, 1.0])), D.Categorical(t([0.3, 0.6, 0.1])), [1, 2]),
    (
        "mean variance entropy",
        D.Dirichlet(t([0.2, 0.5, 1.0])),
        D.Dirichlet(t([0.3, 0.6, 0.1])),
        [0.2, 0.3, 0.5],
    ),
    ("mean variance entropy", D.Multinomial(4, t([0.2, 0.5, 0.3])), None, [1.0, 2.0, 1.0]),
    (
        "mean variance entropy",
        D.MultivariateNormal(t([0.2, 0.5]), covariance_matrix=t([[2.0, 0.5], [0.5, 1.0]])),
        D.MultivariateNormal(t([0.0, 0.5]), scale_tril=t([[2.0, 0.0], [0.5, 1.0]])),
        [0.2, 0.3],
    ),
    (
        "mean entropy",
        D.LogNormal(t([0.2, 0.5]), t([1.0, 2.0])),
        D.LogNormal(t([0.0, 0.0]), t([1.0, 1.0])),
        [0.2, 0.3],
    ),
    ("mean variance entropy", D.Independent(D.Normal(t([0.2, 0.5]), t([1.0, 2.0])), 1), None, [0.2, 0.3]),
    (
        "",
        D.TransformedDistribution(D.Normal(t([0.2, 0.5]), t([1.0, 2.0])), [D.SigmoidTransform()]),
        None,
        [0.2, 0.3],
    ),
]
for words, one, other, values in CASES:
    print(type(one).__name__, list(one.sample([3, 2]).shape))
    for word in words.split():
        found = getattr(one, word)
        print(" ", word, shown(found() if callable(found) else found))
    print("  log_prob", shown(one.log_prob(t(values))))
    if other is not None:
        print("  kl", shown(D.kl_divergence(one, other)))
print(shown(D.Geometric(t([0.2, 0.5])).mean), shown(D.Geometric(t([0.2, 0.5])).entropy()))
print(shown(D.kl_divergence(D.Geometric(t([0.2, 0.5])), D.Geometric(t([0.3, 0.6])))))
print(
    shown(D.Laplace(t(0.5), t(2.0)).cdf(t([0.3, 2.0]))), shown(D.Laplace(t(0.5), t(2.0)).icdf(t([0.3, 0.6])))
)
print(shown(D.Cauchy(t(0.5), t(2.0)).cdf(t([0.3, 2.0]))), shown(D.Gumbel(t(0.5), t(2.0)).cdf(t([0.3, 2.0]))))

scale = t([1.0, 2.0], stop_gradient=False)
D.Normal(t([0.0, 1.0]), scale).log_prob(t([0.5, 0.5])).sum().backward()
print(shown(scale.grad))
